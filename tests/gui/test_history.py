import pytest

from pcaimage.gui.session.choice import Choice, Setting
from pcaimage.gui.session.history import MOST, History, Point
from pcaimage.gui.session.requests import Choose, Keep

BLOCKS = Choice("blocks", 8)


def point(k, choice=BLOCKS):
    return Point(choice, Setting(k, None))


def test_what_was_set_is_undone_and_done_again():
    history = History().recorded(point(1)).recorded(point(2)).recorded(point(3))
    back = history.undone().undone()
    assert back.present == point(1)
    assert not back.past
    assert back.undone() is back
    assert back.redone().present == point(2)
    assert back.redone().redone() == history
    assert history.redone() is history


def test_the_same_again_is_no_step_and_a_new_one_ends_the_future():
    history = History().recorded(point(1)).recorded(point(2))
    assert history.recorded(point(2)) is history
    other = history.undone().recorded(point(5))
    assert not other.future
    assert other.undone().present == point(1)


def test_the_oldest_points_are_forgotten():
    history = History()
    for k in range(MOST + 20):
        history = history.recorded(point(k + 1))
    assert len(history.past) == MOST
    assert history.past[-1] == point(MOST + 19)


def test_nothing_can_be_undone_before_anything_is_set():
    assert History().undone() == History()


@pytest.mark.slow
def test_a_drag_of_the_slider_is_one_step_back(fitted):
    session, first = fitted.session, fitted.state.setting
    for k in (2, 3, 4, 5):
        session.request(Keep(k, final=False))
    session.request(Keep(6))
    fitted.rest()
    session.undo()
    assert fitted.state.setting == first
    session.redo()
    assert fitted.state.setting.k == 6
    fitted.rest()
    assert fitted.state.settled.setting.k == 6


@pytest.mark.slow
def test_undoing_another_method_brings_back_its_components_and_k(fitted):
    session = fitted.session
    session.request(Keep(7))
    before = fitted.state.setting
    session.request(Choose(method="channels"))
    fitted.rest()
    assert fitted.state.fit.choice.method == "channels"
    session.undo()
    fitted.rest()
    assert fitted.state.fit.choice.method == "blocks"
    assert fitted.state.setting == before
    session.redo()
    fitted.rest()
    assert fitted.state.fit.choice.method == "channels"


def test_undo_of_a_method_that_is_still_being_fitted_goes_straight_back(fitted):
    session, fit = fitted.session, fitted.state.fit
    session.request(Keep(5))
    session.request(Choose(block=8))
    session.undo()
    fitted.rest()
    assert fitted.state.fit is fit
    assert fitted.state.setting.k == 5


@pytest.mark.slow
def test_another_image_has_a_history_of_its_own(opened, photo):
    opened.session.request(Keep(3))
    opened.open(photo)
    assert not opened.state.history.past

from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcaimage.codec import quantize
from pcaimage.gui.session import transitions
from pcaimage.gui.session.choice import Choice, Goal, Setting
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.jobs import JobRunner
from pcaimage.gui.session.requests import Choose, Keep, LeaveOut, SetStep
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import MOST, History, Point, SessionState
from pcaimage.gui.session.targets import Target
from pcaimage.imaging import Image
from pcaimage.progress import no_progress
from tests.smooth import smooth

BLOCKS = Choice("blocks", 8)


def point(k, choice=BLOCKS):
    return Point(choice, Setting(k, None))


def test_the_same_again_is_no_step_a_new_one_ends_the_future_and_the_oldest_are_forgotten():
    history = History().recorded(point(1)).recorded(point(2))
    assert history.recorded(point(2)) is history
    other = history.undone().recorded(point(5))
    assert not other.future
    assert other.undone().present == point(1)
    for k in range(MOST + 20):
        history = history.recorded(point(k + 3))
    assert len(history.past) == MOST
    assert history.past[-1] == point(MOST + 21)


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


CHOICES = (Choice("blocks", 4), Choice("blocks", 2), Choice("channels"))


@cache
def image():
    return Image(smooth(12, 16, 3))


@cache
def fit_of(choice):
    return Fit.of_image(image(), choice, no_progress)


@cache
def first():
    """A photograph that was just opened and fitted."""
    opened = transitions.opened(Document("photo", image=image()), CHOICES[0])
    return transitions.fitted(opened, fit_of(CHOICES[0]))


def choose(state, choice):
    """Choose, and take the components as soon as they are found."""
    state = transitions.chosen(state, choice)
    return state if state.fitted else transitions.fitted(state, fit_of(choice))


def follow(state):
    """Take the components that undoing asks for."""
    return state if state.fitted else transitions.fitted(state, fit_of(state.choice))


K = st.integers(-3, 60)


STEPS = st.one_of(
    st.builds(lambda k: lambda state: transitions.with_k(state, k, final=True), K),
    st.builds(lambda step: lambda state: transitions.with_step(state, step), st.none() | st.floats(0.5, 64)),
    st.builds(
        lambda numbers: lambda state: transitions.without(state, numbers), st.frozensets(K, max_size=4)
    ),
    st.builds(lambda share: lambda state: transitions.with_variance(state, share), st.floats(0, 100)),
    st.builds(
        lambda k: lambda state: transitions.aimed(state, Target(k, 3.0), Goal("psnr", k)), st.integers(1, 3)
    ),
    st.builds(lambda choice: lambda state: choose(state, choice), st.sampled_from(CHOICES)),
)


def settings_of(state):
    return state.choice, state.setting


@given(st.lists(STEPS, max_size=8))
def test_all_that_was_done_can_be_undone_and_done_again(steps):
    states = [first()]
    for step in steps:
        after = step(states[-1])
        if after.history is not states[-1].history:
            states.append(after)
    now = states[-1]
    for before in reversed(states[:-1]):
        now = follow(transitions.undone(now))
        assert settings_of(now) == settings_of(before)
    assert transitions.undone(now) is now
    for after in states[1:]:
        now = follow(transitions.redone(now))
        assert settings_of(now) == settings_of(after)
    assert transitions.redone(now) is now


@given(K)
def test_a_drag_is_one_step_back(k):
    state = first()
    for way in (3, 9, k):
        state = transitions.with_k(state, way, final=False)
        assert state.history is first().history
        assert state.moving or state is first()
    final = transitions.with_k(state, k, final=True)
    assert not final.moving
    assert settings_of(transitions.undone(final)) == settings_of(first())


@given(STEPS)
def test_what_changes_nothing_returns_the_state_itself(step):
    once = step(first())
    if not once.hint:
        assert step(once) is once


def test_components_that_are_not_there_are_neither_kept_nor_left_out():
    most = first().fit.n_components
    assert transitions.with_k(first(), 10**6, final=True).setting.k == most
    assert transitions.with_k(first(), -1, final=True).setting.k == 1
    left_out = transitions.without(first(), frozenset({0, 2, most + 1})).setting.left_out
    assert left_out == {2}
    waiting = transitions.chosen(first(), CHOICES[2])
    assert not waiting.fitted
    assert settings_of(transitions.stopped(waiting)) == settings_of(first())  # to what is shown
    empty = SessionState()
    assert transitions.stopped(empty) is empty


@pytest.mark.parametrize("request_", [Keep(3), SetStep(5.0), LeaveOut(frozenset({2}))], ids=repr)
def test_a_committed_request_emits_the_state_once_and_a_drag_that_ends_where_it_is_that_it_ended(
    owner, request_
):
    session, emitted = Session(JobRunner(owner), CHOICES[0], owner), []
    session.become(first())
    session.jobs.cancel_all()
    session.stateChanged.connect(lambda state, _: emitted.append(state))
    session.request(request_)
    session.request(request_)
    assert len(emitted) == 1
    session.become(replace(session.state, moving=True))
    session.request(Keep(session.state.setting.k))
    assert [state.moving for state in emitted] == [False, True, False]
    session.jobs.shutdown()


@pytest.mark.parametrize("method", ["photo", "blocks"])
def test_going_on_by_one_k_always_makes_another_file(method):
    fit = Fit.of_image(Image(smooth(64, 64, 3)), Choice(method), no_progress)
    state = transitions.opened(Document("photo", image=Image(smooth(64, 64, 3))), fit.choice)
    state = transitions.moved(transitions.fitted(state, fit), -500)
    seen = [(state.setting, fit.step(state.setting.k, state.setting.chosen_step))]
    while (after := transitions.moved(state, 1)) is not state:
        state = after
        seen.append((state.setting, fit.step(state.setting.k, state.setting.chosen_step)))
    assert len(seen) > 5
    for (one, step), (other, finer) in pairwise(seen):
        assert other.k > one.k
        assert float(finer) < float(step) or fit.analysis.variances[other.k - 1] > float(step) ** 2 / 12
    models = [quantize(fit.analysis, setting.k, step) for setting, step in seen[:2] + seen[-2:]]
    assert not any(one.same_as(other) for one, other in pairwise(models))
    assert [transitions.moved(state, -1).setting] == [setting for setting, _ in seen[-2:-1]]

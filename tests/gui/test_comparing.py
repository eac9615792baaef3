"""The two views in the window: what they show, and how they are compared."""

import pytest

from pcaimage.gui.compare.options import left_options, right_options
from pcaimage.gui.session.requests import ShowLeft, ShowRight
from pcaimage.gui.session.state import Rival

pytestmark = pytest.mark.slow


def shown(user, canvas):
    return getattr(user.window.compare, canvas).picture.pixels


def test_a_fixed_scale_makes_small_differences_darker(opened):
    window = opened.window
    opened.trigger("difference")
    opened.until(lambda: window.compare.difference.picture is not None)
    opened.until(lambda: not window.session.jobs.busy())
    automatic = shown(opened, "difference").astype(int).sum()
    window.compare.legend.scaleRequested.emit(128.0)
    opened.until(lambda: "128 levels" in window.compare.legend.texts)
    assert shown(opened, "difference").astype(int).sum() < automatic


def test_a_file_without_original_offers_another_k_only(user, compressed):
    user.open(compressed)
    assert left_options(user.state) == ()
    assert [option.value for option in right_options(user.state)] == [None, Rival("k", k=5)]
    user.window.compare.right_picker.requested.emit(Rival("k", k=2))
    user.until(lambda: user.state.rivalry is not None)
    user.until(lambda: "k = 2 of 10" in user.caption)
    for name in ("split", "difference"):
        assert not user.window.actions_by_name[name].isEnabled()


def test_settings_of_the_views_are_no_steps_of_undo(fitted):
    past = fitted.state.history.past
    fitted.session.request(ShowRight(Rival("k", k=2)))
    fitted.session.request(ShowLeft("reconstruction"))
    fitted.until(lambda: fitted.state.rivalry is not None)
    assert fitted.state.history.past == past

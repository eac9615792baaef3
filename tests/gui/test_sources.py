from dataclasses import replace

import numpy as np
import pytest

from pcaimage.codec import Region
from pcaimage.gui.compare.captions import right_caption
from pcaimage.gui.compare.options import left_options, right_options
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.session.display import Display, Layers
from pcaimage.gui.session.requests import Choose, Keep, SetStep, ShowLeft, ShowRight
from pcaimage.gui.session.sources import DifferenceRenderer, Source, difference, left_of, right_of
from pcaimage.gui.session.state import Rival
from pcaimage.progress import no_progress
from pcaimage.quality import psnr_of_mse

pytestmark = pytest.mark.slow


def test_views_have_sources_of_what_they_show_that_are_the_same_for_one_setting(fitted):
    session, before = fitted.session, fitted.state
    assert left_of(before).layers is before.original
    assert right_of(before).same_as(right_of(before))
    session.request(ShowLeft("reconstruction"))
    assert left_of(session.state).layers is session.state.exact
    session.request(Keep(2, final=False))
    moving = session.state
    assert right_of(moving).layers is None
    assert not right_of(moving).same_as(right_of(before))
    assert right_of(moving).same_as(right_of(replace(moving, hint="anything")))


def test_another_k_is_shown_at_once_and_exactly_soon(fitted):
    session = fitted.session
    k = fitted.state.setting.k
    session.request(ShowRight(Rival("k", k=2)))
    rough = right_of(session.state)
    assert rough.layers is None
    assert rough.task.setting.k == 2
    fitted.until(lambda: session.state.rivalry is not None)
    exact = right_of(session.state).layers
    session.request(ShowRight(None))
    session.request(Keep(2))
    fitted.until(lambda: session.state.exact is not None)
    np.testing.assert_array_equal(exact.pixels, session.state.exact.pixels)
    assert k != 2


def test_another_format_is_compared_at_the_same_size(opened):
    session = opened.session
    session.request(ShowRight(Rival("jpeg")))
    opened.until(lambda: session.state.rivalry is not None and session.state.rivalry.ssim is not None)
    opened.rest()
    rivalry, measured = session.state.rivalry, session.state.measured
    assert rivalry.n_bytes == measured.n_bytes
    assert rivalry.lines[0].startswith("JPEG, quality")
    assert right_of(session.state).layers.pixels.shape == (45, 61, 3)
    assert "JPEG" in opened.caption
    # Another k has another size, so there must be another JPEG.
    session.request(Keep(1))
    opened.until(lambda: session.state.rivalry is not rivalry)
    assert session.state.rivalry.n_bytes == session.state.measured.n_bytes != measured.n_bytes


def test_another_method_is_compared_at_no_more_than_the_same_size(fitted):
    session = fitted.session
    session.request(Keep(20))
    fitted.rest()
    session.request(ShowRight(Rival("method", method="channels")))
    fitted.until(lambda: session.state.rivalry is not None)
    assert session.state.rivalry.lines[0].startswith("Channels, k = ")
    assert session.state.fit.choice.method == "blocks"


def test_unrounded_scores_show_what_pca_alone_has_left_out(fitted):
    session = fitted.session
    session.request(Choose(method="blocks", block=8))
    fitted.rest()
    session.request(Keep(2))
    session.request(SetStep(400.0))
    fitted.rest()
    session.request(ShowRight(Rival("unrounded")))
    fitted.rest()
    source, state = right_of(session.state), session.state
    assert not source.same_as(Source(None, source.task))
    whole = Region(0, 0, 61, 45)
    exact = state.original.pixels.astype(float)
    errors = [
        float(np.square(each.render(whole, 1.0).pixels[:45, :61, :3] - exact).mean())
        for each in (source, Source(None, source.task))
    ]
    assert errors[0] < errors[1]
    assert state.fit.unrounded(state.setting) == pytest.approx(psnr_of_mse(errors[0], 255), abs=0.3)
    assert "by PCA alone" in right_caption(state)[-1]


def test_the_difference_of_pictures_of_other_grids_compares_the_same_places():
    ramp = np.arange(16, dtype=np.uint8)[None, :, None].repeat(4, 0)
    whole = Picture(ramp, (0, 0, 16, 4))
    part = Picture(np.ascontiguousarray(ramp[:2, 8:12] + np.uint8(4)), (8, 0, 12, 2))
    np.testing.assert_array_equal(difference(whole, part, 255.0), np.full((2, 4), 4.0))
    np.testing.assert_array_equal(difference(whole, part, 510.0), np.full((2, 4), 8.0))


def test_the_difference_is_exact_once_the_pixels_are_known():
    rng = np.random.default_rng(3)
    before = rng.integers(0, 250, (40, 50, 3), dtype=np.uint8)
    after = before + rng.integers(0, 5, before.shape, dtype=np.uint8)
    display = Display.of(before)
    left, right = Source(Layers(before, display)), Source(Layers(after, display))
    renderer = DifferenceRenderer()
    assert renderer.can_measure(left, right)
    _, rough = renderer.render(left, right, Region(0, 0, 50, 40), 1.0, 255.0)
    renderer.learn(left, right, renderer.measure(left, right, no_progress))
    assert not renderer.can_measure(left, right)
    shown, scale = renderer.render(left, right, Region(0, 0, 50, 40), 1.0, 255.0)
    assert scale.exact
    assert not rough.exact
    assert shown.extent == (0, 0, 50, 40)
    assert scale.automatic
    renderer.full_scale = 64.0
    dark, fixed = renderer.render(left, right, Region(0, 0, 50, 40), 1.0, 255.0)
    assert fixed.full == 64.0
    assert not fixed.automatic
    assert dark.pixels.astype(int).sum() < shown.pixels.astype(int).sum()


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

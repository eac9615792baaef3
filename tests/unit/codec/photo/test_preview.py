"""Pictures of photos for the screen are what full reconstruction and averaging would give."""

import numpy as np
import pytest

from pcaimage.codec import Drawing, Region
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.layout import UNIT
from pcaimage.codec.photo.masking import with_step
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.picture import SCORE_BITS
from pcaimage.codec.photo.screen.preview import NEGLIGIBLE, SAME_ERROR, PhotoPreview
from pcaimage.codec.photo.tables import plan_of
from pcaimage.codec.step import Step
from tests.unit.codec.photo.slices import sliced
from tests.unit.codec.test_parts import scene

WHOLE = Region(0, 0, 10_000, 10_000)
STEP = Step.nearest(9.0)
SLICE_ROWS = 4


def rounded(analysis, k, step=STEP):
    """Return a model whose scores are rounded to the nearest of their steps, without any encoder."""
    header = with_step(analysis.header, step)
    relative, levels = plan_of(header).relative, analysis.local_levels
    grid = header.sampling.grid(header.shape)
    starts = range(0, grid[0], SLICE_ROWS)
    empty = [np.zeros((k, min(SLICE_ROWS, grid[0] - start), grid[1]), np.int16) for start in starts]
    regional = tuple(levels[start : start + SLICE_ROWS : 2, ::2] for start in starts) if header.levels else ()
    model = PhotoModel(header, analysis.cascade, tuple(empty), (b"",) * k, levels=regional)
    wanted = analysis.planes * (UNIT / float(step))
    # The means first: what is expected of the others depends on them.
    for numbers in (range(min(k, header.shape[-1])), range(header.shape[-1], k)):
        expected = model.picture.coefficients(0, grid[0]) / (1 << SCORE_BITS)
        for start, scores in zip(starts, model.scores, strict=True):
            rows = slice(start, start + SLICE_ROWS)
            for number in numbers:
                plane = analysis.order[number]
                missing = wanted[plane, rows] - expected[plane, rows]
                if relative is not None and number >= header.shape[-1]:
                    missing /= relative[plane][levels[rows]]
                scores[number] = 2 * np.rint(missing)
    return model


def boxes(picture, cell):
    """Average cells as far as they are whole."""
    rows, columns = len(picture) // cell, picture.shape[1] // cell
    whole = picture[: rows * cell, : columns * cell]
    return whole.reshape(rows, cell, columns, cell, -1).mean(axis=(1, 3))


def shown(picture, like):
    """Return the part of a picture that is not beyond the image's edge."""
    return picture[: len(like), : like.shape[1]].astype(np.int64)


@pytest.mark.usefixtures("thorough")
@pytest.mark.parametrize("peak", [255, 65535])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.sweep(4)
def test_full_resolution_is_the_exact_reconstruction(channels, peak):
    analysis = sliced(scene(61, 52, channels, peak=peak))
    model = rounded(analysis, 30, Step.nearest(9.0 * peak / 255))
    for k in (1, channels, 7, 30):
        view = PhotoPreview.of(model).render(WHOLE, 1.0, k)
        exact = model.trimmed(k).reconstruct() * (255 / peak)
        assert view.pixels.shape == (64, 56, channels)
        assert (view.left, view.top, view.right, view.bottom) == (0, 0, 56, 64)
        assert np.abs(shown(view.pixels, exact) - exact).max() <= 1


@pytest.mark.usefixtures("thorough")
@pytest.mark.parametrize(("scale", "cell"), [(3.0, 1), (1.0, 1), (0.5, 2), (0.27, 4), (0.125, 8)])
@pytest.mark.sweep(3)
def test_reduced_views_are_averages(scale, cell):
    model = rounded(sliced(scene(61, 52, 3)), 40)
    for k in (2, 3, 12, 40):
        view = PhotoPreview.of(model).render(WHOLE, scale, k)
        expected = boxes(model.trimmed(k).reconstruct(), cell)
        assert view.pixels.shape == (64 // cell, 56 // cell, 3)
        assert np.abs(shown(view.pixels, expected) - expected).max() <= 1


@pytest.mark.parametrize(("scale", "halvings"), [(1 / 16, 1), (1 / 33, 2), (1 / 100, 4)])
@pytest.mark.slow
def test_views_smaller_than_blocks_average_blocks(scale, halvings):
    model = rounded(sliced(scene(401, 205, 3)), 9)
    view = PhotoPreview.of(model).render(WHOLE, scale, 9)
    side = 8 << halvings
    expected = boxes(model.reconstruct(), side)
    assert view.pixels.shape == (-(-401 // side), -(-208 // side), 3)
    assert np.abs(shown(view.pixels, expected) - expected).max() <= 2.5
    assert np.abs(shown(view.pixels, expected) - expected).mean() <= 0.8


def test_the_smallest_view_is_one_pixel_and_an_image_of_one_colour_is_shown():
    array = scene(125, 124, 3)
    view = PhotoPreview.of(sliced(array)).render(WHOLE, 1e-6, 100)
    assert view.pixels.shape == (1, 1, 3)
    assert np.abs(view.pixels[0, 0] - array.mean(axis=(0, 1))).max() < 3
    flat = np.full((40, 44, 3), 77, np.uint8)
    view = PhotoPreview.of(PhotoAnalysis.fit(flat)).render(Region(0, 0, 40, 40), 1.0, 5, Drawing(step=3.0))
    assert np.abs(view.pixels.astype(int) - 77).max() <= 1


def test_strips_and_threads_do_not_show(monkeypatch):
    preview = PhotoPreview.of(rounded(sliced(scene(161, 90, 3)), 20))
    views = [preview.render(WHOLE, scale, 20).pixels for scale in (1.0, 0.25)]
    monkeypatch.setattr("pcaimage.codec.photo.screen.preview.STRIP", 300)
    monkeypatch.setattr("pcaimage.codec.photo.screen.preview.PARALLEL_NUMBERS", 1)
    for scale, expected in zip((1.0, 0.25), views, strict=True):
        assert np.array_equal(preview.render(WHOLE, scale, 20).pixels, expected)


@pytest.mark.parametrize(("step", "frequencies"), [(9.0, 0), (9.0, 20), (45.0, 28)])
def test_an_analysis_shows_the_image_and_with_a_step_what_its_file_will(step, frequencies):
    array = scene(61, 52, 3)
    array[:, 30:] //= 3
    analysis = sliced(array).tuned(for_the_eye=frequencies > 0)
    assert len(np.unique(analysis.local_levels)) > 2
    preview = PhotoPreview.of(analysis)
    assert np.abs(shown(preview.render(WHOLE, 1.0, 192).pixels, array) - array.astype(int)).max() <= 1
    assert max(with_step(analysis.header, Step.nearest(step)).weights[:1], default=0) == frequencies
    for k in (1, 3, 10, 40):
        exact = rounded(analysis, k, Step.nearest(step)).reconstruct().astype(int)
        view = preview.render(WHOLE, 1.0, k, Drawing(step=step / SAME_ERROR))
        assert np.abs(shown(view.pixels, exact) - exact).mean() < max(0.3, step / 90)


def test_a_dead_zone_leaves_small_scores_out_and_what_else_is_left_out_is_hardly_seen():
    array = scene(64, 64, 3)
    preview = PhotoPreview.of(sliced(array))
    nearest = preview.render(WHOLE, 1.0, 60, Drawing(step=20.0)).pixels
    drawn = preview.render(WHOLE, 1.0, 60, Drawing(step=20.0, zone=0.08)).pixels
    errors = [np.square(shown(view, array) - array).mean() for view in (nearest, drawn)]
    assert errors[0] < errors[1] < 1.5 * errors[0]
    kept = preview.visible_components(192, 8, [0, 1, 2], 1.0)
    assert 3 <= len(kept) < 192
    expected = boxes(array, 8)
    assert np.abs(preview.render(WHOLE, 0.125, 192).pixels - expected).max() <= 0.5 + 5 * NEGLIGIBLE


def test_the_white_is_shown_as_white_unless_another_value_is():
    array = (scene(61, 52, 3, peak=65535) // 16).astype(np.uint16)
    model = rounded(sliced(array), 30, Step.nearest(20.0))
    dark = PhotoPreview.of(model).render(WHOLE, 1.0, 30, Drawing(white=65535.0))
    bright = PhotoPreview.of(model).render(WHOLE, 1.0, 30)
    exact = model.reconstruct() * (255 / 4095)
    assert dark.pixels.max() < 20
    assert np.abs(shown(bright.pixels, exact) - exact).max() <= 1.2


def test_variances_are_those_of_the_scores():
    analysis = sliced(scene(61, 52, 3))
    found = PhotoPreview.of(analysis).variances * UNIT**2
    assert found.shape == (192,)
    assert np.allclose(found, analysis.variances, rtol=0.02)
    model = PhotoPreview.of(rounded(analysis, 12))
    assert np.allclose(model.variances * float(STEP) ** 2, analysis.variances[:12], rtol=0.2, atol=40)

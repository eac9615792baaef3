"""A photo is its mean and its components' pictures times their scores, each laid over its neighbours."""

import numpy as np
import pytest

from pcaimage.codec import Drawing, Region, Step, quantize
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.screen.preview import PhotoPreview
from pcaimage.errors import SettingsError
from tests.unit.codec.photo.slices import sliced

pytestmark = pytest.mark.usefixtures("thorough")
WHOLE = Region(0, 0, 10_000, 10_000)
ROWS, COLUMNS = 7, 6
ALL = frozenset(range(1, 193))


def scene(channels, peak=255):
    """Return a picture that stays clear of the ends of its type, so that nothing is clipped."""
    y, x, channel = np.indices((8 * ROWS, 8 * COLUMNS, channels))
    waves = np.sin(x / 5 + channel) + np.cos(y / 7 - x / 11) + np.sin(y / 3) / 2
    noise = np.random.default_rng(2).normal(0, 0.2, waves.shape)
    picture = peak * (0.5 + 0.07 * waves + 0.03 * noise)
    kind = np.uint8 if peak < 256 else np.uint16
    return np.rint(picture.clip(0.2 * peak, 0.8 * peak)).astype(kind)


def summed(shown, keep):
    """Return mean + score x component + ... as an image with four more pixels on each side."""
    total = np.zeros((8 * ROWS + 8, 8 * COLUMNS + 8, len(shown.cascade.mean))) + shown.cascade.mean
    for number in keep:
        picture, scores = shown.component_picture(number).astype(np.float64), shown.score_plane(number)
        assert picture.shape == (16, 16, total.shape[2])
        assert scores.shape == (ROWS, COLUMNS)
        for row, column in np.ndindex(scores.shape):
            total[8 * row : 8 * row + 16, 8 * column : 8 * column + 16] += scores[row, column] * picture
    return total


def inner(image, beyond=0):
    """Return what does not touch the border's half blocks, in which components are cut off."""
    return image[4 + beyond : -4 - beyond, 4 + beyond : -4 - beyond].astype(np.float64)


def rendered(shown, left_out=frozenset()):
    return shown.render(WHOLE, 1.0, len(shown.variances), Drawing(left_out=left_out)).pixels


def both(array, step=7.0):
    """Return pictures of an image and of its file."""
    analysis = sliced(array, 3)
    model = quantize(analysis, analysis.n_components, Step.nearest(step))
    assert isinstance(model, PhotoModel)
    return [PhotoPreview.of(analysis), PhotoPreview.of(model)]


@pytest.mark.parametrize(("channels", "peak"), [(1, 255), (4, 255), (3, 65535)])
@pytest.mark.slow
def test_mean_and_components_times_scores_are_the_picture(channels, peak):
    for shown in both(scene(channels, peak), 7 * peak / 255):
        total = summed(shown, range(1, 64 * channels + 1)) * (255 / peak)
        assert np.abs(inner(total, 4) - inner(rendered(shown))).max() < 1


@pytest.mark.slow
@pytest.mark.parametrize("keep", [*({number} for number in (1, 2, 3, 4, 9, 30)), ALL - {1, 5, 6, 7}])
def test_what_is_not_left_out_is_mean_and_those_components(keep):
    for shown in both(scene(3)):
        total = summed(shown, sorted(keep)).clip(0, 255)
        assert np.abs(inner(total, 4) - inner(rendered(shown, ALL - keep))).max() < 1


@pytest.mark.slow
def test_nothing_but_the_mean_is_left_without_components():
    for shown in both(scene(3)):
        for scale in (1.0, 0.25, 0.125, 1 / 16, 1 / 64):
            view = shown.render(WHOLE, scale, 100, Drawing(left_out=ALL))
            assert np.abs(view.pixels - shown.cascade.mean.astype(float)).max() <= 0.5


@pytest.mark.parametrize("scale", [0.5, 0.25, 0.125, 1 / 16])
@pytest.mark.slow
def test_reduced_views_leave_out_as_well(scale):
    gone = frozenset({1, 3, 4, 8})
    for shown in both(scene(3)):
        cell = round(1 / scale)
        full = rendered(shown, gone)[:48, :48].astype(np.float64)
        expected = full.reshape(48 // cell, cell, 48 // cell, cell, 3).mean(axis=(1, 3))
        found = shown.render(Region(0, 0, 48, 48), scale, 192, Drawing(left_out=gone)).pixels
        assert np.abs(found[: len(expected), : expected.shape[1]] - expected).max() < 2


def test_a_mean_that_is_left_out_predicts_no_component_behind_k():
    for shown in both(scene(1)):
        view = shown.render(WHOLE, 1.0, 1, Drawing(left_out=frozenset({1})))
        assert np.abs(view.pixels - float(shown.cascade.mean[0])).max() <= 0.5
        # Components behind k stay as predicted, for a file has no say in them.
        whole = shown.render(WHOLE, 1.0, 5).pixels
        assert np.array_equal(shown.render(WHOLE, 1.0, 5, Drawing(left_out=frozenset({6, 40}))).pixels, whole)


@pytest.mark.slow
def test_scores_of_a_file_are_those_of_the_image_but_for_rounding():
    first, second = both(scene(3), 1.0)
    for row, column in [(0, 0), (3, 2), (ROWS - 1, COLUMNS - 1)]:
        one, other = first.scores_at(row, column), second.scores_at(row, column)
        assert one.shape == (192,)
        errors = np.abs(one - other)
        assert errors.mean() < 0.35
        assert errors.max() < 2  # scores that cost too much are dropped
        planes = [second.score_plane(number)[row, column] for number in range(1, 193)]
        assert np.allclose(other, planes, atol=1e-4)


@pytest.mark.slow
def test_pictures_of_components_are_orthonormal():
    shown = both(scene(3))[0]
    vectors = np.array([shown.component_picture(number).ravel() for number in range(1, 193)])
    assert np.abs(vectors @ vectors.T - np.eye(192)).max() < 1e-3
    assert shown.sample_size == 8


def test_parts_that_there_are_not_are_refused():
    analysis = sliced(scene(3), 3)
    shown = PhotoPreview.of(quantize(analysis, 20, Step.nearest(9.0)))
    assert shown.scores_at(2, 3).shape == (20,)
    for number in (0, 21):
        for part in (shown.component_picture, shown.score_plane):
            with pytest.raises(SettingsError, match=f"20 components; there is no component {number}"):
                part(number)
    with pytest.raises(SettingsError, match="7 × 6 samples; there is none in row 7"):
        shown.scores_at(ROWS, 0)
    assert shown.score_plane(1, most=3).shape == (3, 2)

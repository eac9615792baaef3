import numpy as np
import pytest

from pcaimage.codec import Analysis, Preview, Screen, Step, quantize
from pcaimage.codec.coding.reduction import reduced
from pcaimage.codec.step import dead_zone
from pcaimage.errors import Cancelled, DataError
from pcaimage.insight.inspection import RenderSettings
from pcaimage.insight.stack import StackErrors, StackPictures, exact_rms, ordered
from pcaimage.sampling import Stack
from tests.stop import stop


def faces(count=60, height=12, width=9, channels=1):
    """Images that are mixtures of a few waves, with a little noise."""
    rng = np.random.default_rng(5)
    y, x = np.mgrid[:height, :width] / 5.0
    waves = np.stack([np.sin(a * x + b * y + c) for a, b, c in rng.uniform(0.2, 3, (6, 3))])
    mixed = np.tensordot(rng.normal(0, 14, (count, 6)), waves, 1)[..., None] * np.linspace(1, 0.5, channels)
    return np.clip(128 + mixed + rng.normal(0, 2, mixed.shape), 0, 255).astype(np.uint8)


def fitted(images, *, standardize=False):
    analysis = Analysis.fit(images, Stack(), standardize=standardize)
    return analysis, Preview.of_analysis(analysis)


def fine(analysis):
    """A step at which components of so few images are rounded finely, too."""
    return 2 * analysis.finest_step


def view_of(analysis, k, left_out=frozenset()):
    step = fine(analysis)
    return RenderSettings(k, left_out, step, dead_zone(step, analysis.finest_step), (0,), 255.0)


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("k", [1, 3, 6, 30])
def test_errors_from_scores_are_those_of_the_reconstruction(k, standardize):
    images = faces()
    analysis, preview = fitted(images, standardize=standardize)
    errors, view = StackErrors(preview, images), view_of(analysis, k)
    found = errors.rms(view)
    real = exact_rms(images, quantize(analysis, k, Step.nearest(fine(analysis))).reconstruct())
    assert found == pytest.approx(real, rel=0.06, abs=0.35)
    assert errors.rms(view, which=slice(17, 20)) == pytest.approx(found[17:20])
    with pytest.raises(Cancelled):
        errors.rms(view, stop)


def test_errors_count_what_is_left_out():
    images = faces()
    analysis, preview = fitted(images)
    errors, out = StackErrors(preview, images), frozenset({1})
    without = errors.rms(view_of(analysis, 6, out))
    real = exact_rms(images, quantize(analysis.without(out), 6, Step.nearest(fine(analysis))).reconstruct())
    assert without == pytest.approx(real, rel=0.06, abs=0.35)
    assert without.mean() > 2 * errors.rms(view_of(analysis, 6)).mean()


def test_errors_count_what_lies_along_no_component():
    """Of a preview that has only some of the components."""
    images = faces()
    analysis, whole = fitted(images)
    preview = Preview(
        whole.header, whole.planes[:4], whole.rows[:4], whole.mean, whole.variances[:4], whole.unit
    )
    view = view_of(analysis, 4)
    assert StackErrors(preview, images).rms(view) == pytest.approx(
        StackErrors(whole, images).rms(view), rel=0.03
    )


def test_exact_errors_are_root_mean_squares():
    images = np.zeros((3, 2, 2, 1), np.uint8)
    other = images.copy()
    other[1, 0, 0] = 8
    other[2] = 5
    assert exact_rms(images, other).tolist() == [0.0, 4.0, 5.0]
    with pytest.raises(DataError, match="cannot be compared"):
        exact_rms(images, other[:2])


def test_the_worst_come_first_if_errors_are_known():
    errors, labels = np.array([1.0, 3.0, 2.0, 3.0], np.float32), np.array([1, 0, 0, 1])
    for by, order in (
        *(("worst", [1, 3, 2, 0]), ("best", [0, 2, 1, 3])),
        *(("number", [0, 1, 2, 3]), ("label", [1, 2, 3, 0])),
    ):
        assert ordered(4, by, errors, labels).tolist() == order
    assert ordered(2, "worst").tolist() == ordered(2, "label", errors[:2]).tolist() == [0, 1]


def test_pictures_are_the_images_of_which_one_band_can_be_shown_brighter():
    images = faces(channels=3)
    analysis, preview = fitted(images)
    pictures = StackPictures(preview, (0, 1, 2), 255.0)
    assert np.array_equal(pictures.of_pixels(images, [4, 2]), images[[4, 2]])
    real = quantize(analysis, 5, Step.nearest(fine(analysis))).reconstruct()
    shown = pictures.reconstructed([7, 0], view_of(analysis, 5))
    assert np.abs(shown.astype(int) - real[[7, 0]]).max() <= 2
    assert np.abs(pictures.mean - images.mean(axis=0)).max() <= 0.51
    band = StackPictures(preview, (2,), 63.75).of_pixels(images // 4, [1])
    assert np.array_equal(band, images[1:2, ..., 2:] // 4 * 4)


def test_pictures_of_large_images_are_averages():
    images = faces(8, 40, 30)
    analysis, preview = fitted(images)
    pictures = StackPictures(preview, (0,), 255.0, most=10)
    blocks = images[3].reshape(10, 4, 30, 1)[:, :, :28].reshape(10, 4, 7, 4, 1).mean(axis=(1, 3))
    assert np.abs(pictures.of_pixels(images, [3])[0][:, :7] - blocks).max() <= 0.51
    everything = view_of(analysis, analysis.n_components)
    assert np.abs(pictures.reconstructed([3], everything)[0].astype(int)[:, :7] - blocks).max() <= 1.5


@pytest.mark.parametrize("most", [96, 6])
def test_any_mixture_of_bands_can_be_shown_stretched(most):
    images = (16 * faces(channels=5).astype(np.uint16)) + 300
    analysis, preview = fitted(images)
    mix = np.random.default_rng(0).uniform(-0.02, 0.04, (5, 3)).astype(np.float32)
    offset = np.array([3.0, -20.0, 40.0], np.float32)
    pictures = StackPictures(preview, (0, 1, 2), 1.0, most, Screen(mix, offset))

    def shown(pixels):
        values = reduced(pixels.astype(np.float32) @ mix, most) + offset
        return np.clip(values, 0, 255)

    assert np.abs(pictures.of_pixels(images, [4])[0] - shown(images[4])).max() <= 0.51
    everything = view_of(analysis, analysis.n_components)
    assert np.abs(pictures.reconstructed([4], everything)[0] - shown(images[4])).max() <= 2
    assert np.abs(pictures.mean - shown(images.mean(axis=0))).max() <= 0.6

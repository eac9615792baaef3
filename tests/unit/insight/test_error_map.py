"""Error maps against plain definitions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcaimage.codec import Analysis, Preview, Screen, Step, quantize
from pcaimage.codec.coding.reduction import reduced
from pcaimage.codec.step import dead_zone
from pcaimage.errors import Cancelled, DataError
from pcaimage.insight.differences import ErrorCounts
from pcaimage.insight.error_map import HEAT, ErrorMap, to_colours
from pcaimage.insight.inspection import RenderSettings
from pcaimage.insight.stack import StackErrors, StackPictures, exact_rms, ordered
from pcaimage.quality import mean_squared_error
from pcaimage.sampling import Stack
from tests.stop import stop


def pair(shape, dtype="uint8", spread=4, seed=0):
    rng = np.random.default_rng(seed)
    peak = np.iinfo(dtype).max
    original = rng.integers(0, peak + 1, shape)
    changed = np.clip(original + np.round(rng.normal(0, spread, shape)), 0, peak)
    return original.astype(dtype), changed.astype(dtype)


def differences(images):
    return images[1].astype(np.float64) - images[0]


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.integers(1, 20),
    st.integers(1, 20),
    st.sampled_from([1, 2, 3, 11]),
    st.sampled_from([("uint8", 4), ("uint8", 300), ("uint16", 50), ("uint16", 60_000)]),
)
def test_the_error_of_a_pixel_is_the_root_mean_square_over_its_channels(height, width, channels, kind):
    images = pair((height, width, channels), *kind)
    found = ErrorMap.of(*images)
    expected = np.sqrt(np.square(differences(images)).mean(axis=-1))
    shown = found.region(0, 0, width, height, 1.0)
    assert shown.dtype == np.float32
    assert np.allclose(shown, expected, atol=found.unit * 0.51, rtol=1e-6)
    assert found.exact_share == pytest.approx((expected == 0).mean())


def test_small_errors_of_deep_images_are_kept_finely_and_the_scale_is_a_power_of_two_above_almost_all():
    assert ErrorMap.of(*pair((9, 9, 3), "uint16", spread=20)).unit == 1 / 16
    assert ErrorMap.of(*pair((9, 9, 3), "uint16", spread=60_000)).unit > 1 / 16
    original = np.full((100, 100, 1), 50, np.uint8)
    changed = original + np.uint8(5)
    changed[0, :20] = 250
    assert ErrorMap.of(original, changed).full_scale == 8


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 5))
def test_a_reduced_pixel_is_the_root_mean_square_of_those_that_it_covers(rows, columns, level):
    side = 1 << level
    images = pair((rows * side, columns * side, 3), seed=rows)
    found = ErrorMap.of(*images)
    cells = np.square(differences(images)).mean(axis=-1).reshape(rows, side, columns, side)
    shown = found.region(0, 0, columns * side, rows * side, 1 / side)
    assert shown.shape == (rows, columns)
    assert np.allclose(shown, np.sqrt(cells.mean(axis=(1, 3))), atol=0.05)


@pytest.mark.parametrize("scale", [2.0, 1.0, 0.7, 0.5, 0.2, 0.01])
@pytest.mark.parametrize("part", [(0, 0, 45, 61), (5, 9, 30, 31), (-20, -3, 500, 400), (44, 60, 45, 61)])
def test_a_region_covers_what_was_asked_for(part, scale):
    found = ErrorMap.of(*pair((61, 45, 3)))
    shown, covered = found.region(*part, scale), found.covered(*part, scale)
    side = (covered[2] - covered[0]) // shown.shape[1]
    assert shown.shape == ((covered[3] - covered[1]) // side, (covered[2] - covered[0]) // side)
    assert side <= max(1, 1 / scale) < 2 * side or shown.size == 1
    left, top, right, bottom = part
    assert covered[0] <= max(left, 0)
    assert covered[1] <= max(top, 0)
    assert covered[2] >= min(right, 45)
    assert covered[3] >= min(bottom, 61)


@pytest.mark.slow
@given(st.integers(1, 30), st.integers(1, 30), st.integers(1, 12))
def test_blocks_at_the_edges_count_only_pixels_that_are_there(height, width, size):
    images = pair((height, width, 3), seed=height)
    blocks = ErrorMap.of(*images).blocks(size)
    squares = np.square(differences(images)).mean(axis=-1)
    assert blocks.shape == (-(-height // size), -(-width // size))
    for (row, column), value in np.ndenumerate(blocks):
        inside = squares[row * size : (row + 1) * size, column * size : (column + 1) * size]
        assert value == pytest.approx(math.sqrt(inside.mean()), abs=0.04)


def test_the_worst_block_comes_first_and_equally_bad_ones_in_reading_order():
    original = np.full((40, 50, 3), 100, np.uint8)
    changed = original.copy()
    changed[17, 49, 1] = 60
    changed[0, 0] = 103
    worst = ErrorMap.of(original, changed).worst(10, 8)
    assert [(w.rank, w.left, w.top, w.right, w.bottom, w.largest) for w in worst] == [
        (1, 48, 16, 50, 24, 40),
        (2, 0, 0, 8, 8, 3),
    ]
    assert worst[0].rms == pytest.approx(math.sqrt(1600 / 3 / 16), abs=0.02)
    equal = ErrorMap.of(original[:24, :24], original[:24, :24] + np.uint8(2)).worst(4, 8)
    assert [(w.left, w.top) for w in equal] == [(0, 0), (8, 0), (16, 0), (0, 8)]


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_an_image_without_any_error_has_a_map_all_the_same(dtype):
    image = np.full((33, 17, 3), 77, dtype)
    found = ErrorMap.of(image, image.copy())
    counts = found.histogram()
    assert found.exact
    assert found.full_scale == 1
    assert not found.region(0, 0, 17, 33, 0.2).any()
    assert not found.blocks(8).any()
    assert found.worst(5, 8) == []
    assert (counts.lowest, counts.counts.tolist()) == (0, [image.size])
    assert (counts.largest, counts.rms, counts.mean, counts.exact_share) == (0, 0.0, 0.0, 1.0)
    assert counts.within(0.99) == 0
    assert counts.psnr(found.peak) == math.inf


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("shape", [(7, 9, 3), (700, 600, 3)])
@pytest.mark.slow
def test_the_histogram_counts_every_value_once(dtype, shape):
    images = pair(shape, dtype, spread=9)
    counts, expected = ErrorCounts.of(*images), differences(images)
    values, numbers = np.unique(expected, return_counts=True)
    found = {int(v): int(n) for v, n in zip(counts.values, counts.counts, strict=True) if n}
    assert found == dict(zip(values.astype(int).tolist(), numbers.tolist(), strict=True))
    assert counts.rms**2 == pytest.approx(mean_squared_error(*images))
    assert counts.mean == pytest.approx(expected.mean())
    assert counts.largest == np.abs(expected).max()
    for share in (0.5, 0.95, 0.99, 1.0):
        assert counts.within(share) == np.quantile(np.abs(expected), share, method="inverted_cdf")


def test_what_is_not_alike_is_not_compared_and_comparing_large_images_can_be_stopped():
    image = np.zeros((4, 4, 3), np.uint8)
    with pytest.raises(DataError, match="cannot be compared"):
        ErrorMap.of(image, image[:3])
    with pytest.raises(DataError, match="uint16"):
        ErrorMap.of(image, image.astype(np.uint16))
    images = pair((1200, 1000, 1))
    with pytest.raises(Cancelled):
        ErrorMap.of(*images, stop)
    with pytest.raises(Cancelled):
        ErrorMap.of(*images).histogram(stop)


def signed_pair(kind):
    rng = np.random.default_rng(3)
    original = rng.normal(0, 9000, (23, 31, 5))
    changed = original + rng.normal(0, 40, original.shape)
    if kind == "float32":
        original, changed = original / 1e5, changed / 1e5
        original[4:6, 7], changed[4:6, 7] = np.nan, np.nan
        original[9, 9, 2], changed[9, 9, 2] = np.nan, np.nan
        changed[0] = original[0]
        return original.astype(np.float32), changed.astype(np.float32)
    return np.rint(original).astype(kind), np.rint(changed).astype(kind)


@pytest.mark.parametrize("kind", ["int16", "float32"])
def test_values_with_a_sign_and_real_numbers_are_compared_too(kind):
    images = signed_pair(kind)
    wrong = np.nan_to_num(differences(images))
    found, counts = ErrorMap.of(*images), ErrorMap.of(*images).histogram()
    assert found.peak == np.nanmax(images[0].astype(float)) - np.nanmin(images[0].astype(float))
    expected = np.sqrt(np.square(wrong).mean(axis=-1))
    assert np.allclose(found.region(0, 0, 31, 23, 1.0), expected, atol=found.unit * 0.51, rtol=1e-5)
    assert found.full_scale >= np.quantile(expected, 0.99)
    assert found.full_scale <= 4 * expected.max()
    worst = found.worst(1, 8)[0]
    block = np.abs(wrong[worst.top : worst.bottom, worst.left : worst.right])
    assert worst.largest == pytest.approx(block.max(), rel=1e-3)
    assert counts.n_values == wrong.size
    assert counts.largest == pytest.approx(np.abs(wrong).max(), rel=1e-3)
    assert counts.rms == pytest.approx(math.sqrt(np.square(wrong).mean()), rel=1e-4)
    assert counts.mean == pytest.approx(wrong.mean(), rel=1e-2)
    assert counts.exact_share == pytest.approx((wrong == 0).mean())
    assert counts.within(0.95) == pytest.approx(np.quantile(np.abs(wrong), 0.95), rel=0.01)
    assert counts.psnr(found.peak) == pytest.approx(20 * math.log10(found.peak / counts.rms))


def test_the_largest_differences_of_signed_values_and_images_in_another_order_are_counted(tmp_path):
    low, high = np.full((2, 2, 1), -32768, np.int16), np.full((2, 2, 1), 32767, np.int16)
    assert ErrorCounts.of(low, high).largest == 65535
    assert ErrorMap.of(low, high).worst(1, 2)[0].largest == 65535
    one, two = signed_pair("int16")
    np.save(tmp_path / "a.npy", np.moveaxis(one, 2, 0))
    mapped = np.moveaxis(np.load(tmp_path / "a.npy", mmap_mode="r"), 0, 2)
    assert np.array_equal(ErrorCounts.of(mapped, two).counts, ErrorCounts.of(one, two).counts)
    real, _ = signed_pair("float32")
    found = ErrorMap.of(real, real.copy())
    assert found.exact
    assert (found.histogram().largest, found.histogram().exact_share) == (0, 1)


def lightness(colours):
    """CIE L* of sRGB colours."""
    linear = np.where(
        colours <= 0.04045 * 255, colours / 255 / 12.92, ((colours / 255 + 0.055) / 1.055) ** 2.4
    )
    y = linear @ np.array([0.2126, 0.7152, 0.0722])
    return 116 * np.where(y > 0.008856, np.cbrt(y), 7.787 * y + 16 / 116) - 16


def test_every_step_is_lighter_by_nearly_the_same():
    light = lightness(HEAT.astype(float))
    assert light[0] < 1
    assert light[-1] > 95
    assert (np.diff(light) > -0.2).all()  # to within the rounding to whole levels
    assert (np.diff(light[::8]) > 1).all()
    assert (np.diff(light[::8]) < 5).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float64, np.float32])
def test_nothing_is_dark_and_full_scale_and_all_beyond_is_bright(dtype):
    colours = to_colours(np.array([[0, 5, 10, 250]], dtype), 10)
    assert colours.shape == (1, 4, 3)
    assert colours.dtype == np.uint8
    assert colours[0].tolist() == HEAT[[0, 127, 255, 255]].tolist()
    values = np.arange(0, 250, 7)
    assert (to_colours(values.astype(dtype), 200) == to_colours(values.astype(np.float32), 200)).all()


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

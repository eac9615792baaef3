"""An image is its mean and all of its components' pictures times their scores."""

import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pcaimage
from pcaimage import Bands, Blocks, Channels, Settings, Stack, api, codec
from pcaimage.codec import Analysis, Drawing, Region, Step, analyse, pictures, quantize
from pcaimage.codec.coding.reduction import reduced
from pcaimage.codec.compressed import traits_of
from pcaimage.codec.linear.bands import BandsAnalysis
from pcaimage.codec.methods import method_of
from pcaimage.codec.photo import layout
from pcaimage.errors import Cancelled, FormatError, SettingsError
from pcaimage.sampling import Lapped

WHOLE = Region(0, 0, 10_000, 10_000)

CASES = {
    "blocks": ((40, 48, 3), 255, Blocks(8), False),
    "grey blocks": ((33, 31, 1), 255, Blocks(4), False),
    "standardised": ((40, 48, 3), 255, Blocks(4), True),
    "deep": ((30, 25, 3), 65535, Blocks(5), False),
    "channels": ((20, 23, 7), 255, Channels(), True),
    "stack": ((6, 20, 24, 3), 255, Stack(), False),
}


def scene(*shape, peak=255):
    """Return a picture that stays clear of the ends of its type, so that nothing is clipped."""
    waves = np.zeros(shape)
    for index, axis in enumerate(np.indices(shape)):
        waves = waves + np.sin(axis / (3 + 2 * index) + index)
    noise = np.random.default_rng(2).normal(0, 0.2, shape)
    picture = peak * (0.5 + 0.05 * waves + 0.05 * noise)
    return np.rint(picture.clip(0.2 * peak, 0.8 * peak)).astype(np.uint8 if peak < 256 else np.uint16)


@pytest.fixture(params=CASES)
def case(request):
    shape, peak, sampling, standardize = CASES[request.param]
    array = scene(*shape, peak=peak)
    return array, analyse(array, sampling, standardize=standardize)


def samples_of(shown):
    return [tuple(place) for place in np.argwhere(shown.score_plane(1) < np.inf)]


def mean_of(shown, analysis):
    return analysis.pca.mean_.reshape(shown.component_picture(1).shape)


def part_of(array, shown, row, column):
    """Return the pixels of a sample, as far as they are of the image."""
    size = shown.sample_size
    if not size:
        return array[column]
    return array[row * size : (row + 1) * size, column * size : (column + 1) * size]


def sums(shown, analysis, keep=None):
    """Return mean + score x component + ... of every sample."""
    n = len(shown.variances)
    parts = {j: shown.component_picture(j).astype(np.float64) for j in range(1, n + 1)}
    mean, result = mean_of(shown, analysis), {}
    for row, column in samples_of(shown):
        scores = shown.scores_at(row, column)
        terms = [scores[j - 1] * parts[j] for j in parts if keep is None or j in keep]
        result[row, column] = mean + sum(terms)
    return result


@pytest.mark.sweep(3)
def test_mean_and_components_times_scores_are_the_image(case):
    array, analysis = case
    peak = analysis.header.peak
    shown = pictures(analysis)
    for place, total in sums(shown, analysis).items():
        expected = part_of(array, shown, *place)
        inside = total[: len(expected), : expected.shape[1]]
        assert np.abs(inside - expected).max() < 0.01 * peak


def rendered(shown, frame, left_out=frozenset()):
    return shown.render(WHOLE, 1.0, len(shown.variances), Drawing(frame=frame, left_out=left_out)).pixels


@pytest.mark.sweep(3)
def test_rendering_leaves_out_what_is_to_be_left_out(case):
    _, analysis = case
    shown = pictures(analysis)
    everything = frozenset(range(1, len(shown.variances) + 1))
    for gone in (frozenset({1}), frozenset({2, 3, 900}), everything - {2}, everything):
        expected = sums(shown, analysis, set(everything - gone))
        for (row, column), total in expected.items():
            whole = rendered(shown, column if not shown.sample_size else 0, gone).astype(np.float64)
            part = part_of(whole, shown, row, column) if shown.sample_size else whole
            inside = total[: len(part), : part.shape[1]] * (255 / analysis.header.peak)
            assert np.abs(inside.clip(0, 255) - part).max() < 1.2
            if (row, column) > (1, 2):
                break


def test_a_file_has_the_same_parts_as_the_image_but_for_rounding(case):
    _, analysis = case
    k, step = 3, Step.nearest(analysis.finest_step)
    first, second = pictures(analysis), pictures(quantize(analysis, k, step))
    place = samples_of(first)[-1]
    assert second.scores_at(*place).shape == (k,)
    for number in range(1, k + 1):
        one, other = first.component_picture(number), second.component_picture(number)
        assert np.abs(one - other).max() < 0.02 * np.abs(one).max()
        gap = np.abs(first.score_plane(number) - second.score_plane(number)).max()
        assert gap < 0.02 * np.abs(first.score_plane(number)).max() + float(step)
    assert np.allclose(
        second.scores_at(*place), [second.score_plane(j)[place] for j in range(1, k + 1)], rtol=1e-6
    )


def test_components_are_orthonormal_unless_features_were_standardised(case):
    _, analysis = case
    shown = pictures(analysis)
    found = np.array([shown.component_picture(j).ravel() for j in (1, 2)])
    wanted = analysis.pca.components_[:2] * analysis.pca.scale_
    assert np.abs(found - wanted).max() < 1e-5 * np.abs(wanted).max()


@pytest.mark.parametrize("scale", [0.5, 0.125, 1 / 16, 1 / 40])
def test_reduced_views_leave_out_as_well(scale):
    array = scene(80, 96, 3)
    shown = pictures(Analysis.fit(array, Blocks(8)))
    view = shown.render(WHOLE, scale, 60, Drawing(left_out=frozenset(range(1, 61))))
    mean = array.reshape(-1, 3).mean(axis=0)
    # Without any component each cell is the mean block's.
    assert np.abs(view.pixels.mean(axis=(0, 1)) - mean).max() < 1
    others_out = shown.render(WHOLE, scale, 60, Drawing(left_out=frozenset(range(3, 61)))).pixels
    assert np.array_equal(others_out, shown.render(WHOLE, scale, 2).pixels)


def test_parts_come_no_larger_than_asked_for():
    shown = pictures(Analysis.fit(scene(4, 40, 60, 3), Stack()))
    small = shown.component_picture(1, most=16)
    whole = shown.component_picture(1).reshape(10, 4, 15, 4, 3)
    assert np.allclose(small, whole.mean(axis=(1, 3)), atol=1e-6)
    assert shown.score_plane(1).shape == (1, 4)
    pixels = pictures(BandsAnalysis.fit_bands(scene(50, 70, 5)))
    assert pixels.score_plane(1).shape == (50, 70)
    assert pixels.score_plane(1, most=20).shape == (13, 18)
    assert pixels.component_picture(2).shape == (1, 1, 5)
    numbers = np.arange(35.0).reshape(5, 7)
    found = reduced(numbers, 3)  # averages at the edges are of what there is
    assert found.shape == (2, 3)
    assert found[0, 0] == numbers[:3, :3].mean()
    assert found[1, 2] == numbers[3:, 6:].mean()


def test_components_that_there_are_not_are_refused():
    shown = pictures(Analysis.fit(scene(160, 160, 3), Blocks(8)))
    for number in (0, -1, 193):
        for part in (shown.component_picture, shown.score_plane):
            with pytest.raises(SettingsError, match=f"192 components; there is no component {number}"):
                part(number)
    for row, column in ((20, 0), (0, -1)):
        with pytest.raises(
            SettingsError, match=f"20 × 20 samples; there is none in row {row}, column {column}"
        ):
            shown.scores_at(row, column)


GOLDEN = sorted((Path(__file__).resolve().parents[2] / "golden").glob("*.pcai"))
OWN = [path for path in GOLDEN if not path.name.startswith("lent-")]


@pytest.fixture
def photo(monkeypatch):
    """Return a photo of seven slices."""
    monkeypatch.setattr(layout, "SLICE_BLOCKS", 60)
    monkeypatch.setattr("pcaimage.codec.decoding.STRIP", 4000)
    y, x = np.mgrid[0:333, 0:83].astype(float)
    picture = np.stack([128 + 90 * np.sin(x / 9 + y / (11 + c)) for c in range(3)], axis=-1)
    encoding = api.compress_array(picture.astype(np.uint8), Settings(lossless=True))
    assert len(layout.PhotoLayout(encoding.compressed.header).slices) == 7
    return encoding.compressed


@pytest.mark.parametrize("path", OWN, ids=[path.stem for path in OWN])
@pytest.mark.sweep(28)
def test_strips_make_the_same_image(path):
    compressed = api.open_file(path).compressed
    for k in {None, compressed.k, compressed.k // 2, 0}:
        whole = codec.decompress(compressed, k).reshape(compressed.header.shape)
        strips = list(codec.decode_strips(compressed, k))
        assert {strip.dtype for strip in strips} == {whole.dtype}
        np.testing.assert_array_equal(np.concatenate(strips), whole)


@pytest.mark.parametrize("height", range(1, 34))
@pytest.mark.slow
def test_photos_of_every_height_make_the_same_image(monkeypatch, height):
    monkeypatch.setattr(layout, "SLICE_BLOCKS", 2)
    monkeypatch.setattr(layout, "LOWEST", 1)  # as other programs may write them
    rng = np.random.default_rng(height)
    picture = rng.integers(0, 256, (height, 11, 1), np.uint8)
    compressed = api.compress_array(picture, Settings(k=20, step=9.0)).compressed
    strips = np.concatenate(list(codec.decode_strips(compressed)))
    np.testing.assert_array_equal(strips, codec.decompress(compressed))


@pytest.mark.slow
def test_lines_come_before_the_last_slices_are_decoded(photo):
    k, reported = 12, list[float]()
    strips = codec.decode_strips(photo, k, lambda done, total: reported.append(done / total))
    found = [next(strips)]
    # Some slices are decoded ahead; those at the end cannot have been, or all would be in memory at once.
    assert max(reported) < 1
    found += strips
    assert reported[-1] == 1
    assert reported == sorted(reported)
    np.testing.assert_array_equal(np.concatenate(found), codec.decompress(photo, k))


@pytest.mark.slow
@pytest.mark.parametrize("k", [None, 12], ids=["residual", "components"])
def test_who_has_had_enough_stops_the_threads(photo, k):
    def stop(done, total):
        if done > total // 2:
            raise Cancelled("Interrupted.")

    before = threading.active_count()
    strips = codec.decode_strips(photo, k)
    next(strips)
    strips.close()
    assert threading.active_count() == before
    with pytest.raises(Cancelled):
        list(codec.decode_strips(photo, k, stop))
    assert threading.active_count() == before
    damaged = replace(photo, residual=photo.residual[:-1])
    with pytest.raises(FormatError, match="corrections are damaged"):
        list(codec.decode_strips(damaged))


SAMPLINGS = [Blocks(8), Channels(), Stack(), Lapped(), Bands()]


@pytest.fixture
def array():
    return np.random.default_rng(4).integers(0, 256, (24, 32, 3)).astype(np.uint8)


@pytest.mark.slow
def test_what_a_header_tells_of_its_method_loads_no_method():
    code = (
        "import sys; from pcaimage.codec import Header, Step; from pcaimage.sampling import Lapped;"
        "header = Header((8, 8, 3), 'uint8', Lapped(), Step.nearest(1));"
        "assert header.can_be_lossless and header.max_components == 192 and header.traits.separable;"
        "assert not {'pcaimage.codec.photo.slices', 'pcaimage.core.library'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("sampling", [Blocks(8), Lapped()])
def test_a_method_refuses_what_another_one_made_and_only_many_bands_have_corrections(sampling, array):
    other = codec.analyse(array, Lapped() if isinstance(sampling, Blocks) else Blocks(8))
    method = method_of(sampling)
    with pytest.raises(TypeError, match="another method"):
        method.quantize(other, 3, codec.Step.nearest(20.0), lambda _done, _total: None)
    with pytest.raises(TypeError, match="another method"):
        method.estimates(other)
    with pytest.raises(SettingsError, match="no corrections"):
        codec.corrections(other, 3, 20.0, 1.0)


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_every_kind_of_samples_has_a_method_and_only_those_with_a_residual_are_lossless(sampling):
    expected = "PhotoMethod" if isinstance(sampling, Lapped) else "LinearMethod"
    assert type(method_of(sampling)).__name__ == expected
    shape = (3, 1, 32, 3) if isinstance(sampling, Stack) else (24, 32, 3)
    array = np.random.default_rng(6).integers(0, 3, shape, np.uint8)
    if traits_of(sampling).lossless or isinstance(sampling, Stack):
        data = pcaimage.encode(array, Settings(sampling, lossless=True))
        assert codec.error_bound(api.open_bytes(data).compressed) == 0
        assert np.array_equal(pcaimage.decode(data), array)
        return
    with pytest.raises(SettingsError, match="without loss"):
        Settings(sampling, lossless=True)

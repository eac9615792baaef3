"""An image without some of its components: a smaller file that shows what was seen without them."""

from dataclasses import replace

import numpy as np
import pytest

from pcaimage import codec, container
from pcaimage.codec.linear.analysis import pseudoinverse
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.errors import SettingsError
from pcaimage.quality import mean_squared_error, psnr_of_mse
from pcaimage.sampling import Blocks, Channels, Lapped, Stack

WHOLE = codec.Region(0, 0, 10_000, 10_000)
GONE = frozenset({2, 3, 7})

pytestmark = pytest.mark.sweep(2)
METHODS = {
    "photo": (Lapped(), False),
    "blocks": (Blocks(8), False),
    "standardised": (Blocks(4), True),
    "channels": (Channels(), False),
    "stack": (Stack(), False),
}


@pytest.fixture(scope="module", params=METHODS)
def image(request, astronaut):
    sampling, standardize = METHODS[request.param]
    array = np.ascontiguousarray(astronaut[:136, 24:144])
    if isinstance(sampling, Channels):
        array = np.concatenate([array, np.roll(array, 3, 0), np.roll(array, 5, 1)], axis=2)
    if isinstance(sampling, Stack):
        array = np.stack([np.roll(array, 2 * number, axis=1) for number in range(9)])
    return array, codec.analyse(array, sampling, standardize=standardize, basis=codec.Basis.BUILTIN)


def encoded(array, analysis, k, step):
    return codec.complete(array, analysis, codec.quantize(analysis, k, step))


def size(encoding):
    return len(container.write(encoding.compressed))


def place(analysis):
    """Return a k with which all that is left out would be kept, and its step."""
    k = max(analysis.n_components * 2 // 3, 7)
    if isinstance(analysis, PhotoAnalysis):
        k = analysis.k_for_step(12.0)
    return k, analysis.step_for(k)


@pytest.mark.slow
def test_variances_k_and_step_remain_those_of_the_whole_image_in_a_smaller_file_as_is_estimated(image):
    array, analysis = image
    k, step = place(analysis)
    fewer = analysis.without(GONE)
    assert (fewer.left_out, analysis.left_out) == (GONE, frozenset())
    assert np.array_equal(fewer.variances, analysis.variances)
    assert (fewer.n_components, fewer.step_for(k)) == (analysis.n_components, step)
    assert fewer.k_for_variance(0.9) == analysis.k_for_variance(0.9)
    whole, without = (encoded(array, which, k, step) for which in (analysis, fewer))
    one, other = whole.compressed, without.compressed
    shrunk = replace(other.header, strengths=one.header.strengths)  # they follow from the scores
    assert (other.k, shrunk) == (one.k, one.header)
    assert np.array_equal(other.spectrum, one.spectrum)
    # A score that is left out no longer tells of others: another one may cost a few bytes.
    assert size(whole) > max(size(without), size(encoded(array, analysis.without(GONE | {6}), k, step)))
    estimate = codec.estimates(fewer).estimate(k, float(step))
    psnr = psnr_of_mse(mean_squared_error(array, without.decoded()), 255)
    assert psnr < 35
    # A few samples, as a stack has, do not tell much.
    assert estimate.psnr == pytest.approx(psnr, abs=0.5 if array.ndim == 4 else 0.2)
    assert estimate.n_bytes == pytest.approx(size(without), rel=0.04)


@pytest.mark.slow
def test_the_file_shows_what_was_seen(image):
    array, analysis = image
    k, step = analysis.n_components, codec.Step.nearest(1.0 if analysis.finest_step >= 0.25 else 1 / 64)
    shown = codec.pictures(analysis).render(WHOLE, 1.0, k, codec.Drawing(left_out=GONE)).pixels
    found = codec.quantize(analysis.without(GONE), k, step).reconstruct()
    found = found[0] if array.ndim == 4 else found
    part = shown[: len(found), : found.shape[1]]
    whole = array[0] if array.ndim == 4 else array
    lacking = np.abs(part.astype(float) - whole).mean()
    assert np.abs(part.astype(float) - found).mean() < min(0.2 * lacking, 1)


@pytest.mark.parametrize("scale", [1.0, 0.4, 0.125, 1 / 16])
@pytest.mark.parametrize("gone", [GONE, frozenset({1}), frozenset({1, 2, 3, 4, 5, 6, 7})])
@pytest.mark.sweep(12)
def test_pictures_of_it_are_those_that_leave_out(image, gone, scale):
    _, analysis = image
    k, step = place(analysis)
    first, second = codec.pictures(analysis), codec.pictures(analysis.without(gone))
    for of in (None, float(step)):
        expected = first.render(WHOLE, scale, k, codec.Drawing(step=of, left_out=gone)).pixels
        assert np.array_equal(second.render(WHOLE, scale, k, codec.Drawing(step=of)).pixels, expected)
    scores, whole = second.scores_at(0, 1), first.scores_at(0, 1)
    for index in range(analysis.n_components):
        assert scores[index] == (0 if index + 1 in gone else whole[index])
    assert not second.variances[[number - 1 for number in gone]].any()


def test_scores_are_zero_in_the_file(image):
    _, analysis = image
    k, step = place(analysis)
    shown = codec.pictures(codec.quantize(analysis.without(GONE), k, step))
    for number in sorted(GONE):
        plane, before = shown.score_plane(number), codec.pictures(analysis).score_plane(number)
        # Of a photo's zeros, too, only what the means do not foretell is coded, with an error of its own.
        assert np.abs(plane).max() <= (float(step) if isinstance(analysis, PhotoAnalysis) else 0)
        assert np.abs(before).max() > 1


def test_left_out_components_add_up_share_the_memory_and_are_there(image):
    _, analysis = image
    fewer = analysis.without(frozenset({2})).without(frozenset({5}))
    assert fewer.left_out == {2, 5}
    if isinstance(analysis, PhotoAnalysis):
        assert fewer.planes is analysis.planes
    else:
        assert fewer.samples is analysis.samples
    count = analysis.n_components
    for number in (0, -3, 1000):
        with pytest.raises(SettingsError, match=f"{count} components; component {number} cannot be left out"):
            analysis.without(frozenset({1, number}))


def test_a_thumbnail_does_not_show_them_either(astronaut):
    analysis = codec.analyse(astronaut, Blocks(8))
    everything = frozenset(range(1, 31))
    encoding = encoded(astronaut, analysis.without(everything), 30, codec.Step.nearest(8.0))
    assert encoding.compressed.preview is None or np.ptp(encoding.compressed.preview, axis=(0, 1)).max() <= 2


@pytest.mark.parametrize("sampling", [Lapped(), Blocks(4)])
@pytest.mark.slow
def test_settings_leave_out_and_reach_their_target(astronaut, sampling):
    array = np.ascontiguousarray(astronaut[:96, :96])

    def compressed(**how):
        return codec.compress(array, codec.Settings(sampling, **how), lambda file: len(container.write(file)))

    whole, fewer = compressed(k=40), compressed(k=40, leave_out=(30, 12, 12))
    assert fewer.compressed.k == whole.compressed.k
    assert fewer.compressed.header.step == whole.compressed.header.step
    assert size(fewer) <= size(whole)
    assert 2850 < size(compressed(size=3000, leave_out=frozenset({30}))) <= 3000
    good = compressed(psnr=29.0, leave_out=(30,))
    assert 29 <= psnr_of_mse(mean_squared_error(array, good.decoded()), 255) <= 29.1


def test_settings_refuse_what_cannot_be_left_out(astronaut):
    with pytest.raises(SettingsError, match="counted from 1; 0 cannot be left out"):
        codec.Settings(leave_out=(3, 0))
    with pytest.raises(SettingsError, match="keeps every pixel, so no component can be left out"):
        codec.Settings(lossless=True, leave_out=(3,))
    with pytest.raises(SettingsError, match="192 components; component 193 cannot be left out"):
        codec.compress(astronaut, codec.Settings(leave_out=(193,)), lambda _: 0)


@pytest.mark.parametrize("left_out", [[], [0], [1, 2, 6], [0, 1, 2, 3, 4, 5, 6]])
@pytest.mark.parametrize("n_features", [7, 48, 192])
def test_components_that_are_left_out_get_no_score_and_change_no_other(left_out, n_features):
    rng = np.random.default_rng(n_features)
    components = np.linalg.qr(rng.normal(size=(n_features, n_features)))[0]
    rows = np.rint(components * 1024) / 1024
    rows[left_out] = 0
    kept = np.delete(np.arange(n_features), left_out)
    inverse = pseudoinverse(rows)
    assert inverse.shape == (n_features, n_features)
    assert not inverse[:, left_out].any()
    assert np.allclose(rows[kept] @ inverse[:, kept], np.eye(len(kept)), atol=1e-12)

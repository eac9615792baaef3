"""From an image to integers: steps, precisions, the cost of rounding, unusual images."""

import math
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest
from skimage import data

import pcaimage
from pcaimage import Bands, Blocks, Channels, Metadata, Settings, Stack, container
from pcaimage.codec import Analysis, RateModel, Step, analyse, complete, compress, decompress, resolve
from pcaimage.codec.estimates import rounded_mse
from pcaimage.codec.linear.quantize import precisions, quantize
from pcaimage.codec.linear.rates import measured_components
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.targets import measured_psnr
from pcaimage.errors import DataError, SettingsError, TargetError
from pcaimage.quality import mean_squared_error, psnr_of_mse
from pcaimage.sampling import Lapped


def noise(*shape, dtype="uint8", low=0):
    return np.random.default_rng(0).integers(low, np.iinfo(dtype).max + 1, shape).astype(dtype)


def psnr(array, coded):
    """Return the PSNR of a file of an image, in dB."""
    return psnr_of_mse(mean_squared_error(pcaimage.decode(coded), array), np.iinfo(array.dtype).max)


def file_size(array, analysis, k, step):
    return len(container.write(complete(array, analysis, quantize(analysis, k, step)).compressed))


def test_step_follows_the_water_level_under_which_scores_are_mostly_zero(fitted):
    _, analysis, _ = fitted
    for k in (1, 7, 40, 100):
        step = float(analysis.step_for(k))
        assert step == pytest.approx(analysis.reach * math.sqrt(12 * analysis.variances[k]), rel=1 / 4096)
        assert abs(analysis.k_for_step(step) - k) <= 1
    assert analysis.finest_step == 0.5
    steps = [float(analysis.step_for(k)) for k in range(1, analysis.n_components + 1)]
    assert steps == sorted(steps, reverse=True)
    model = quantize(analysis, 60, analysis.step_for(30))
    assert np.count_nonzero(model.scores[59]) < 0.2 * model.scores.shape[1]


def test_the_last_component_costs_no_more_than_those_before_it(fitted):
    array, analysis, _ = fitted
    last = analysis.n_components
    sizes = [len(pcaimage.encode(array, Settings(Blocks(8), k=k))) for k in (last - 4, last - 1, last)]
    assert 0 < sizes[2] - sizes[1] < 2 * (sizes[1] - sizes[0])
    steps = [float(analysis.step_for(k)) for k in (last - 1, last)]
    assert 0.8 < steps[1] / steps[0] < 1


def test_a_few_large_images_are_nearly_as_good_as_their_components():
    shown = [data.camera(), data.coins(), data.moon(), data.page(), data.brick(), data.text()]
    stack = np.stack([image[:128, :128] for image in shown])
    samples = stack.reshape(len(stack), -1) - stack.reshape(len(stack), -1).mean(axis=0)
    squares = np.square(np.linalg.svd(samples, compute_uv=False))
    for k in (1, 2, 3, 4):
        encoded = pcaimage.encode(stack, Settings(Stack(), k=k))
        mse = mean_squared_error(stack, pcaimage.decode(encoded))
        dropped = squares[k:].sum() / samples.size
        assert dropped * 0.9 < mse < dropped * 1.5 + 10
        estimate = RateModel(Analysis.fit(stack, Stack())).estimate(k)
        assert estimate.psnr == pytest.approx(psnr_of_mse(mse, 255), abs=0.4)


@pytest.mark.slow
def test_with_all_of_a_few_components_errors_are_hardly_seen(astronaut):
    array = noise(64, 64, 3)
    for last in (1, 3):
        part = array[..., :last]
        assert 45 < psnr(part, pcaimage.encode(part, Settings(Channels(), k=last))) < 50
    coded = pcaimage.encode(astronaut, Settings(Channels(), size=10_000_000))  # more than is needed
    assert np.abs(pcaimage.decode(coded).astype(int) - astronaut).max() <= 1


def test_the_next_k_is_one_whose_component_is_not_rounded_to_zero():
    class Waters(Spectrum):
        """Components of some variances, in an order of their own."""

        finest_step, total_variance = 0.5, 1453.0
        variances = np.array((900.0, 100.0, 1.0, 2.0, 400.0, 30.0, 20.0, 0.0))

    sinking = Waters()
    assert [sinking.next_k(k, 1) for k in range(1, 9)] == [5, 5, 5, 5, 6, 7, 7, 8]
    assert [sinking.next_k(k, -1) for k in range(1, 9)] == [1, 1, 1, 1, 1, 5, 6, 7]
    assert (sinking.next_k(1, 10), sinking.next_k(7, -10)) == (7, 1)


def test_variance_chooses_the_smallest_k_that_reaches_it(fitted):
    _, analysis, _ = fitted
    for ratio in (0.5, 0.9, 0.99, 0.9999):
        k = analysis.k_for_variance(ratio)
        assert analysis.ratios[k] >= ratio
        assert k == 1 or analysis.ratios[k - 1] < ratio
    assert analysis.k_for_variance(1.0) <= analysis.n_components
    assert analysis.k_for_variance(1e-9) == 1


def test_squared_error_is_the_variance_left_out(fitted):
    array, analysis, _ = fitted
    count = analysis.header.n_samples
    for k in (5, 60):
        model = quantize(analysis, k, Step.nearest(0.02))
        header = model.header
        rows = np.ldexp(model.entries.astype(float), -np.array(model.precisions)[:, None]) * float(
            header.step
        )
        samples = model.scores.T @ rows + np.ldexp(model.mean.astype(float), -header.mean_bits)
        wrong = float(np.square(samples - header.sampling.to_samples(array)).sum())
        assert wrong == pytest.approx((count - 1) * analysis.variances[k:].sum(), rel=1e-5)


@pytest.fixture(scope="module")
def photograph():
    return Analysis.fit(data.astronaut(), Blocks(8))


@pytest.mark.parametrize("k", [3, 20, 80, 150])
@pytest.mark.sweep(2)
def test_rounding_the_basis_of_a_photograph_costs_little(photograph, k, monkeypatch):
    monkeypatch.setattr("pcaimage.codec.linear.quantize.PRICE", 0.0)
    array, analysis = data.astronaut(), photograph
    step = analysis.step_for(k)
    scores = np.rint(analysis.scores(k) / float(step)) * float(step)
    exact = scores.T @ analysis.pca.components_[:k] + analysis.pca.mean_
    whole = np.clip(np.floor(exact + 0.5), 0, 255).astype(np.uint8)
    image = analysis.header.sampling.from_samples(whole, analysis.header.shape)
    ideal = psnr_of_mse(mean_squared_error(array, image), 255)
    assert measured_psnr(array, quantize(analysis, k, step)) > ideal - 0.15


def test_scores_of_some_samples_are_those_of_all(fitted):
    _, analysis, _ = fitted
    which = np.array([5, 0, 99])
    np.testing.assert_allclose(analysis.scores_of(which), analysis.scores()[:, which], atol=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("k", [10, 60, 120])
def test_estimates_follow_the_file_and_take_a_step_of_their_own(fitted, k):
    array, analysis, _ = fitted
    rates = RateModel(analysis)
    estimate = rates.estimate(k)
    model = quantize(analysis, k, analysis.step_for(k))
    assert estimate.n_bytes == pytest.approx(file_size(array, analysis, k, analysis.step_for(k)), rel=0.03)
    assert estimate.psnr == pytest.approx(measured_psnr(array, model), abs=0.5)
    assert estimate.step == float(analysis.step_for(k))
    assert psnr_of_mse(estimate.mse, 255) == pytest.approx(estimate.psnr)
    assert not rates.knows(10.0)
    fine, coarse = rates.estimate(40, 4.0), rates.estimate(40, 30.0)
    assert fine.n_bytes > coarse.n_bytes
    assert fine.psnr > coarse.psnr
    assert (fine.k, fine.step) == (40, 4.0)
    assert [rates.knows(step) for step in (4.0, 30.0, 1000.0)] == [True, True, False]


@pytest.mark.parametrize(
    ("sampling", "standardize", "k"),
    [(Blocks(4), False, 12), (Channels(), False, 2), (Blocks(8), True, 30), (Blocks(16), False, 40)],
)
@pytest.mark.slow
def test_estimates_follow_the_file_of_other_methods(astronaut, sampling, k, *, standardize):
    analysis = analyse(astronaut, sampling, standardize=standardize)
    estimate, step = RateModel(analysis).estimate(k), analysis.step_for(k)
    assert estimate.n_bytes == pytest.approx(file_size(astronaut, analysis, k, step), rel=0.04)
    assert estimate.psnr == pytest.approx(measured_psnr(astronaut, quantize(analysis, k, step)), abs=0.3)


def test_estimates_of_a_sampled_image_follow_the_file(astronaut, monkeypatch):
    monkeypatch.setattr("pcaimage.codec.linear.rates.SAMPLE_NUMBERS", astronaut.size // 4)
    analysis = Analysis.fit(astronaut, Blocks(4))
    rates = RateModel(analysis)
    for k in (10, 25):
        size = file_size(astronaut, analysis, k, analysis.step_for(k))
        assert rates.estimate(k).n_bytes == pytest.approx(size, rel=0.15)


@pytest.mark.slow
def test_estimates_of_many_components_not_all_of_which_are_coded_follow_the_file():
    assert measured_components(192) == list(range(192))
    many = measured_components(784)
    assert many[:192] == list(range(192))
    assert many[-1] == 783
    assert len(many) < 230
    rng = np.random.default_rng(4)
    waves = np.sin(np.outer(np.arange(300) + 1, np.linspace(0, 9, 324)) + rng.uniform(0, 6, (300, 1)))
    images = 128 + (rng.normal(0, 1, (330, 300)) * 60 * 0.98 ** np.arange(300)) @ waves / 4
    array = np.clip(images + rng.normal(0, 2, images.shape), 0, 255).astype(np.uint8).reshape(330, 18, 18, 1)
    analysis = Analysis.fit(array, Stack())
    size = file_size(array, analysis, 270, analysis.step_for(270))
    assert RateModel(analysis).estimate(270).n_bytes == pytest.approx(size, rel=0.05)


@pytest.mark.slow
def test_curve_rises_with_k_and_reports_progress(astronaut):
    analysis = Analysis.fit(astronaut[:72, :72], Blocks(4))
    reports = []
    curve = RateModel(analysis).curve(lambda done, total: reports.append((done, total)))
    assert [estimate.k for estimate in curve] == list(range(1, 49))
    assert reports == [(done, 48) for done in range(1, 49)]
    assert all(a.psnr < b.psnr + 0.2 for a, b in pairwise(curve))
    assert all(a.n_bytes < 1.02 * b.n_bytes for a, b in pairwise(curve))


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        *(Settings(psnr=target) for target in (25.0, 37.5, 52.0)),
        *(Settings(Channels(), psnr=38.0), Settings(Blocks(4), psnr=33.0, standardize=True)),
    ],
)
def test_quality_asked_for_is_reached_or_a_tenth_of_a_decibel_more(astronaut, settings):
    assert settings.psnr <= psnr(astronaut, pcaimage.encode(astronaut, settings)) <= settings.psnr + 0.1


@pytest.mark.slow
def test_a_small_image_comes_as_near_to_a_quality_as_it_can(astronaut):
    few = np.ascontiguousarray(astronaut[:48, :64])
    for target in (31.0, 34.0, 40.0):
        coded = pcaimage.encode(few, Settings(psnr=target))
        psnr = psnr_of_mse(mean_squared_error(few, pcaimage.decode(coded)), 255)
        assert target <= psnr <= target + 1.4  # a single mean more is two decibels


@pytest.mark.parametrize("target", [2500, 40_000])
@pytest.mark.sweep(2)
def test_size_asked_for_is_never_exceeded_and_nearly_used(astronaut, target):
    size = len(pcaimage.encode(astronaut, Settings(size=target)))
    assert 0.97 * target <= size <= target


@pytest.mark.slow
def test_size_asked_for_includes_opacity_and_metadata(astronaut):
    astronaut = astronaut[:96, :96]
    alpha = noise(96, 96) // 64
    size = len(
        pcaimage.encode(
            astronaut,
            Settings(size=12_000),
            alpha=alpha,
            metadata=Metadata("photo.png", 123, np.random.default_rng(0).bytes(2000)),
        )
    )
    assert 0.97 * 12_000 <= size <= 12_000


@pytest.mark.slow
def test_a_quality_above_all_is_refused_one_below_all_exceeded_and_the_smallest_size_named(astronaut):
    astronaut = astronaut[:96, :96]
    with pytest.raises(TargetError, match=r"150 dB cannot be reached"):
        pcaimage.encode(astronaut, Settings(psnr=150))
    coarsest = pcaimage.encode(astronaut, Settings(psnr=3))
    assert psnr(astronaut, coarsest) > 3
    assert len(coarsest) < 300
    with pytest.raises(TargetError, match=r"100 bytes are too few .* smallest file has \d{3} bytes"):
        pcaimage.encode(astronaut, Settings(Blocks(8), size=100))


@pytest.mark.parametrize("sampling", [None, Blocks(8), Channels(), Bands(), Stack()])
def test_a_blank_page_is_better_than_any_quality_asked_for(sampling):
    page = np.full((2, 9, 9, 3) if sampling == Stack() else (40, 33, 3), 255, np.uint8)
    for asked in ({"psnr": 40.0}, {"ssim": 0.95}, {"size": 5000}):
        data = pcaimage.encode(page, Settings(sampling, **asked))  # each is of its type
        assert np.array_equal(pcaimage.decode(data), page)


UNUSUAL = {
    "one pixel": (noise(1, 1, 3), Blocks(8)),
    "one pixel's channels": (noise(1, 1, 5), Channels()),
    "one number": (noise(1, 1), Channels()),
    "constant": (np.full((20, 20, 3), 99, np.uint8), Blocks(8)),
    "black": (np.zeros((9, 9), np.uint8), Blocks(4)),
    "white, 16 bits": (np.full((9, 9, 2), 65535, np.uint16), Channels()),
    "fewer samples than features": (noise(16, 16, 3), Blocks(8)),
    "grey without channels": (noise(30, 20), Blocks(4)),
    "two channels": (noise(12, 10, 2), Channels()),
    "16 bits, full range": (noise(32, 32, 3, dtype="uint16"), Blocks(4)),
    "bright, 16 bits": (noise(40, 40, 3, dtype="uint16", low=60_000), Channels()),
    "198 bands": (
        (noise(12, 11, 1) * np.linspace(0, 250, 198) + noise(12, 11, 198) % 16).astype("uint16"),
        Channels(),
    ),
    "stack": (noise(10, 8, 8, 3), Stack()),
    "stack of one": (noise(1, 8, 8), Stack()),
    "one row": (noise(1, 90, 3), Blocks(8)),
    "one feature varies": (
        np.arange(300, dtype=np.uint16).reshape(10, 10, 3) * np.array([1, 0, 0], np.uint16),
        Channels(),
    ),
}


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("name", UNUSUAL)
@pytest.mark.sweep(16)
def test_unusual_images_decode_at_every_k(name, *, standardize):
    array, sampling = UNUSUAL[name]
    analysis = Analysis.fit(array, sampling, standardize=standardize)
    peak = np.iinfo(array.dtype).max
    errors = []
    for k in sorted(
        {1, 2, analysis.n_components // 2, analysis.n_components} & set(range(1, analysis.n_components + 1))
    ):
        finest = analysis.finest_step if k == analysis.n_components else None
        coded = pcaimage.encode(array, Settings(sampling, k=k, step=finest, standardize=standardize))
        decoded = pcaimage.decode(coded)
        assert (decoded.shape, decoded.dtype) == (array.shape, array.dtype)
        errors.append(mean_squared_error(decoded, array))
    # Of noise one more component may cost more than it is worth, and is zero nearly everywhere.
    assert all(later <= 1.001 * earlier for earlier, later in pairwise(errors))
    assert psnr_of_mse(errors[-1], peak) > 58


@pytest.mark.slow
def test_sixteen_bits_stay_exact_with_every_component_and_steps_too_small_for_them_are_refused():
    smooth = (np.add.outer(np.arange(0, 256, 2) ** 2, np.arange(128) * 154) % 65536).astype(np.uint16)
    array = np.stack([smooth, smooth.T, noise(128, 128, dtype="uint16")], axis=-1)
    for standardize in (False, True):
        finest = Analysis.fit(array, Blocks(8), standardize=standardize).finest_step
        settings = Settings(Blocks(8), k=192, step=finest, standardize=standardize)
        assert psnr(array, pcaimage.encode(array, settings)) > 95
    bright = noise(300, 300, 1, dtype="uint16", low=60_000)
    coded = pcaimage.encode(bright, Settings(Channels(), k=1, step=0.01))
    assert np.array_equal(pcaimage.decode(coded), bright)
    for step in (1e-5, 1e-7, 1e-9):
        with pytest.raises(SettingsError, match=r"too small|out of range"):
            pcaimage.encode(array, Settings(k=5, step=step))


def test_more_digits_than_sums_can_hold_are_refused_when_entries_would_have_too_few():
    def fits(step):
        with suppress(SettingsError):
            return quantize(analysis, 3, step).k == 3

    analysis = Analysis.fit(noise(64, 64, 3, dtype="uint16"), Channels())
    finest = next(x for x in range(-8, -30, -1) if not fits(Step(2049, x)))
    coarser = quantize(analysis, 3, Step(2049, finest + 1))
    assert max(coarser.precisions) < max(precisions(analysis, 3, float(coarser.header.step)))
    assert coarser.magnitude < 1 << 53


def test_standardising_weighs_features_alike():
    generator = np.random.default_rng(5)
    array = (generator.normal(0, 1, (80, 80, 4)) * [4, 8, 16, 30] + 120).clip(0, 255).astype(np.uint8)

    def errors(*, standardize):
        coded = pcaimage.encode(
            array, Settings(Channels(), k=4, step=0.3 if standardize else 4.0, standardize=standardize)
        )
        return np.sqrt(np.square(pcaimage.decode(coded).astype(float) - array).mean(axis=(0, 1)))

    plain, weighed = errors(standardize=False), errors(standardize=True)
    assert plain.max() / plain.min() < 1.1
    assert weighed[3] / weighed[0] > 4


def test_settings_resolve_to_k_and_step(fitted):
    _, analysis, _ = fitted
    assert resolve(analysis, Settings(k=9)) == (9, analysis.step_for(9))
    assert resolve(analysis, Settings(k=9, step=3.0)) == (9, Step.nearest(3.0))
    assert resolve(analysis, Settings(variance=0.95))[0] == analysis.k_for_variance(0.95)
    assert resolve(analysis, Settings())[0] == analysis.k_for_variance(0.99)
    with pytest.raises(SettingsError, match="192 components; k = 193"):
        resolve(analysis, Settings(k=193))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k": 3, "variance": 0.5}, "one of k and variance"),
        ({"psnr": 30.0, "size": 100}, "one of psnr and size"),
        ({"psnr": 30.0, "step": 1.0}, "step follows from psnr"),
        ({"size": 3, "step": 1.0}, "step follows from size"),
        ({"ssim": 0.9, "size": 100}, "one of ssim and size"),
        ({"ssim": 1.0}, "between 0 and 1"),
        ({"lossless": True, "psnr": 30.0}, "keeps every pixel"),
        ({"lossless": True, "sampling": Blocks()}, "without loss"),
        ({"basis": "mine"}, "'mine' is none"),
        ({"basis": "own", "sampling": Channels()}, "choice of bases"),
        ({"standardize": True, "sampling": Lapped()}, "cannot be standardised"),
        ({"k": 0}, "k must be at least 1; 0"),
        ({"psnr": -1.0}, "psnr must be positive"),
        ({"size": 0}, "size must be positive"),
        ({"step": 0.0}, "step must be positive"),
        ({"step": math.nan}, "step must be positive"),
        ({"variance": 0.0}, "between 0 and 1"),
        ({"variance": 95.0}, r"0.95 is 95 %\); 95 does not"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(given, message):
    with pytest.raises(SettingsError, match=message):
        Settings(**given)


@pytest.mark.parametrize(
    ("array", "sampling"),
    [(np.zeros((4, 4, 3), np.float32), Blocks(2)), (np.zeros((4, 4, 3), np.int16), Blocks(2))],
)
def test_arrays_that_are_no_images_are_refused(array, sampling):
    with pytest.raises(DataError):
        pcaimage.encode(array, Settings(sampling, k=1))
    for alpha in (np.zeros((3, 3), np.uint8), np.zeros((256, 256), np.uint16)):
        with pytest.raises(DataError, match="Opacity of shape"):
            pcaimage.encode(noise(16, 16), Settings(k=1), alpha=alpha)


def test_progress_rises_to_its_total_for_every_target(astronaut):
    array = astronaut[:64, :64]
    for settings in (Settings(k=3), Settings(variance=0.9), Settings(psnr=30), Settings(size=3000)):
        reports, decoded = list[tuple[int, int]](), list[tuple[int, int]]()
        encoding = compress(
            array,
            settings,
            lambda image: len(container.write(image)),
            progress=lambda *report, reports=reports: reports.append(report),
        )
        assert reports == sorted(reports)
        assert all(0 <= done <= total == 1000 for done, total in reports)
        decompress(encoding.compressed, progress=lambda *report, decoded=decoded: decoded.append(report))
        assert decoded == sorted(decoded)
        assert decoded[-1] == (1000, 1000)


def test_large_sample_matrices_take_the_leading_components(monkeypatch):
    monkeypatch.setattr("pcaimage.codec.linear.analysis.MAX_EXACT", 20)
    monkeypatch.setattr("pcaimage.codec.linear.analysis.MAX_APPROXIMATE", 10)
    array = noise(60, 60)
    analysis = Analysis.fit(array, Blocks(8))
    assert analysis.n_components == 10
    estimate = RateModel(analysis).estimate(10)
    real = measured_psnr(array, quantize(analysis, 10, analysis.step_for(10)))
    assert estimate.psnr == pytest.approx(real, abs=0.5)


def test_squared_error_of_16_bits_is_exact_and_images_of_different_shapes_are_not_compared():
    first, second = np.zeros((1500, 1000), np.uint16), np.full((1500, 1000), 65535, np.uint16)
    assert mean_squared_error(first, second) == 65535.0**2
    assert psnr_of_mse(0.0, 255) == math.inf
    assert psnr_of_mse(255.0**2, 255) == 0
    with pytest.raises(DataError, match="cannot be compared"):
        mean_squared_error(first, second[1:])
    with pytest.raises(DataError):
        mean_squared_error(first[:0], second[:0])


def test_error_of_rounded_numbers_is_that_of_a_simulation():
    generator = np.random.default_rng(1)
    for mse in (0.01, 0.05, 0.3, 2.0, 30.0):
        errors = np.rint(generator.normal(0, math.sqrt(mse), 400_000))
        assert rounded_mse(mse) == pytest.approx(float(np.square(errors).mean()), rel=0.06, abs=1e-5)

"""Rough estimates of photos, and how few encodes a target takes with them."""

import math

import numpy as np
import pytest
from skimage import data

import pcaimage
from pcaimage import Settings
from pcaimage.codec import Step
from pcaimage.codec.photo import coding, method
from pcaimage.codec.photo.aims import rates, steering
from pcaimage.codec.photo.aims.rates import PhotoRates, costs
from pcaimage.codec.photo.aims.statistics import ScoreStatistics
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.scores.costs import size_bits, square_errors
from pcaimage.imaging import psnr, ssim
from pcaimage.quality import mean_squared_error, psnr_of_mse


@pytest.fixture(scope="module")
def picture():
    return np.ascontiguousarray(data.rocket())


@pytest.fixture(scope="module")
def analysis(picture):
    return PhotoAnalysis.fit(picture)


@pytest.mark.parametrize("step", [4.0, 12.0, 40.0])
@pytest.mark.slow
def test_sizes_of_scores_tell_bytes_and_error(picture, analysis, step):
    k = analysis.k_for_step(step)
    model, found = coding.quantize(analysis, k, Step.nearest(step)), ScoreStatistics(analysis)
    assert found.n_bytes(k, step) == pytest.approx(sum(map(len, model.segments)), rel=0.3)
    error = mean_squared_error(picture, model.reconstruct())
    assert psnr_of_mse(found.mse(k, step), 255) == pytest.approx(psnr_of_mse(error, 255), abs=0.95)


def test_estimates_fall_with_coarser_steps_and_without_components(analysis):
    found, steps = ScoreStatistics(analysis), [1.0, 2.0, 4.0, 9.0, 30.0, 100.0]
    sizes = [found.n_bytes(150, step) for step in steps]
    errors = [found.mse(150, step) for step in steps]
    assert sizes == sorted(sizes, reverse=True)
    assert errors == sorted(errors)
    assert found.n_bytes(20, 4.0) < found.n_bytes(60, 4.0)
    assert found.mse(20, 4.0) > found.mse(60, 4.0)
    lacking = ScoreStatistics(analysis.without(frozenset({4, 5})))
    assert lacking.n_bytes(80, 6.0) < found.n_bytes(80, 6.0)
    lost = analysis.variances[3:5].sum() / analysis.header.n_features
    assert lacking.mse(80, 6.0) == pytest.approx(found.mse(80, 6.0) + lost, rel=0.2)


def test_a_part_of_the_blocks_stands_for_all_and_small_scores_cost_nothing(analysis, monkeypatch):
    whole = ScoreStatistics(analysis).n_bytes(100, 8.0)
    monkeypatch.setattr("pcaimage.codec.photo.aims.statistics.COUNTED_BLOCKS", 600)
    assert ScoreStatistics(analysis).n_bytes(100, 8.0) == pytest.approx(whole, rel=0.15)
    sizes = np.array([0.0, 0.3, 0.6, 1.0, 7.0])
    assert size_bits(sizes)[:3].tolist() == [0, 0, 0]
    assert size_bits(sizes)[4] > size_bits(sizes)[3] > 2
    assert square_errors(sizes)[:2] == pytest.approx(sizes[:2] ** 2)
    assert square_errors(sizes)[2] > square_errors(sizes)[3] > square_errors(sizes)[4] > 0.07


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_images_of_one_block_and_of_one_value_have_estimates(dtype):
    for shape in ((1, 1, 3), (8, 8, 1), (9, 3, 4)):
        found = ScoreStatistics(PhotoAnalysis.fit(np.full(shape, 9, dtype)))
        assert found.n_bytes(1, 10.0) == 0
        assert found.mse(1, 1e-3) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    "settings",
    [
        Settings(size=9_000),
        pytest.param(Settings(size=40_000), marks=pytest.mark.slow),
        Settings(psnr=34.0),
        pytest.param(Settings(psnr=41.0), marks=pytest.mark.slow),
        pytest.param(Settings(ssim=0.95), marks=pytest.mark.slow),
    ],
    ids=str,
)
@pytest.mark.sweep(2)
def test_a_target_takes_few_encodes(settings, picture, monkeypatch):
    steps = list[float]()

    def counting(module, name):
        quantize = getattr(module, name)

        def counted(*args, **options):
            steps.append(float(args[2]))
            return quantize(*args, **options)

        monkeypatch.setattr(module, name, counted)

    counting(method, "quantize")
    counting(steering, "quantize")
    counting(steering, "quantize_checked")
    coded = pcaimage.encode(picture, settings)
    assert 1 <= len(steps) <= 3
    decoded = pcaimage.decode(coded)
    if settings.size is not None:
        assert 0.97 * settings.size <= len(coded) <= settings.size
    elif settings.psnr is not None:
        assert settings.psnr <= psnr(picture, decoded) <= settings.psnr + 0.1
    else:
        assert 0 <= ssim(picture, decoded) - settings.ssim <= 0.004


def test_a_large_image_is_sampled_before_it_is_encoded(analysis, monkeypatch):
    assert PhotoRates(analysis).sampled(90, 9.0) == PhotoRates(analysis).rough(90, 9.0)
    coded = list[int]()

    def counted(mosaic, *rest):
        coded.append(math.prod(mosaic.blocks))
        return costs(mosaic, *rest)

    monkeypatch.setattr(rates, "LEAST_SAMPLE", 64)
    monkeypatch.setattr(rates, "costs", counted)
    found = PhotoRates(analysis).sampled(90, 9.0)
    assert 0 < sum(coded) <= analysis.planes[0].size / 7
    model = coding.quantize(analysis, 90, Step.nearest(9.0))
    assert found.n_bytes == pytest.approx(sum(map(len, model.segments)), rel=0.3)

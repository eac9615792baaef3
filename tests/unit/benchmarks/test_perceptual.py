import numpy as np
import pytest

from benchmarks.perceptual import WEIGHTS, luma, ms_ssim
from benchmarks.photographs import made_photograph


@pytest.fixture(scope="module")
def photograph():
    return made_photograph(180, 200)


def noisy(image, deviation):
    noise = np.random.default_rng(1).normal(0, deviation, image.shape)
    return np.clip(np.rint(image + noise), 0, 255).astype(np.uint8)


def test_similarity_falls_with_noise(photograph):
    found = [ms_ssim(photograph, noisy(photograph, deviation)) for deviation in (2, 8, 30)]
    assert found == sorted(found, reverse=True)
    assert 0 < found[-1] < found[0] < 1


@pytest.mark.slow
def test_only_luma_counts(photograph):
    grey = np.rint(luma(photograph)).astype(np.uint8)
    assert luma(grey) == pytest.approx(grey.astype(float))
    assert ms_ssim(photograph, np.repeat(grey[..., None], 3, axis=2)) > 0.999


@pytest.mark.parametrize(("shape", "weight"), [((180, 180), WEIGHTS[-1]), ((20, 30), sum(WEIGHTS))])
def test_a_brighter_image_differs_by_the_luminance_of_its_coarsest_scale(shape, weight):
    dark, bright = np.full(shape, 50, np.uint8), np.full(shape, 100, np.uint8)
    constant = (0.01 * 255) ** 2
    light = (2 * 50 * 100 + constant) / (50**2 + 100**2 + constant)
    assert ms_ssim(dark, bright) == pytest.approx(light**weight)
    with pytest.raises(ValueError, match="at least 11 pixels"):
        ms_ssim(dark[:10], bright[:10])

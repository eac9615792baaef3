import numpy as np
import pytest

from pcaimage import api
from pcaimage.codec import analyse, complete, estimates, quantize
from pcaimage.codec.spectrum import OperatingPoints
from pcaimage.codec.step import Step
from pcaimage.imaging.reading.samples import read_sample
from pcaimage.sampling import Blocks, Lapped


def uneven():
    """A picture whose components are not ordered by their variances: it has fine diagonal lines."""
    y, x = np.mgrid[:240, :320]
    lines = 60 * np.sin(1.9 * (x + y)) * (y > 120)
    noise = np.random.default_rng(0).normal(0, 3, (240, 320))
    picture = 128 + 50 * np.sin(x / 40) + lines + noise
    return np.clip(np.stack([picture, 0.8 * picture, picture + 10], axis=-1), 0, 255).astype(np.uint8)


def size(image, analysis, k, step):
    model = quantize(analysis, k, Step.nearest(step))
    return api.size_of(complete(image, analysis, model).compressed)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["coffee", "cat"])
def test_from_one_point_of_a_photo_to_the_next_the_file_grows_a_little_and_never_jumps(name):
    image = np.ascontiguousarray(read_sample(name).pixels[:192, :256])
    analysis = analyse(image, Lapped())
    assert np.count_nonzero(np.diff(analysis.variances) > 0) > 60  # as they come, far from sorted
    points, rates = OperatingPoints.of(analysis), estimates(analysis)
    pairs = list(zip(points.ks.tolist(), points.steps.tolist(), strict=True))
    guessed = np.array([rates.estimate(k, step).n_bytes for k, step in pairs])
    ratios = guessed[1:] / guessed[:-1]
    # Estimates say where it grows most and least; there, and where k jumps most, files are compared.
    jump = int(np.argmax(np.diff(points.ks)))
    for index in {int(np.argmax(ratios)), int(np.argmin(ratios)), jump}:
        before, behind = (size(image, analysis, *pairs[at]) for at in (index, index + 1))
        assert 1.0 < behind / before < 1.12


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_points_of_a_photo_run_over_the_same_share_of_its_range(dtype):
    image = uneven().astype(dtype) * (257 if dtype is np.uint16 else 1)
    points = OperatingPoints.of(analyse(image, Lapped()))
    assert points.by_step
    assert points.steps[0] == pytest.approx(256 * (257 if dtype is np.uint16 else 1))
    assert np.all(np.diff(points.steps) < 0)
    assert np.all(np.diff(points.ks) >= 0)


def test_other_images_have_a_point_for_every_k():
    analysis = analyse(uneven(), Blocks(4))
    points = OperatingPoints.of(analysis)
    assert not points.by_step
    assert points.ks.tolist() == list(range(1, analysis.n_components + 1))
    assert points.step(7) is None
    assert [points.nearest(k, None) for k in (1, 9, 10**6)] == [0, 8, analysis.n_components - 1]


def test_the_nearest_point_of_a_photo_is_that_of_its_step_whatever_k_is():
    points = OperatingPoints.of(analyse(uneven(), Lapped()))
    index = points.nearest(1, 30.0)
    assert points.step(index) == pytest.approx(30, rel=0.03)
    assert points.nearest(192, 30.0) == index
    assert points.nearest(5, 1e9) == 0
    assert points.nearest(5, 1e-9) == len(points) - 1

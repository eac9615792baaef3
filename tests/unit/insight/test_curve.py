from functools import cache
from typing import cast

import numpy as np
import pytest

from pcaimage import api
from pcaimage.codec import Rates, Step, analyse, complete, estimates, pictures, quantize
from pcaimage.codec.spectrum import OperatingPoints
from pcaimage.errors import Cancelled
from pcaimage.imaging import psnr, ssim
from pcaimage.insight.curve import Curve, chosen_points, coarse_to_fine, trace_curve, with_similarity
from pcaimage.sampling import Blocks, Lapped
from tests.smooth import smooth

PICTURE = smooth(152, 200, 3, seed=3, noise=5, scale=9)


@cache
def analysed(sampling):
    analysis = analyse(PICTURE, sampling)
    return analysis, estimates(analysis)


def point(curve, analysis, index):
    """Return k and Δ of a point of a curve."""
    k, step = int(curve.points.ks[index]), curve.points.step(index)
    return k, analysis.step_for(k) if step is None else Step.nearest(step)


ONE_SLOW = pytest.mark.parametrize(
    "sampling", [pytest.param(Lapped(), marks=pytest.mark.slow), Blocks(4)], ids=["photo", "blocks"]
)
SAMPLINGS = pytest.mark.parametrize("sampling", [Lapped(), Blocks(4)], ids=["photo", "blocks"])


@pytest.mark.slow
@ONE_SLOW
def test_the_curve_is_what_files_take_and_lose(sampling):
    analysis, rates = analysed(sampling)
    curve = trace_curve(analysis, rates)
    last = int(np.count_nonzero(curve.psnr < 55))
    for index in (last * 3 // 4, last - 4):
        model = quantize(analysis, *point(curve, analysis, index))
        size = api.size_of(complete(PICTURE, analysis, model).compressed)
        # Of a photo's tiny file, estimates know less than of one that is worth a thought.
        assert curve.n_bytes[index] == pytest.approx(size, rel=0.03, abs=150)
        assert curve.psnr[index] == pytest.approx(psnr(PICTURE, model.reconstruct()), abs=0.15)


@ONE_SLOW
def test_it_grows_between_its_estimates_and_only_what_is_known_well_is_not_called_rough(
    sampling, monkeypatch
):
    monkeypatch.setattr("pcaimage.insight.curve.DELIVER_EVERY", 0.0)
    grown = list[Curve]()
    last = trace_curve(*analysed(sampling), deliver=grown.append)
    assert last.progress == 1
    assert grown[0].progress == pytest.approx(1 / len(last))
    assert len(grown) == len(last) - 1
    assert grown[0].rough.sum() == len(last) - 1
    assert not last.rough.any()
    off = [np.abs(np.log(curve.n_bytes / last.n_bytes)) for curve in grown]
    assert np.median(off[len(off) // 4]) < 0.03
    for curve, wrong in zip(grown, off, strict=True):
        assert wrong[~curve.rough].max() < 0.05
        assert np.abs(curve.psnr - last.psnr)[~curve.rough].max() < 0.5
    falls = float(np.diff(last.psnr).min())  # estimates themselves may disagree a little
    for curve in grown[2:]:  # both ends are known
        assert np.diff(curve.psnr).min() >= min(falls, 0.0) - 1.0
        assert (curve.psnr <= last.psnr.max() + 1e-9).all()


def test_what_opacity_and_metadata_take_is_added_to_every_file():
    analysis, rates = analysed(Blocks(4))
    bare, full = trace_curve(analysis, rates), trace_curve(analysis, rates, extra_bytes=1000)
    assert np.allclose(full.n_bytes - bare.n_bytes, 1000)


def test_the_point_of_interest_and_the_coarsest_are_estimated_first_and_it_can_be_stopped():
    analysis, rates = analysed(Blocks(4))
    tried = list[int]()

    class Recorded:
        def estimate(self, k, step):
            tried.append(k)
            return rates.estimate(k, step)

    def stop(done, _total):
        if done == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        trace_curve(analysis, cast("Rates", Recorded()), first=9, progress=stop)
    assert tried[:2] == [10, 1]
    assert len(tried) <= 4


@SAMPLINGS
@pytest.mark.slow
def test_similarities_are_near_those_of_files(sampling):
    analysis, rates = analysed(sampling)
    curve = with_similarity(trace_curve(analysis, rates), analysis, rates, pictures(analysis), PICTURE)
    for index in (len(curve) // 3, len(curve) - 5):
        pixels = quantize(analysis, *point(curve, analysis, index)).reconstruct()
        assert curve.ssim[index] == pytest.approx(ssim(PICTURE, pixels), abs=0.03)


def curve_of(n_bytes, values):
    points = OperatingPoints.of_components(len(n_bytes))
    return Curve(points, np.array(n_bytes, np.float64), psnr=np.array(values, np.float64))


def test_the_elbow_is_where_bytes_begin_to_buy_less():
    sizes = np.arange(1, 21) * 1000
    gains = np.where(np.arange(20) < 7, 20 + 2.0 * np.arange(20), 32 + 0.2 * (np.arange(20) - 6))
    assert curve_of(sizes, gains).elbow == 6
    sizes, gains = np.arange(1, 11) * 1000.0, [20, 26, 30, 33, 35, 36.5, 37.5, 38, 38.4, 38.7]
    seen = curve_of(sizes, gains).elbow  # decibels that nobody sees do not move it
    assert curve_of([*sizes, 30_000], [*gains, 87]).elbow == seen
    for count in (1, 2, 3):
        assert curve_of(sizes[:count], gains[:count]).elbow is None


@pytest.mark.parametrize(("size", "first"), [(50, 0), (100, 1), (250, 2), (299, 2), (300, None), (900, None)])
def test_the_crossing_is_the_first_point_from_which_on_files_are_larger(size, first):
    assert curve_of([100, 200, 300], [20, 30, 40]).crossing(size) == first


@pytest.mark.parametrize("count", [1, 2, 3, 7, 192])
def test_coarse_to_fine_has_every_number_once_and_of_many_points_some_are_tried(count):
    order = coarse_to_fine(count)
    assert sorted(order) == list(range(count))
    assert {0, count - 1} <= set(order[:3])
    tried = chosen_points(12_288, 320)
    assert 250 <= len(tried) <= 320
    assert (tried[0], tried[-1]) == (0, 12_287)
    assert np.all(np.diff(tried) > 0)

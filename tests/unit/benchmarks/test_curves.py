import math

import pytest

from benchmarks.curves import RANGE, Curve, Point, mean_curve, similarity

SETTINGS = ((0.1, 24.0), (0.3, 28.0), (1.0, 33.0), (3.0, 39.0), (5.0, 42.0))


def point(bpp, psnr, ssim=0.9, seconds=1.0):
    return Point("codec", "image", bpp, round(125_000 * bpp), bpp, psnr, ssim, seconds, 2 * seconds)


def curve(factor=1.0, gain=0.0, settings=SETTINGS):
    points = (point(factor * bpp, psnr + gain, 1 - 10 ** (-(psnr + gain) / 20)) for bpp, psnr in settings)
    return Curve("codec", "image", tuple(points))


def test_similarity_is_compared_by_what_is_missing_to_one_and_without_loss_there_is_no_point():
    assert point(1, 30, 0.9).on("ssim") == pytest.approx(10)
    assert point(1, 30, 0.99).on("ssim") == pytest.approx(20)
    assert similarity(point(1, 30, 0.95).on("ssim")) == pytest.approx(0.95)
    assert point(1, 30, 0.9).on("psnr") == 30
    lossless = point(9, math.inf, 1.0)
    assert not lossless.lossy
    with_it = Curve("codec", "image", (*curve().points, lossless))
    for measure in ("psnr", "ssim"):
        assert with_it.by(measure) == curve().by(measure)


def test_means_are_taken_at_equal_rates_that_all_images_have():
    shorter = curve(gain=2, settings=SETTINGS[1:])
    found = mean_curve([curve(), shorter], "psnr", 30)
    rates = [rate for rate, _ in found]
    assert rates[0] > 0.3
    assert rates[-1] == pytest.approx(RANGE[1])
    for rate, value in found:
        assert value == pytest.approx((_at(curve(), rate) + _at(shorter, rate)) / 2)


def _at(one, rate):
    value = one.at(rate, "psnr")
    assert value is not None
    return value


def test_times_are_those_of_a_megapixel_at_some_rate():
    points = (point(0.5, 30, seconds=1), point(2, 36, seconds=3))  # of a megapixel each
    timed = Curve("codec", "image", points)
    assert timed.seconds_at(1) == pytest.approx((2, 4))  # halfway in the logarithm
    assert timed.seconds_at(0.1) == pytest.approx((1, 2))

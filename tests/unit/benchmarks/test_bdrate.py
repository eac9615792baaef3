import math

import numpy as np
import pytest

import pcaimage
from benchmarks.bdrate import bd_quality, bd_rate, quality_at
from benchmarks.cross_validation import photo_with, tables_from
from benchmarks.curves import Curve, Point, similarity
from benchmarks.photographs import made_photograph
from pcaimage import Settings
from pcaimage.codec import Tune
from pcaimage.codec.photo.tables import NEWEST, Tables
from pcaimage.sampling import Lapped
from training.files import write_tables
from training.models import untrained

RATES = [0.25, 0.5, 1.0, 2.0]
QUALITIES = [28.0, 31.0, 34.0, 37.0]  # 3 dB for each doubling


def scaled(factor):
    return [factor * rate for rate in RATES], QUALITIES


def test_a_share_of_the_rate_and_a_gain_of_quality_are_found_and_averaged_in_the_logarithm():
    for factor in (0.5, 0.9, 1.25, 3.0):
        assert bd_rate((RATES, QUALITIES), scaled(factor)) == pytest.approx(factor - 1)
    better = [quality + 0.75 for quality in QUALITIES]
    assert bd_quality((RATES, QUALITIES), (RATES, better)) == pytest.approx(0.75)
    # A quarter of 3 dB is a quarter of an octave.
    assert bd_rate((RATES, QUALITIES), (RATES, better)) == pytest.approx(2**-0.25 - 1)
    # Points that cost more than a better one are left out.
    with_detour = ([*RATES, 0.8, 1.0], [*QUALITIES, 30.0, 33.0])
    assert bd_rate((RATES, QUALITIES), with_detour) == pytest.approx(0)
    # Twice the rate at the bottom, the same at the top: half an octave on average.
    growing = [rate * 2 ** ((37 - quality) / 9) for rate, quality in zip(RATES, QUALITIES, strict=True)]
    assert bd_rate((RATES, QUALITIES), (growing, QUALITIES)) == pytest.approx(math.sqrt(2) - 1)


def test_only_qualities_that_both_have_are_compared():
    anchor = (RATES, QUALITIES)
    # Equal up to 31 dB, then half of the rate; of the range in common, 31 to 34, only the latter counts.
    test = ([0.25, 0.5], [31.0, 34.0])
    assert bd_rate(anchor, test) == pytest.approx(-0.5)
    assert bd_rate(anchor, (RATES[1:3], QUALITIES[1:3])) == pytest.approx(0)


def test_a_curve_goes_through_its_points_and_not_beyond_them_nor_the_rates_that_are_looked_at():
    assert quality_at(RATES, QUALITIES, 0.5) == pytest.approx(31)
    assert quality_at(RATES, QUALITIES, 0.2) is None
    assert quality_at(RATES, QUALITIES, 2.1) is None
    # What lies beyond the rates that are looked at does not count.
    anchor = ([0.1, 0.5, 1.0, 3.0, 4.0, 8.0], [20.0, 26.0, 30.0, 35.0, 36.0, 40.0])
    # Twice the rate from 36 dB on; the points from 3 bits per pixel on shape nothing below.
    test = ([0.1, 0.5, 1.0, 3.0, 4.0, 16.0], anchor[1])
    assert bd_rate(anchor, test) > 0.01
    assert bd_rate(anchor, test, (0.1, 3.0)) == pytest.approx(0, abs=1e-12)
    # The rate doubles from the middle of the range on, 31 dB, where both are cut below.
    anchor = ([1.0, 2.0, 4.0], [28.0, 31.0, 34.0])
    halved = ([0.5, 1.0, 2.0], [28.0, 31.0, 34.0])
    assert bd_rate(anchor, halved, (0.8, 3.0)) == pytest.approx(-0.5)
    with pytest.raises(ValueError, match="no quality in common"):
        bd_rate(anchor, halved, (1.5, 1.9))
    with pytest.raises(ValueError, match="no quality in common"):
        bd_rate(anchor, halved, (2.5, 3.0))


@pytest.mark.parametrize(
    ("compare", "test", "sentence"),
    [
        (bd_rate, ([0.3, 0.6], [40.0, 45.0]), "no quality in common"),
        (bd_rate, ([0.3], [30.0]), "two points"),
        (bd_rate, ([0.3, 0.6], [30.0, 29.0]), "two points"),
        (bd_rate, ([0.3, 0.0], [30.0, 29.0]), "positive"),
        (bd_rate, ([0.3, 0.6], [30.0, math.inf]), "finite"),
        (bd_rate, ([0.3, 0.6], [30.0]), "one quality for each rate"),
        (bd_quality, ([4.0, 8.0], [36.0, 37.0]), "no rate in common"),
    ],
)
def test_curves_that_cannot_be_compared_are_refused(compare, test, sentence):
    with pytest.raises(ValueError, match=sentence):
        compare((RATES, QUALITIES), test)


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


@pytest.fixture
def other_tables(tmp_path):
    """Return tables that were taught nothing."""
    nothing = {name: np.stack([array] * 3) for name, array in untrained().items()}
    write_tables(tmp_path / "other", Tables.of(NEWEST).arrays | nothing)
    return tmp_path / "other"


@pytest.mark.slow
def test_files_are_made_and_decoded_with_the_given_tables(other_tables):
    image, own = made_photograph(40, 48), Tables.of(NEWEST)
    codec = photo_with(other_tables)
    data = codec.encode(image, 12.0)
    with tables_from(other_tables):
        tuned = Settings(sampling=Lapped(), step=12.0, tune=Tune.PSNR)
        assert data == pcaimage.encode(image, tuned)
        expected = pcaimage.decode(data)
        assert Tables.of(NEWEST) is not own
    assert np.array_equal(codec.decode(data), expected)
    # Afterwards the program's own tables are back.
    assert not np.array_equal(pcaimage.decode(data), expected)
    assert Tables.of(NEWEST) is own

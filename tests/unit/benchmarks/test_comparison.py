from io import StringIO

import pytest
from rich.console import Console

from benchmarks.comparison import Comparison
from benchmarks.curves import Curve, Point

SETTINGS = ((1, 0.1, 24.0), (2, 0.3, 28.0), (3, 1.0, 33.0), (4, 4.0, 41.0))


def curve(codec, image, factor, seconds=1.0):
    points = (
        Point(codec, image, q, round(125_000 * factor * bpp), factor * bpp, db, db / 50, seconds, seconds)
        for q, bpp, db in SETTINGS
    )
    return Curve(codec, image, tuple(points))


@pytest.fixture
def comparison():
    curves = [
        curve("PCA", "a", 0.8, seconds=3),
        curve("PCA", "b", 0.9, seconds=5),
        *(curve("JPEG 2000", image, 1.0, seconds=2) for image in "ab"),
        *(curve("WebP", image, 2.0) for image in "ab"),
    ]
    return Comparison(curves, ["PCA"])


def printed(table):
    console = Console(file=StringIO(), width=200)
    with console.capture() as captured:
        console.print(table)
    return captured.get()


def test_changes_are_averaged_over_images(comparison):
    mean, count = comparison.mean_change("PCA", "JPEG 2000", "psnr")
    assert mean == pytest.approx(-0.15)
    assert count == 2
    assert comparison.change("PCA", "JPEG 2000", "a", "psnr") == pytest.approx(-0.2)
    assert comparison.change("PCA", "WebP", "b", "ssim") == pytest.approx(-0.55)


def test_every_codec_stands_against_every_other(comparison):
    text = printed(comparison.rates_table("psnr"))
    assert "-15.0 %" in text
    assert "+100.0 %" in text  # WebP against JPEG 2000
    assert "0.1 to 3" in text
    assert "-20.0 %" in printed(comparison.each_table("PCA", "psnr"))


def test_an_image_on_which_curves_do_not_meet_is_left_out_and_the_rest_counted(comparison):
    curves = [each for codec in comparison.codecs for each in comparison.of(codec)]
    curves[1] = Curve("PCA", "b", curves[1].points[:1])
    less = Comparison(curves, ["PCA"])
    assert less.mean_change("PCA", "JPEG 2000", "psnr")[1] == 1
    assert "-20.0 % (1)" in printed(less.rates_table("psnr"))


def test_files_stand_beside_the_other_codec_at_the_same_size(comparison):
    rows = printed(comparison.beside_table()).splitlines()
    assert any("0.080 │ 24.00" in row and row.count("–") == 2 for row in rows)
    assert any("0.900 │ 33.00" in row and "32." in row for row in rows)


def test_times_are_ratios_to_jpeg_2000(comparison):
    assert comparison.times()["PCA"] == pytest.approx((4, 4))
    assert "4000.0 ms │           2.00" in printed(comparison.times_table())

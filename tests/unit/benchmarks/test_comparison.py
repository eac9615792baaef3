from io import StringIO

import pytest
from rich.console import Console

from benchmarks.cache import PointCache
from benchmarks.codecs import jpeg, webp
from benchmarks.comparison import Comparison
from benchmarks.curves import Curve, Point
from benchmarks.methods import pca_blocks
from benchmarks.published import against_published, published

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


def test_published_means_are_compared_with_means_and_images_with_images():
    vtm, cool = published()["VVC (VTM)"]["means"], published()["Cool-Chic 5.0"]["images"]["kodim05"]
    own = [Point("PCA", "kodim05", n, 0, bpp / 2, db, 0, 0, 0) for n, (bpp, db) in enumerate(vtm)]
    assert against_published([Curve("PCA", "kodim01.png", tuple(own))], (0, 4))["VVC (VTM)"] == pytest.approx(
        -0.5
    )
    own = [Point("PCA", "kodim05", n, 0, bpp * 2, db, 0, 0, 0) for n, (bpp, db) in enumerate(cool)]
    assert against_published([Curve("PCA", "kodim05.png", tuple(own))], (0, 9))[
        "Cool-Chic 5.0"
    ] == pytest.approx(1)


def test_times_are_ratios_to_jpeg_2000(comparison):
    assert comparison.times()["PCA"] == pytest.approx((4, 4))
    assert "4000.0 ms │           2.00" in printed(comparison.times_table())


def point(quality, codec="JPEG 4:2:0", image="a.png"):
    return Point(codec, image, quality, 1000, 0.5, 31.25, 0.9, 0.1, 0.05)


@pytest.fixture
def image(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(b"an image")
    return path


def test_what_was_kept_is_found_by_another_run_by_the_contents_of_an_image_and_not_its_name(tmp_path, image):
    file = tmp_path / "deep" / "cache.json"
    PointCache(file).keep(jpeg(), image, [point(22), point(45)])
    assert PointCache(file).find(jpeg(), image) == [point(22), point(45)]
    renamed = image.rename(tmp_path / "b.png")
    found = PointCache(file).find(jpeg(), renamed)
    assert found == [point(22, image="b.png"), point(45, image="b.png")]
    renamed.write_bytes(b"another image")
    assert PointCache(file).find(jpeg(), renamed) == []


def test_other_options_are_not_mixed_up_and_nothing_is_kept_of_the_projects_own_codecs(tmp_path, image):
    cache = PointCache(tmp_path / "cache.json")
    cache.keep(pca_blocks(), image, [point(8, "PCA 8×8")])
    assert cache.find(pca_blocks(), image) == []
    assert not (tmp_path / "cache.json").exists()
    cache.keep(webp(method=6), image, [point(50, "WebP"), point(51, "WebP")])
    assert cache.find(webp(method=4), image) == []
    assert cache.find(webp(method=6), image) == [point(50, "WebP")]  # nobody asks for 51

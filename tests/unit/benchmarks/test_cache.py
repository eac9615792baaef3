import pytest

from benchmarks.cache import PointCache, default_cache
from benchmarks.codecs import jpeg, webp
from benchmarks.curves import Point
from benchmarks.methods import pca_blocks


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


def test_runs_at_the_same_time_do_not_lose_each_others_points(tmp_path, image):
    file = tmp_path / "cache.json"
    first, second = PointCache(file), PointCache(file)
    assert first.find(jpeg(), image) == second.find(jpeg(), image) == []
    first.keep(jpeg(), image, [point(22)])
    second.keep(jpeg(), image, [point(45)])
    assert PointCache(file).find(jpeg(), image) == [point(22), point(45)]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null"])
def test_a_damaged_cache_is_an_empty_one(tmp_path, image, text):
    file = tmp_path / "cache.json"
    file.write_text(text)
    assert PointCache(file).find(jpeg(), image) == []
    PointCache(file).keep(jpeg(), image, [point(22)])
    assert PointCache(file).find(jpeg(), image) == [point(22)]


def test_the_cache_is_in_the_users_folder(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache() == tmp_path / "pcaimage" / "benchmarks.json"

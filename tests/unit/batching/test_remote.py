import os
import sys

import pytest

import pcaimage
from pcaimage import Blocks, Settings
from pcaimage.batching import Export, State
from pcaimage.errors import ImageError
from pcaimage.imaging.disk.urls import is_url

from .conftest import draw

FEW = Settings(Blocks(8), k=3)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("s3://bucket/a.png", True),
        ("file:///a.png", True),
        ("git+ssh://a/b", True),
        ("a.png", False),
        ("C://a.png", False),
        ("://a", False),
        ("a b://c", False),
    ],
)
def test_urls_are_told_from_paths(place, *, expected):
    assert is_url(place) is expected


def test_without_fsspec_a_sentence_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ImageError, match=r"memory://a cannot be used: "):
        pcaimage.batch(draw(tmp_path / "a.png"), "memory://a")
    with pytest.raises(ImageError, match=r"memory://in cannot be read: "):
        pcaimage.batch("memory://in", tmp_path / "out")


@pytest.mark.parametrize("protocol", ["memory", "file"])
def test_images_and_outputs_at_urls(tmp_path, inline, protocol):
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem(protocol)
    root = f"{tmp_path}/store".replace("\\", "/")
    for seed, name in enumerate(("a.png", "inner/b.png", "a.bmp", ".hidden.png", "notes.txt")):
        path = draw(tmp_path / "made" / f"{name}.png", seed)
        system.makedirs(f"{root}/in/inner", exist_ok=True)
        system.pipe_file(f"{root}/in/{name}", path.read_bytes())
    source, out = f"{protocol}://{root}/in", f"{protocol}://{root}/out"
    first = pcaimage.batch(source, out, FEW, recursive=True, executor=inline)
    made = {each.target: each.state for each in first.results}
    assert made == dict.fromkeys(("a.bmp.pcai", "a.png.pcai", "inner/b.pcai"), State.MADE)
    there = {each.removeprefix(f"{root}/out/") for each in system.find(f"{root}/out")}
    assert {each for each in there if not each.startswith(".pcaimage-batch/")} == set(made)
    data = system.cat_file(f"{root}/out/inner/b.pcai")
    assert pcaimage.decode(data).shape == (24, 24, 3)
    again = pcaimage.batch(source, out, FEW, recursive=True, resume=True, executor=inline)
    assert again.count(State.KEPT) == 3
    with pytest.raises(ImageError, match="exist already"):
        pcaimage.batch(source, out, FEW, executor=inline)
    system.pipe_file(f"{root}/out/a.bmp.pcai", b"mine")
    changed = pcaimage.batch(source, out, FEW, resume=True, executor=inline)
    assert [each.target for each in changed.failures] == ["a.bmp.pcai"]
    assert system.cat_file(f"{root}/out/a.bmp.pcai") == b"mine"
    one = pcaimage.batch(f"{source}/*.png", tmp_path / "local", Export("hdr"), executor=inline)
    assert [each.target for each in one.results] == ["a.hdr"]
    cube = pcaimage.batch(
        [tmp_path / "local", f"{source}/inner"], out, Export("hdr"), executor=inline, resume=True
    )
    assert {each.target for each in cube.results} == {"local/a.hdr", "inner/b.hdr"}
    assert system.exists(f"{root}/out/inner/b.img")
    kept = pcaimage.batch(
        [tmp_path / "local", f"{source}/inner"], out, Export("hdr"), executor=inline, resume=True
    )
    assert kept.count(State.KEPT) == 2


def test_a_missing_url_is_refused(tmp_path):
    pytest.importorskip("fsspec")
    for url in ("memory://none/a.png", "unheardof://a"):
        with pytest.raises(ImageError, match=rf"{url} cannot be read: "):
            pcaimage.batch(url, os.fspath(tmp_path / "out"))

"""Contents of files of bands and of images, and their compression."""

import gzip
import json
import re
import shlex
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
import tifffile

from pcaimage.cli.report import command_of
from pcaimage.codec import Basis, Settings
from pcaimage.imaging import Image, read_image, write_image
from pcaimage.insight import references as work
from pcaimage.sampling import Bands, Blocks, Channels, Lapped, Stack
from tests.deep_avif import COLOUR


@pytest.fixture
def pages(tmp_path):
    y, x = np.mgrid[0:24, 0:32]
    array = np.stack([y * 3 + x + 20 * page for page in range(6)]).astype(np.uint8)
    path = tmp_path / "pages.tif"
    tifffile.imwrite(path, array, photometric="minisblack", metadata=None)
    return path


def test_info_tells_what_a_file_holds_and_that_it_is_in_doubt(done, figures, pages):
    found = figures("info", pages)
    assert (found["format"], found["shape"], found["dtype"]) == ("TIFF", [6, 24, 32], "uint8")
    assert found["readings"] == [
        {"kind": "bands", "shape": [24, 32, 6]},
        {"kind": "stack", "shape": [6, 24, 32, 1]},
    ]
    assert found["ambiguous"]
    text = done("info", pages).stdout
    assert "one image of 32 × 24 pixels with 6 bands" in text
    assert "--pages" in text


def test_info_of_what_is_no_image_is_refused(refused, tmp_path):
    (tmp_path / "a.txt").write_text("no image, in several words")
    assert "not an image" in refused("info", tmp_path / "a.txt")
    assert "does not exist" in refused("info", tmp_path / "b.txt")


@pytest.mark.slow
def test_pages_in_doubt_are_told_of_and_can_be_decided(done, figures, pages):
    guessed = done("encode", pages, "a.pcai", "--k", "2", "--json")
    assert (
        "pages.tif is read as one image of 32 × 24 pixels with 6 bands; use --pages images" in guessed.stderr
    )
    bands = done("encode", pages, "b.pcai", "--k", "2", "--pages", "bands", "--json")
    assert "is read as" not in bands.stderr
    assert Path("a.pcai").read_bytes() == Path("b.pcai").read_bytes()
    done("encode", pages, "c.pcai", "--k", "2", "--pages", "images")
    found = figures("info", "c.pcai")
    assert (found["method"], found["frames"], found["channels"]) == ("stack", 6, 1)


def test_a_stack_needs_no_method_where_the_file_says_what_it_is(done, figures, tmp_path):
    images = np.arange(9 * 6 * 5).reshape(9, 6, 5).astype(np.uint8)
    data = struct.pack(">BBBB3I", 0, 0, 8, 3, 9, 6, 5) + images.tobytes()
    (tmp_path / "t-images-idx3-ubyte.gz").write_bytes(gzip.compress(data))
    done("encode", tmp_path / "t-images-idx3-ubyte.gz", "digits.pcai")
    assert figures("info", "digits.pcai")["frames"] == 9
    done("decode", "digits.pcai", "digits.npy")
    assert read_image("digits.npy").pixels.shape == (9, 6, 5, 1)


def test_what_does_not_go_together_is_refused(refused, pages, tmp_path):
    assert "there is only one" in refused("encode", pages, "a.pcai", "--method", "stack", "--pages", "bands")
    words = ("encode", pages, "a.pcai", "--method", "channels", "--pages", "images")
    assert "holds several images" in refused(*words)
    (tmp_path / "faces").mkdir()
    for number in (1, 2):
        write_image(tmp_path / "faces" / f"face{number}.png", Image(np.zeros((8, 8, 1), np.uint8)))
    sentence = refused("encode", tmp_path / "faces", "a.pcai")
    assert "--method stack" in sentence
    assert "--pages bands" in sentence


@pytest.mark.slow
def test_bits_that_are_not_read_are_told_of(done, tmp_path, monkeypatch):
    # As where it is not installed; processes of batches take over where modules are looked for.
    (tmp_path / "missing").mkdir()
    (tmp_path / "missing" / "imagecodecs.py").write_text("raise ImportError")
    monkeypatch.syspath_prepend(tmp_path / "missing")
    monkeypatch.delitem(sys.modules, "imagecodecs", raising=False)
    (tmp_path / "deep.avif").write_bytes(COLOUR)
    for command in (("encode", "deep.avif", "a.pcai"), ("compare", "deep.avif", "deep.avif")):
        assert "deep.avif has 10 bits a channel, of which 8 are read; install" in done(*command).stderr
    result = done("batch", "deep.avif", "-o", "out", "--workers", "1", "--results", "made.json")
    assert "deep.avif has 10 bits a channel, of which 8 are read" in result.stderr
    (made,) = json.loads((tmp_path / "made.json").read_text())["results"]
    assert made["state"] == "made"
    assert "of which 8 are read" in made["reason"]


def test_a_page_is_written_and_one_line_tells_of_it(done, refused, png):
    how = ("report", png, "-o", "page.html", "--block", 4, "--k", 6)
    result = done(*how)
    assert result.stdout.count("\n") == 1
    assert result.stdout.startswith("page.html: in.png in ")
    page = Path("page.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "pcaimage encode in.png in.pcai --method blocks --block 4 --k 6" in page
    assert not Path("in.pcai").exists()
    Path("page.html").write_text("mine", "utf-8")
    assert "already exists" in refused(*how)
    assert Path("page.html").read_text("utf-8") == "mine"
    done(*how, "--overwrite")


def test_the_page_tells_of_the_file_that_encode_writes(done, png):
    how = ("--method", "channels", "--k", 2)
    assert "from" in done("encode", png, "out.pcai", *how).stdout
    done("report", png, "-o", "page.html", *how)
    page = re.sub(r"(?<=\d)\D(?=\d{3}\b)", "", Path("page.html").read_text("utf-8"))
    assert str(Path("out.pcai").stat().st_size) in page


@pytest.mark.slow
def test_curves_are_drawn_on_request(done, png, monkeypatch):
    # One codec is enough here, and the quickest.
    monkeypatch.setattr(work, "RIVALS", work.RIVALS[:1])
    how = ("--method", "blocks", "--k", 6, "--leave-out", 2)
    done("report", png, "-o", "plain.html", *how)
    done("report", png, "-o", "curves.html", *how, "--curves")
    plain, curves = (Path(name).read_text("utf-8") for name in ("plain.html", "curves.html"))
    assert curves.count("<polyline") + curves.count("<path") > plain.count("<polyline") + plain.count("<path")
    assert "JPEG" in curves
    assert "--leave-out 2" in plain


@pytest.mark.slow
def test_a_stack_is_reported_on_without_other_codecs(done, frames):
    done("report", frames, "-o", "page.html", "--method", "stack", "--k", 3, "--curves")
    assert "--method stack --k 3" in Path("page.html").read_text("utf-8")


def test_what_cannot_be_reported_on_is_refused(refused, png, pcai):
    assert refused("report", png, "-o", "page.txt") == "page.txt must end in .html, the ending of reports."
    assert "already compressed" in refused("report", pcai, "-o", "page.html")
    assert "no folder" in refused("report", png, "-o", "none/page.html")
    assert "not both" in refused("report", png, "-o", "page.html", "--k", 3, "--psnr", 30)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (Settings(), ""),
        (
            Settings(Blocks(4), variance=0.95, step=2.5),
            "--method blocks --block 4 --variance 0.95 --step 2.5",
        ),
        (Settings(Channels(), size=40_000, standardize=True), "--method channels --size 40000 --standardize"),
        (Settings(Stack(), k=3, leave_out=frozenset({12, 3})), "--method stack --k 3 --leave-out 3,12"),
        (Settings(Lapped(), lossless=True), "--method photo --lossless"),
        (Settings(Bands(), max_error=2.0, nodata=-1.0), "--method bands --max-error 2.0 --nodata -1.0"),
        (Settings(mnf=True, k=2), "--k 2 --mnf"),
        (Settings(psnr=38.0, basis=Basis.OWN), "--psnr 38.0 --basis own"),
    ],
)
def test_the_command_says_every_setting(settings, words):
    start = ["pcaimage", "encode", "my cat.png", "my cat.pcai"]
    assert shlex.split(command_of(Path("dir/my cat.png"), settings)) == [*start, *words.split()]

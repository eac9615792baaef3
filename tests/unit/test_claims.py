"""The size that a compressed file may claim is bounded by its length, before memory or disk is taken."""

import doctest
import re
import subprocess
import sys
import tempfile
import tracemalloc
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import pcaimage.api
from pcaimage import Bands, Blocks, Channels, Settings, Stack, container
from pcaimage.api import open_bytes
from pcaimage.cli.declared import parse_size
from pcaimage.codec import Compressed
from pcaimage.codec.compressed import BasisId, Component, header_of
from pcaimage.errors import ImageTooLargeError, ImplausibleSizeError, SettingsError
from pcaimage.imaging import Limits
from pcaimage.insight.lab import STEPS, TEXTS
from pcaimage.varint import write_varint
from tests.typed import typed
from tests.unit.container.files import chunk

EMPTY = "4d00b7230e04430301050018e471b7450101ee970ce7"
"""A mean of no bytes, a component of none, and the end."""

BOMBS = {
    "bands": "89504341490d0a1a10481b010001010008000000000000000000000000f03ff403f403808004aa38129a" + EMPTY,
    "blocks": "89504341490d0a1a10480f004001010008000000000101808004059709b0" + EMPTY,
    "channels": "89504341490d0a1a10481b0100010100080000000000000000000000e06f40f0ab01f0ab0101781e41be"
    + EMPTY,
    "stack": "89504341490d0a1a1048120200010100080000000001a09c01a09c01017b57ff83" + EMPTY,
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_file_of_some_bytes_takes_no_gigabytes(kind, monkeypatch, tmp_path):
    data = bytes.fromhex(BOMBS[kind])
    assert len(data) < 65
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tracemalloc.start()
    try:
        with pytest.raises(ImplausibleSizeError, match=rf"file of only {len(data)} bytes.*--limit"):
            pcaimage.decode(data)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert not list(tmp_path.iterdir())


FLAT = (
    "89504341490d0a1a104819010001000008f40e001100000000000000e06f40dc3dc03e019b869483730b0178da"
    "6360000000020001882cb07d4d0bfffffffeffffffe64cedac867327de43d403010101d9"
    + "00" * 464
    + "da65343e450101ee970ce7"
)
"""63 megapixels of one value, by channels, in slices of no bytes."""


@pytest.mark.slow
def test_a_flat_image_takes_little_more_memory_than_its_pixels():
    if not Path("/proc/self/status").exists():
        pytest.skip("Only Linux tells a process's own peak; elsewhere it includes its parent's.")
    code = f"""
import pcaimage.api
small = pcaimage.decode(pcaimage.encode(pcaimage.decode(bytes.fromhex("{FLAT}"))[:8, :8]))
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(1024 * int(status["VmHWM"].split()[0]))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(found.stdout) < 400_000_000


@pytest.mark.parametrize("kind", BOMBS)
def test_a_limit_in_bytes_opens_what_is_trusted(kind):
    assert open_bytes(bytes.fromhex(BOMBS[kind]), limits=Limits.of_bytes(17_000_000_000)).k == 1


def claiming(shape, sampling, k, **parts):
    """Return an image of k components of no bytes."""
    largest = 255.0 if isinstance(sampling, Bands) else None
    header = replace(header_of(np.zeros((1,) * len(shape), np.uint8), sampling), shape=shape, largest=largest)
    header = replace(header, slice_rows=int(parts.pop("slice_rows", 0)))
    return Compressed(header, b"", (Component(0, b"", b""),) * k, **parts)


COSTLY = {
    "a stack": claiming((40, 1000, 1600, 1), Stack(), 40),
    "a stack of small images": claiming((8000, 80, 100, 1), Stack(), 8000),
    "vectors of bands": claiming((31, 31, 65536), Bands(), 900),
    "scores of bands": claiming((4600, 4600, 3), Bands(), 3),
    "corrections of bands": claiming((4600, 4600, 3), Bands(), 1, residual=b"\1\0"),
    "large blocks": claiming((4600, 4600, 3), Blocks(64), 5000),
    "products": claiming((4600, 4600, 3), Blocks(64), 1400),
}


@pytest.mark.parametrize("kind", COSTLY)
def test_components_that_their_file_cannot_hold_are_refused_before_they_are_decoded(kind):
    data = container.write(COSTLY[kind])
    k = COSTLY[kind].k
    with pytest.raises(
        ImplausibleSizeError, match=rf"with {k:,} component.*file of only {len(data):,} bytes"
    ):
        open_bytes(data)


def test_the_limit_that_a_refusal_names_is_enough():
    for costly in (COSTLY["a stack"], COSTLY["scores of bands"], COSTLY["products"]):
        data = container.write(costly)
        with pytest.raises(ImplausibleSizeError) as refused:
            open_bytes(data)
        named = re.search(r"--limit ([\d.]+[MG]B)", str(refused.value))
        assert named
        limits = Limits.of_bytes(parse_size(named[1]))
        assert open_bytes(data, limits=limits).k == costly.k


def longer(compressed, n_bytes):
    """Return the bytes of a file with so many more that say nothing."""
    data = container.write(compressed)
    end = len(data) - len(chunk(b"E", write_varint(compressed.k)))
    return data[:end] + chunk(b"z", bytes(n_bytes)) + data[end:]


def test_a_longer_file_may_have_more_components():
    assert open_bytes(longer(COSTLY["a stack"], 400_000)).k == 40
    with pytest.raises(ImplausibleSizeError):
        open_bytes(longer(COSTLY["a stack"], 100_000))


def test_what_a_model_lends_is_not_counted_again():
    lent = claiming((64, 6400, 3), Blocks(64), 5000, basis=BasisId(bytes(16), 5000), lacks_basis=True)
    assert open_bytes(container.write(lent)).k == 5000  # their vectors would take 1.3 GB


def test_flat_images_of_a_camera_and_stacks_of_digits_may_be_as_short_as_they_are():
    page = (4000, 6000, 3)
    for shape, sampling, k in (
        (page, Blocks(8), 96),
        (page, Blocks(16), 96),
        (page, Bands(), 1),
        ((10_000, 28, 28, 1), Stack(), 400),
        ((10, 1080, 1920, 3), Stack(), 1),
        ((400, 400, 200), Bands(), 1),
    ):
        flat = claiming(shape, sampling, k, slice_rows=22)
        assert open_bytes(container.write(flat)).k == k


def test_a_limit_in_bytes_refuses_what_is_larger():
    data = pcaimage.encode(np.zeros((40, 50, 3), np.uint8))
    assert open_bytes(data, limits=Limits.of_bytes(6000)).k
    with pytest.raises(ImageTooLargeError):
        open_bytes(data, limits=Limits.of_bytes(5999))
    with pytest.raises(SettingsError):
        Limits.of_bytes(0)


def test_many_large_images_of_the_user_do_not_vouch_for_a_file(monkeypatch):
    monkeypatch.setenv("PCAIMAGE_MAX_PIXELS", str(10**10))
    with pytest.raises(ImplausibleSizeError):
        pcaimage.decode(bytes.fromhex(BOMBS["stack"]))


@pytest.mark.slow
def test_large_pages_with_hardly_anything_on_them_open_without_asking():
    flat = np.full((2400, 3600), 255, np.uint8)
    flat[2000:2010, 3000:3100:9] = 0
    for settings in (Settings(), Settings(Channels()), Settings(Bands())):
        assert open_bytes(pcaimage.encode(flat, settings)).compressed.header.shape[:2] == flat.shape


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("decode", "a.pcai", "a.tif"), ("info", "a.pcai"), ("trim", "a.pcai", "b.pcai", "--k", "1")]
)
def test_the_command_line_tells_the_size_and_takes_it(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    flat = pcaimage.encode(np.zeros((600, 500, 3), np.uint8), Settings(Blocks(8), k=1))
    Path("a.pcai").write_bytes(flat)
    monkeypatch.setattr(Limits, "default", classmethod(lambda cls: cls(max_unbacked_bytes=1)))
    refused = typed(*words)
    assert refused.exit_code == 1
    assert refused.stderr.startswith(
        "pcaimage: a.pcai claims to be an image of 600 × 500 × 3 numbers, which takes 1MB, "
    )
    assert refused.stderr.endswith("(--limit 1MB) to open it.\n")
    accepted = typed(*words, "--limit", "1MB")
    assert accepted.exit_code == 0, accepted.output


def test_more_bands_than_a_tiff_counts_are_refused_in_a_sentence(tmp_path):
    header = "89504341490d0a1a104819010002010008000000000000000000000000f03f01018080044c888669"
    (tmp_path / "a.pcai").write_bytes(bytes.fromhex(header + EMPTY))
    refused = typed("decode", str(tmp_path / "a.pcai"), str(tmp_path / "a.tif"))
    assert refused.exit_code == 1
    assert refused.stderr == "pcaimage: TIFF cannot hold 65536 bands; save the image as ENVI or NPY.\n"
    assert not (tmp_path / "a.tif").exists()


MODULES = (
    "pcaimage",
    "pcaimage.api.arrays",
    "pcaimage.batching.batches",
    "pcaimage.imaging.reading.read",
    "pcaimage.pca.identities",
    "pcaimage.pca.model",
    "pcaimage.pca.moments",
)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.sweep(4)
def test_the_examples_of_a_module_are_true(name):
    tried = doctest.testmod(import_module(name))
    assert tried.attempted
    assert not tried.failed


COURSE = Path(__file__).parents[2] / "docs" / "course.md"


def test_every_example_gives_what_it_says():
    with np.printoptions():
        tried = doctest.testfile(str(COURSE), module_relative=False, encoding="utf-8")
    assert tried.attempted > 40
    assert tried.failed == 0


def test_there_is_a_chapter_for_every_step():
    titles = re.findall(r"^## \d+\. (.+)$", COURSE.read_text("utf-8"), re.MULTILINE)
    assert titles == [step.title for step in STEPS]


def test_every_text_is_gone_through():
    text = COURSE.read_text("utf-8")
    assert all(f"**{each.title}" in text for each in TEXTS)


def test_every_item_of_the_texts_is_shown_by_a_step_unless_it_is_not_about_pca():
    text = COURSE.read_text("utf-8")
    rows = re.findall(r"^\| (\d)\.(\d+) \| (.+) \| (.+) \|$", text, re.MULTILINE)
    numbers = [(int(part), int(item)) for part, item, _, _ in rows]
    assert [sum(part == each for part, _ in numbers) for each in range(5)] == [27, 15, 17, 12, 21]
    assert numbers == sorted(set(numbers))
    titles = {step.title for step in STEPS}
    others = {"any", "the compressor", "the rail of steps"}
    for _, _, item, where in rows:
        assert set(re.split("[,;] ", where.partition(":")[0])) <= titles | others, item

"""Standard input and output, and pipes, in place of files."""

import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image as PillowImage

import pcaimage
from pcaimage import api, container
from pcaimage.api import open_bytes
from pcaimage.cli import files
from pcaimage.codec import Settings
from pcaimage.codec.linear import line_buffer
from pcaimage.errors import DataError, FormatError, ImageError, ImageTooLargeError
from pcaimage.imaging import Limits, read_image
from pcaimage.imaging.cubes import raw
from pcaimage.machine.mapped import is_mapped
from tests.typed import typed
from tests.unit.cli.test_bands import cube


@pytest.fixture
def piped(tmp_path, monkeypatch):
    """Run the program on the bytes of standard input; its copies must be gone afterwards."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))

    def run(data, *words):
        result = typed(*words, input=data)
        assert not list(folder.iterdir())
        return result

    return run


@pytest.mark.slow
def test_an_image_goes_through_streams_and_comes_back(piped, png, picture):
    encoded = piped(png.read_bytes(), "encode", "-", "-", "--lossless")
    assert encoded.exit_code == 0, encoded.stderr
    assert encoded.stderr.startswith("standard output: ")
    assert api.open_bytes(encoded.stdout_bytes).compressed.metadata.name == ""
    decoded = piped(encoded.stdout_bytes, "decode", "-", "-")
    assert decoded.exit_code == 0, decoded.stderr
    assert decoded.stderr.startswith("standard output: 104 × 72, ")
    found = PillowImage.open(io.BytesIO(decoded.stdout_bytes))
    assert found.format == "PNG"
    assert np.array_equal(np.asarray(found), picture)


@pytest.mark.slow
def test_the_format_can_be_chosen_and_a_stack_becomes_a_tiff(piped, pcai, frames):
    for name, start in {"bmp": b"BM", ".tif": b"II*\0", "npy": b"\x93NUMPY", "JPEG": b"\xff\xd8"}.items():
        result = piped(b"", "decode", pcai, "-", "--format", name)
        assert result.exit_code == 0, result.stderr
        assert result.stdout_bytes.startswith(start)
    stack = piped(b"", "encode", frames, "-", "--method", "stack").stdout_bytes
    assert piped(stack, "decode", "-", "-").stdout_bytes.startswith(b"II*\0")


def test_a_stream_can_be_described_and_trimmed_and_json_stays_apart_from_the_file(piped, pcai, png):
    data = pcai.read_bytes()
    assert '"k": 20,' in piped(data, "info", "-", "--json").stdout
    assert piped(png.read_bytes(), "info", "-").stdout.startswith("standard input")
    trimmed = piped(data, "trim", "-", "-", "--k", 7)
    assert "k = 7 of 20" in trimmed.stderr
    assert np.array_equal(pcaimage.decode(trimmed.stdout_bytes), pcaimage.open(pcai).decode(7))
    result = piped(png.read_bytes(), "encode", "-", "-", "--json")
    assert result.stderr.startswith("{")
    assert api.open_bytes(result.stdout_bytes).k


@pytest.mark.parametrize(
    ("words", "data", "reason"),
    [
        (("decode", "-", "a.png"), b"", "Standard input is empty."),
        (("decode", "-", "a.png"), b"\0" * 99, "standard input: This is not a .pcai file."),
        (("decode", "-", "-"), b"\x89PCAI\r\n", "standard input: The file is cut short."),
        (("trim", "-", "a.pcai", "--k", "1"), b"\x89PNG\r\n\x1a\n" * 9, "not a .pcai file"),
        (("encode", "-", "a.pcai"), b"text " * 9, "standard input is not an image of a kind"),
        (("encode", "-", "a.pcai"), b"\x89PNG\r\n\x1a\n" + b"\0" * 99, "standard input is damaged"),
        (("info", "-"), b"\0" * 99, "standard input is not an image of a kind"),
        (("decode", "in.pcai", "-", "--split-bands"), b"", "--split-bands writes a folder"),
        (("decode", "in.pcai", "-", "--format", "hdr"), b"", "several files"),
        (("decode", "in.pcai", "-", "--format", "doc"), b"", "not a format"),
        (("decode", "in.pcai", "a.png", "--format", "png"), b"", "--format is for standard output"),
    ],
)
@pytest.mark.usefixtures("pcai")
@pytest.mark.sweep(6)
def test_what_is_of_no_use_is_refused_in_a_sentence(piped, words, data, reason):
    result = piped(data, *words)
    assert result.exit_code == (2 if words[:2] == ("decode", "in.pcai") else 1)  # 2 for contradictions
    assert not result.stdout_bytes
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(Path().glob("a.*"))


class Endless(io.RawIOBase):
    """A stream without an end, which counts what is read of it."""

    def __init__(self, start):
        self.start, self.taken = start, 0

    def readable(self):
        return True

    def read(self, size=-1):
        assert size >= 0, "An endless stream must not be read whole."
        found = self.start[self.taken : self.taken + size].ljust(size, b"\0")
        self.taken += size
        return found


@pytest.mark.parametrize("verb", ["decode", "encode", "info", "trim"])
def test_an_endless_stream_is_refused_by_its_first_bytes(verb, refused, monkeypatch):
    endless = Endless(b"nothing known")
    monkeypatch.setattr(files, "opened", lambda _: endless)
    words = {"info": (), "trim": ("a.pcai", "--k", "1")}.get(
        verb, ("a.pcai" if verb == "encode" else "a.png",)
    )
    assert "not a" in refused(verb, "-", *words)
    assert endless.taken <= 64


def test_a_stream_is_no_longer_than_its_limit(refused, monkeypatch):
    endless = Endless(b"\x89PNG\r\n\x1a\n")
    monkeypatch.setattr(files, "opened", lambda _: endless)
    assert "more than 0.0 GB" in refused("encode", "-", "a.pcai", "--limit", "3MB")
    assert endless.taken < 6_000_000


def test_a_compressed_input_is_known_by_its_first_bytes(monkeypatch):
    endless = Endless(b"")
    monkeypatch.setattr(Path, "open", lambda *_: endless)
    with pytest.raises(FormatError, match=r"not a \.pcai file"):
        pcaimage.open("/dev/endless")
    assert endless.taken <= 64
    endless = Endless(b"\x89PCAI\r\n\x1a\x10")
    with pytest.raises(ImageTooLargeError, match="save it to a file"):
        pcaimage.open("/dev/endless", limits=Limits(max_bytes=1000))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless device")
def test_a_device_without_an_end_is_answered_at_once(refused):
    assert refused("decode", "/dev/zero", "a.png") == "zero: This is not a .pcai file."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_read_and_waited_for_with_a_word(command, pcai, monkeypatch):
    os.mkfifo("pipe")
    spoken, told = threading.Event(), list[str]()
    monkeypatch.setattr(files, "PATIENCE", 0.01)

    def warn(text):
        told.append(text)
        spoken.set()

    monkeypatch.setattr(files, "warn", warn)

    def write():
        spoken.wait(30)
        Path("pipe").write_bytes(pcai.read_bytes())

    thread = threading.Thread(target=write)
    thread.start()
    result = command("decode", "pipe", "out.png")
    thread.join()
    assert result.exit_code == 0, result.output
    assert told == ["waiting for data from pipe"]
    assert "in pipe" in result.stdout
    assert np.array_equal(np.asarray(PillowImage.open("out.png")), pcaimage.open(pcai).decode())


def test_a_terminal_is_neither_input_nor_output(refused, pcai, monkeypatch):
    class Terminal(io.TextIOWrapper):
        def isatty(self):
            return True

    screen = Terminal(io.BytesIO())
    monkeypatch.setattr(files, "sys", type("System", (), {"stdin": screen, "stdout": screen}))
    assert "Standard output is a terminal" in refused("decode", pcai, "-")
    assert "Standard input is a terminal" in refused("info", "-")


@pytest.mark.slow
def test_a_reader_that_has_enough_ends_the_program_quietly(pcai, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "pcaimage", "trim", str(pcai), "-", "--k", "20"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    process.stdout.close()
    _, said = process.communicate(timeout=60)
    assert b"Traceback" not in said


def test_standard_input_is_compared_and_reported_on(piped, png):
    found = piped(png.read_bytes(), "compare", "-", png, "--json")
    assert found.exit_code == 0, found.stderr
    assert '"max_error": 0' in found.stdout
    assert piped(png.read_bytes(), "compare", png, "-").exit_code == 0
    twice = piped(png.read_bytes(), "compare", "-", "-")
    assert "Standard input is one image" in twice.stderr
    page = piped(png.read_bytes(), "report", "-", "-o", "-", "--k", "3", "--method", "blocks")
    assert page.exit_code == 0, page.stderr
    assert page.stdout.startswith("<!DOCTYPE html>")
    assert "pcaimage encode - image.pcai --method blocks" in page.stdout
    assert page.stderr.startswith("standard output: standard input in ")


@pytest.mark.parametrize(
    "words", [("compare", "a.npy", "a.npy"), ("report", "a.npy", "-o", "a.html", "--pages", "bands")]
)
def test_a_limit_holds_for_comparisons_and_reports(command, words):
    np.save("a.npy", np.zeros((30, 20, 3), np.uint8) + np.arange(20, dtype=np.uint8)[:, None])
    refused = command(*words, "--limit", "1KB")
    assert refused.exit_code == 1
    assert "30 pixels" in refused.stderr
    assert command(*words, "--limit", "2KB").exit_code == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize("flags", [(), ("--overwrite",)])
def test_a_pipe_as_output_is_refused_before_any_work(refused, png, flags, monkeypatch):
    def work(*_, **__):
        raise AssertionError

    monkeypatch.setattr("pcaimage.cli.encode.api.compress_image", work)
    os.mkfifo("pipe.pcai")
    said = refused("encode", png, "pipe.pcai", *flags)
    assert said.startswith("pipe.pcai is a pipe, a device or the like")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no process is killed so")
def test_copies_of_killed_runs_are_removed_by_the_next(pcai, tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    environment = {**os.environ, "TMPDIR": str(folder)}
    process = subprocess.Popen(
        [sys.executable, "-m", "pcaimage", "info", "-"], stdin=subprocess.PIPE, env=environment
    )
    process.stdin.write(pcai.read_bytes()[:-1])
    process.stdin.flush()
    end = time.monotonic() + 60
    while not list(folder.glob("*/standard input")):
        assert time.monotonic() < end
        time.sleep(0.02)
    process.kill()
    process.wait()
    process.stdin.close()
    assert len([*folder.iterdir()]) == 1
    words = [sys.executable, "-m", "pcaimage", "info", "-"]
    subprocess.run(words, input=pcai.read_bytes(), env=environment, check=True, capture_output=True)
    assert not list(folder.iterdir())


@pytest.fixture
def small_memory(monkeypatch):
    """Whatever has more than 4 KB counts as large."""
    monkeypatch.setattr(line_buffer, "IN_MEMORY", 1 << 12)
    monkeypatch.setattr(raw, "MAP_FROM", 1 << 12)


@pytest.mark.usefixtures("small_memory")
@pytest.mark.parametrize("kind", ["int16", "float32"])
@pytest.mark.parametrize("option", ["--psnr", "--max-error"])
@pytest.mark.slow
def test_a_cube_goes_from_file_to_file(done, tmp_path, kind, option):
    array = cube(kind, None)
    np.save(tmp_path / "cube.npy", np.ascontiguousarray(np.moveaxis(array, 2, 0)))
    done("encode", "cube.npy", "cube.pcai", option, 50 if option == "--psnr" else 0.01)
    assert is_mapped(pcaimage.open(tmp_path / "cube.pcai").decode())
    done("decode", "cube.pcai", "out.hdr")
    done("decode", "cube.pcai", "out.npy")
    done("decode", "cube.pcai", "out.tif")
    found = np.load("out.npy")
    assert found.shape == array.shape
    assert np.abs(found - array.astype(float)).max() < (0.05 if kind == "float32" else 30)
    done("compare", "out.npy", "out.hdr")
    assert not list(tmp_path.glob("tmp*"))


@pytest.mark.usefixtures("small_memory")
def test_a_mapped_reconstruction_is_the_same_and_a_full_disk_is_told(monkeypatch):
    data = pcaimage.encode(cube("uint16", None), Settings(lossless=True))
    mapped = pcaimage.decode(data)
    assert is_mapped(mapped)
    with monkeypatch.context() as full:
        full.setattr(line_buffer.shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
        with pytest.raises(DataError, match=r"not as much room in .*TMPDIR"):
            pcaimage.decode(data)
    monkeypatch.setattr(line_buffer, "IN_MEMORY", 1 << 30)
    assert not is_mapped(pcaimage.decode(data))
    assert np.array_equal(mapped, pcaimage.decode(data))


def test_the_limit_of_a_cube_is_that_of_mapped_files():
    array = cube("uint16", None)
    data, size = pcaimage.encode(array, Settings(k=2)), array.nbytes
    assert open_bytes(data, limits=Limits(max_bytes=size // 2)).k == 2
    with pytest.raises(ImageTooLargeError, match="GB in all"):
        open_bytes(data, limits=Limits(max_mapped_bytes=size - 1))
    with pytest.raises(ImageTooLargeError, match="of memory to decode"):
        open_bytes(data, limits=Limits(max_bytes=18 * 23 * 2 - 1))
    with pytest.raises(ImageTooLargeError, match="GB in all"):
        pcaimage.decode(data, limits=Limits(max_mapped_bytes=1))
    with pytest.raises(FormatError, match="more numbers than the limit"):
        container.read(data, max_numbers=100)
    assert pcaimage.decode(data).shape == (18, 23, 6)


def test_a_mask_of_every_sample_is_limited_too():
    array = cube("uint16", 7.0)
    array[0, 0, 0] = 7
    data = pcaimage.encode(array, Settings(k=1, nodata=7))
    with pytest.raises(ImageTooLargeError, match="of memory to decode"):
        open_bytes(data, limits=Limits(max_bytes=array.size - 1))
    assert open_bytes(data, limits=Limits(max_bytes=array.size)).k == 1


def test_files_at_urls_are_read_in_the_place_of_files(tmp_path, done, refused):
    fsspec = pytest.importorskip("fsspec")
    pixels = cube()
    place, written = f"{tmp_path}/store/cube.npy".replace("\\", "/"), tmp_path / "cube.pcai"
    with fsspec.open(f"memory://{place}", "wb") as file:
        np.save(file, pixels)
    done("encode", f"memory://{place}", str(written), "--lossless")
    with fsspec.open("memory://cube.pcai", "wb") as file:
        file.write(written.read_bytes())
    done("decode", "memory://cube.pcai", str(tmp_path / "out.npy"))
    assert np.array_equal(np.load(tmp_path / "out.npy"), pixels)
    assert "cube.npy" in done("info", "memory://cube.pcai").stdout
    assert np.array_equal(pcaimage.open("memory://cube.pcai").decode(), pixels)
    assert np.array_equal(read_image(f"memory://{place}").pixels, pixels)
    for target in ("memory://store/out.hdr", (tmp_path / "out.hdr").as_uri()):
        done("decode", str(written), target)
        with fsspec.open(target.replace("hdr", "img")) as file:
            assert file.read() == pixels.transpose(2, 0, 1).tobytes()
        assert "already exists" in refused("decode", str(written), target)
    done("decode", str(written), "memory://store/out.zarr")
    assert fsspec.filesystem("memory").exists("/store/out.zarr/0/.zarray")
    pcaimage.save("memory://cube.pcai", pixels, Settings(lossless=True), overwrite=True)
    found = bytes(fsspec.filesystem("memory").cat("/cube.pcai"))
    assert found == pcaimage.encode(pixels, Settings(lossless=True))
    with pytest.raises(ImageError, match="already exists"):
        pcaimage.save(Path("memory://cube.pcai"), pixels)
    assert "cannot be read: there is no such file or folder." in refused("info", "memory://no.pcai")

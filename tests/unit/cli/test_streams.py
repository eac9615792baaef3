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

import numpy as np
import pytest
from PIL import Image as PillowImage

import pcaimage
from pcaimage import api
from pcaimage.cli import files
from pcaimage.errors import FormatError, ImageTooLargeError
from pcaimage.imaging import Limits
from tests.typed import typed


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
        (("decode", "in.pcai", "-", "--format", "hdr"), b"", "two files"),
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

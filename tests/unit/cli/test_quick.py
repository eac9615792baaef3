"""Command lines that are read without Typer mean what they mean to Typer."""

import inspect
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pcaimage.cli import commands, quick
from pcaimage.cli.program import app

UNDERSTOOD = [
    "encode in.nc out.pcai --array t --select time=0 --max-error 0.05K",
    "info in.nc --select=time=1",
    "encode a.png b.pcai",
    "encode a.png b.pcai --psnr 38 --overwrite",
    "encode --size=40KB a.png b.pcai --method photo --json",
    "encode a.png b.pcai --method blocks --block 16 --k 20 --step 2.5",
    "encode a.png b.pcai --variance 95% --standardize",
    "encode a.png b.pcai --leave-out 3,7,12-20 --basis own",
    "encode cube.hdr b.pcai --nodata nan --max-error 2 --mnf --pages bands",
    "encode cube.hdr b.pcai --nodata=-9999",
    "encode a.png b.pcai --model m.pcai --limit 2GB --ssim .97",
    "encode - - --step 1e1",
    "encode -- -a.png b.pcai",
    "decode a.pcai b.png",
    "decode a.pcai - --format tif --k 3 --quality 90 --compression 9",
    "decode a.pcai bands --split-bands --salvage --index 2 --model m.pcai",
    "info a.pcai --json",
    "info a.pcai --limit 1.5MiB",
    "compare a.png b.png",
    "trim a.pcai b.pcai --k 10 --overwrite",
    "table data.csv --standardize --k 2 --no-header --digits 5",
    "table data.csv --header --labels name --variance .9 --deflation --json",
    "report a.png -o a.html --curves --psnr 40",
    "report a.png --output a.html",
    "gui",
    "gui a.png b.pcai",
    "",
]

LEFT_TO_TYPER = [
    "--help",
    "--version",
    "explode",
    "encode",
    "encode a.png",
    "encode a.png b.pcai c.pcai",
    "encode a.png b.pcai --help",
    "encode -h",
    "encode a.png b.pcai --k",
    "encode a.png b.pcai --k many",
    "encode a.png b.pcai --k 1_000",
    "encode a.png b.pcai --k=",
    "encode a.png b.pcai --size huge",
    "encode a.png b.pcai --variance 120%",
    "encode a.png b.pcai --method magic",
    "encode a.png b.pcai --method PHOTO",
    "encode a.png b.pcai --json=yes",
    "encode a.png b.pcai --nodata -9999",
    "encode a.png b.pcai --k 3 --k 4",
    "encode a.png b.pcai -x",
    "decode a.pcai b.png --index 0",
    "decode a.pcai b.png --compression 10",
    "trim a.pcai b.pcai",
    "report a.png",
    "table data.csv --header --no-header",
    "--json info a.pcai",
]


@pytest.fixture
def called(monkeypatch):
    """Return what the implementations of commands are called with, in place of their work."""
    calls = list[tuple[str, dict[str, Any]]]()

    def note(module, name):
        found = getattr(__import__(f"pcaimage.cli.{module}", fromlist=[name]), name)
        signature = inspect.signature(found)

        def work(*args, **more):
            given = signature.bind(*args, **more)
            given.apply_defaults()
            calls.append((name, dict(given.arguments)))
            return 0

        monkeypatch.setattr(f"pcaimage.cli.{module}.{name}", work)

    for command in commands.ALL[:-1]:
        note(command.__name__, command.__name__)
    note("window", "open_window")
    return calls


@pytest.mark.parametrize("line", UNDERSTOOD)
@pytest.mark.sweep(7)
def test_what_is_read_is_what_typer_reads(called, line):
    command = quick.read(line.split())
    assert command is not None
    with suppress(SystemExit):  # the window's exit code
        command()
    result = CliRunner().invoke(app, line.split())
    assert result.exit_code == 0, result.output
    assert len(called) == 2
    # Two values that are NaN are not equal; what they are printed as is.
    assert repr(called[0]) == repr(called[1])


@pytest.mark.parametrize("line", LEFT_TO_TYPER)
@pytest.mark.sweep(7)
def test_what_needs_an_explanation_is_left_to_typer(line):
    assert quick.read(line.split()) is None


def test_an_empty_word_is_left_to_typer():
    assert quick.read(["info", ""]) is None
    assert quick.read(["encode", "a.png", "b.pcai", "--model", ""]) is None


def test_completion_is_left_to_typer(monkeypatch):
    monkeypatch.setenv("_PCAIMAGE_COMPLETE", "complete_bash")
    assert quick.read(["info", "a.pcai"]) is None


def test_wildcards_are_left_to_typer_where_shells_leave_them(monkeypatch):
    assert quick.read(["gui", "*.png"]) is not None
    monkeypatch.setattr(sys, "platform", "win32")
    assert quick.read(["gui", "*.png"]) is None


@pytest.mark.slow
def test_a_mistake_is_explained_by_the_program():
    answer = subprocess.run(
        [sys.executable, "-m", "pcaimage", "trim", "a.pcai", "b.pcai"],
        cwd=Path(__file__).resolve().parents[3],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert answer.returncode == 2
    assert "Missing option" in answer.stderr

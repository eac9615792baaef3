"""The program as a process: streams, signals, exit codes, and how soon it answers."""

import errno
import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PillowImage

from pcaimage import imaging
from pcaimage.cli import main, terminal
from pcaimage.errors import Cancelled

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = [sys.executable, "-m", "pcaimage"]
TIMEOUT = 120
"""Seconds after which a process is taken to hang, however busy the machine is."""


def environment(**changes):
    return {**os.environ, "PYTHONPATH": str(ROOT), **changes}


def ran(words, program=PROGRAM, **named):
    named = {"env": environment(), "capture_output": True, "text": True, "timeout": TIMEOUT, **named}
    return subprocess.run([*program, *words], check=False, **named)


def test_help_is_given_for_every_command(done):
    overview = done("--help").stdout
    assert done("-h").stdout == overview
    for name in ("encode", "decode", "info", "compare", "trim", "table", "report", "gui"):
        assert name in overview
        told = done(name, "--help").stdout
        assert done(name, "-h").stdout == told
        assert re.search(r"--help, -h +Show this message", told)
        for flag in ("--overwrite", "--json", "--salvage", "--lossless", "--curves"):
            assert not re.search(rf"{flag} +[A-Z]+ ", told)  # it has no type


def test_helping_loads_neither_numpy_nor_the_window():
    program = (
        "import sys\nfrom pcaimage.cli.main import call\n"
        "try: call(['--help'])\n"
        "except SystemExit: print({'numpy', 'PIL', 'PySide6'} & set(sys.modules))"
    )
    answer = ran(["-c", program], [sys.executable])
    assert answer.stdout.splitlines()[-1] == "set()"


@pytest.mark.slow
def test_what_lacks_is_told_where_nothing_is_installed():
    said = ran(["-S", "-m", "pcaimage", "doctor"], [sys.executable])
    assert (said.returncode, said.stderr) == (1, "")
    assert "-m pip install numpy" in said.stdout


def test_an_image_goes_through_a_process_and_comes_back(png):
    for line in ("encode in.png out.pcai", "decode out.pcai back.png"):
        assert ran(line.split(), cwd=png.parent).returncode == 0
    again = ran(["decode", "out.pcai", "back.png"], cwd=png.parent)
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr == "pcaimage: back.png already exists; --overwrite replaces it.\n"


full_disk = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="the system has no device that is always full"
)

PRINTING = (
    *("--help", "--version", "info in.pcai", "info in.pcai --json", "info --help", "compare in.png in.pcai"),
    *("encode in.png out.pcai --method blocks --k 9", "encode in.png out.pcai --method blocks --k 9 --json"),
    *("compare in.png in.pcai --json", "table table.csv", "table table.csv --json"),
)


def ended(folder, words, **streams):
    """Run the program as a user's shell does, with buffered streams; return its exit code and stderr."""
    process = subprocess.run(
        [*PROGRAM, *words],
        cwd=folder,
        # Set on many developers' machines only; without a buffer the disk is found full at once.
        env={name: value for name, value in environment().items() if name != "PYTHONUNBUFFERED"},
        check=False,
        timeout=TIMEOUT,
        **{"stderr": subprocess.PIPE, **streams},
    )
    return process.returncode, (process.stderr or b"").decode()


@full_disk
@pytest.mark.parametrize("line", PRINTING)
@pytest.mark.sweep(8)
def test_a_full_disk_behind_the_output_is_told_in_a_sentence(pcai, line):
    pcai.with_name("table.csv").write_text("1,2\n3,5\n4,4\n")
    with Path("/dev/full").open("wb") as full:
        code, said = ended(pcai.parent, line.split(), stdout=full)
    assert (code, said) == (1, "pcaimage: No space left on device.\n")


@full_disk
@pytest.mark.parametrize(
    "words",
    [["--help"], ["--version"], ["info", "in.pcai"], ["info", "in.pcai", "--json"], ["info", "gone.pcai"]],
    ids=" ".join,
)
@pytest.mark.slow
def test_full_disks_behind_both_streams_and_readers_that_have_had_enough_are_told_by_the_exit_code(
    pcai, words
):
    with Path("/dev/full").open("wb") as full:
        assert ended(pcai.parent, words, stdout=full, stderr=full) == (1, "")
    if "gone.pcai" not in words:
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            assert ended(pcai.parent, words, stdout=pipe) == (1, "")


@pytest.mark.slow
def test_an_encoding_without_the_letters_gets_question_marks(pcai):
    process = ran(["info", pcai], env=environment(PYTHONIOENCODING="ascii"))
    assert process.returncode == 0
    assert "104 ? 72 pixels" in process.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.sweep(3)
def test_interrupting_leaves_nothing_behind(tmp_path, number):
    noise = np.random.default_rng(0).integers(0, 256, (1000, 1000, 3), np.uint8)
    PillowImage.fromarray(noise).save(tmp_path / "large.bmp")
    with on_terminal("encode", "large.bmp", "out.pcai", "--step", "1", folder=tmp_path) as (process, ours):
        seen = shown(ours, until=b"Compressing")
        assert b"Compressing" in seen
        process.send_signal(number)
        seen += shown(ours)
        said, _ = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, said) == (130, "")
    assert b"Traceback" not in seen
    assert [path.name for path in tmp_path.iterdir()] == ["large.bmp"]


def test_a_signal_stops_work_of_a_program_that_ignores_ctrl_c():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # as of a program that a script runs in the background
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as by nohup
        terminal.end_on_signals()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        with terminal.progress_bar("Working") as progress:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)
            with pytest.raises(Cancelled):
                progress(1, 2)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def on_terminal(*words, folder):
    """Start the program with a terminal for its stderr; give that terminal's other side."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, *words],
        cwd=folder,
        env=environment(TERM="xterm", NO_COLOR="1"),
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    ) as process:
        os.close(theirs)
        try:
            yield process, ours
        finally:
            process.kill()
            os.close(ours)


def shown(terminal_side, until=None):
    """Return what appears on a terminal, until something does or the program has gone."""
    seen, end = b"", time.monotonic() + TIMEOUT
    while until is None or until not in seen:
        ready, _, _ = select.select([terminal_side], [], [], max(end - time.monotonic(), 0))
        assert ready, f"nothing more came after {seen!r}"
        try:
            piece = os.read(terminal_side, 1 << 12)
        except OSError:  # what Linux says when nobody holds the other side any more
            break
        if not piece:
            break
        seen += piece
    return seen


@pytest.mark.slow
def test_a_terminal_sees_progress_that_goes_away(png):
    words = ("encode", png.name, "out.pcai", "--method", "blocks", "--k", "9")
    with on_terminal(*words, folder=png.parent) as (process, ours):
        seen = shown(ours).decode()
        said, _ = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0
    assert "Compressing in.png" in seen
    assert seen.rstrip().endswith("\x1b[2K")
    assert "\x1b[3" not in seen  # NO_COLOR
    assert "Compressing" not in said


def test_progress_is_reported_where_there_is_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with terminal.progress_bar("Working on [x]") as progress:
        progress(1, 2)
    assert "Working on [x]" in screen.getvalue()
    assert "50 %" in screen.getvalue()


def test_ctrl_c_stops_all_threads_that_tell_of_their_progress():
    with terminal.progress_bar("Working") as progress:
        progress(1, 2)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(progress, 2, 2)
        with pytest.raises(Cancelled):
            other.result()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "There is not enough memory for this image."),
        (OSError(errno.EIO, "Input/output error", "a.png"), "a.png: input/output error."),
        (OSError(errno.EIO, "Input/output error"), "Input/output error."),
        (OSError("odd"), "Odd."),
        (KeyboardInterrupt(), None),
        (ZeroDivisionError(), None),
    ],
)
def test_trouble_of_the_machine_is_told_in_a_sentence(command, refused, monkeypatch, png, error, sentence):
    def fail(_, **__):
        raise error

    monkeypatch.setattr(imaging, "read_image", fail)
    if sentence is not None:
        assert refused("encode", png, "out.pcai") == sentence
    elif isinstance(error, KeyboardInterrupt):
        result = command("encode", png, "out.pcai")
        assert (result.exit_code, result.output) == (130, "")
    else:  # a mistake in the program is not hidden
        with pytest.raises(ZeroDivisionError):
            command("encode", png, "out.pcai")


def test_the_entry_point_runs_what_was_typed(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["anything", "--version"])
    main.run()
    assert capsys.readouterr().out.startswith("pcaimage ")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code"), [("in.pcai", 0), ("gone.pcai", 1)])
def test_streams_that_are_closed_do_no_harm(pcai, name, code):
    line = f'"{sys.executable}" -m pcaimage info {name} >&- 2>&-'
    process = ran(["-c", line], ["/bin/sh"], cwd=pcai.parent, capture_output=False)
    assert process.returncode == code

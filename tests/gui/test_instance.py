"""A second start of the program hands its files to the window that is open."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QDialog

from pcaimage import handover
from pcaimage.gui.instance import Instance

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from pcaimage.gui.window import MainWindow

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sockets of other systems are tested")

WATCHED = """
import sys
from pcaimage.gui import app
real = app.make_window
def make(*arguments):
    window = real(*arguments)
    window.windowTitleChanged.connect(lambda title: print("title", title, flush=True))
    window.messages.changed.connect(lambda: print("message", window.messages.text, flush=True))
    return window
app.make_window = make
from pcaimage.cli.main import run
sys.argv = ["pcaimage", "gui", *sys.argv[1:]]
run()
"""
"""The program, which prints what its window shows."""


class Program:
    """A process with a window."""

    def __init__(self, *arguments: str | Path, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WATCHED, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self.lines: list[str] = []
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def end(self) -> None:
        """End the process, and let go of what it printed to."""
        self.process.kill()
        self.process.wait()
        self._reading.join()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.lines.extend(iter(self.process.stdout.readline, ""))

    def until(self, text: str) -> str:
        """Wait until the window shows a text, and return the line."""
        end = time.monotonic() + 90
        while time.monotonic() < end:
            found = [line for line in self.lines if text in line]
            if found:
                return found[-1]
            assert self.process.poll() is None, self.lines
            time.sleep(0.05)
        raise AssertionError(f"{text!r} is not in {self.lines}")


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    folder = Path("/tmp") / f"pcaimage-test-{os.getpid()}"  # noqa: S108 - a socket's path must be short
    folder.mkdir(0o700, exist_ok=True)
    home = tmp_path_factory.mktemp("home")
    names = {"XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home, "HOME": home}
    yield {**os.environ, "QT_QPA_PLATFORM": "offscreen", **{name: str(at) for name, at in names.items()}}
    shutil.rmtree(folder)


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Callable[..., Program]]:
    begun: list[Program] = []

    def start(*arguments: str | Path) -> Program:
        begun.append(Program(*arguments, environment=environment))
        return begun[-1]

    yield start
    for each in begun:
        each.end()


@pytest.fixture
def place(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address at which a window of this test listens."""
    for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, environment[name])
    where = handover.address()
    assert where is not None
    yield where
    while handover.held_locks:
        os.close(handover.held_locks.pop())


@pytest.mark.slow
def test_files_go_to_the_open_window_and_what_was_open_is_offered_after_a_crash(
    start: Callable[..., Program], environment: dict[str, str], photo: Path, draw: Callable[..., Path]
) -> None:
    other = draw(photo.with_name("other.png"), 20, 24, 3)
    first = start(photo)
    first.until("title photo.png")
    second = subprocess.run(
        [sys.executable, "-m", "pcaimage", "gui", "other.png"], env=environment, cwd=other.parent, check=False
    )
    assert second.returncode == 0
    first.until("title other.png")
    notes = Path(environment["XDG_STATE_HOME"], "pcaimage", "windows")
    end = time.monotonic() + 30
    while not any(b"other.png" in note.read_bytes() for note in notes.glob("*/open.json")):
        assert time.monotonic() < end
        time.sleep(0.05)

    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    third = start()
    third.until("message pcaimage ended unexpectedly while other.png was open.")
    beside = start("--new-window", photo)
    beside.until("title photo.png")
    assert third.process.poll() is None
    assert not any("ended unexpectedly" in line for line in beside.lines)  # the other window offers it
    for each in (third, beside):
        each.process.send_signal(signal.SIGTERM)
        assert each.process.wait(60) == 128 + signal.SIGTERM
    assert len([*notes.iterdir()]) == 1  # what nobody has declined yet


def test_a_request_is_answered_and_told(qtbot: QtBot, place: str) -> None:
    assert not handover.hand_over(["a.png"], place)
    assert handover.listens()
    instance = Instance(place)
    assert instance.listening
    assert oct(Path(place).stat().st_mode & 0o077) == "0o0"
    taken: list[bool] = []
    with qtbot.waitSignal(instance.asked) as asked:
        ask = threading.Thread(target=lambda: taken.append(handover.hand_over(["a.png", "\udcff"], place)))
        ask.start()
    qtbot.waitUntil(lambda: bool(taken))
    assert taken == [True]
    assert asked.args == [[str(Path.cwd() / "a.png"), str(Path.cwd() / "\udcff")]]
    instance.close()


def test_a_socket_that_was_left_is_replaced(place: str) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(place)
    assert Path(place).exists()
    assert not handover.hand_over([], place)
    instance = Instance(place)
    assert instance.listening
    instance.close()


def test_a_window_that_is_starting_is_waited_for(qtbot: QtBot, place: str) -> None:
    assert not handover.hand_over([], place)  # it holds the lock, and does not listen yet
    taken: list[bool] = []
    ask = threading.Thread(target=lambda: taken.append(handover.hand_over(["b.png"], place)))
    ask.start()
    qtbot.wait(100)
    assert not taken
    instance = Instance(place)
    qtbot.waitUntil(lambda: taken == [True], timeout=20_000)
    instance.close()


def test_a_window_that_hangs_is_not_waited_for_for_ever(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handover, "ANSWERING", 0.05)
    monkeypatch.setattr(handover, "STARTING", 0.2)
    assert not handover.hand_over([], place)
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(place)
        deaf.listen()
        assert not handover.hand_over(["a.png"], place)
    assert len(handover.held_locks) == 1


WRONG = (
    b"",
    b"no json\n",
    b"[]\n",
    b'{"version": 99, "files": [], "token": ""}\n',
    b'{"version": 1}\n',
    b'{"version": 1, "files": [3], "token": ""}\n',
    b"[" * 100_000 + b"\n",
    b"x" * (handover.MOST_BYTES + 2),
)


@pytest.mark.parametrize("request_", WRONG, ids=range(len(WRONG)))
def test_what_is_no_request_is_not_answered(qtbot: QtBot, place: str, request_: bytes) -> None:
    instance = Instance(place)
    heard: list[Any] = []
    instance.asked.connect(heard.append)
    answers: list[bytes] = []

    def ask() -> None:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(place)
            try:
                connection.sendall(request_)
                connection.shutdown(socket.SHUT_WR)
                answers.append(connection.recv(10))
            except OSError:
                answers.append(b"")

    threading.Thread(target=ask, daemon=True).start()
    qtbot.waitUntil(lambda: bool(answers), timeout=20_000)
    assert answers == [b""]
    assert not heard
    instance.close()


def test_requests_wait_for_a_dialog(qtbot: QtBot, window: MainWindow, place: str) -> None:
    instance = Instance(place)
    heard: list[list[str]] = []
    instance.asked.connect(heard.append)
    dialog = QDialog(window)
    dialog.open()
    assert dialog.isModal()
    instance.ask(["a.png"], "")
    qtbot.wait(20)
    assert not heard
    dialog.reject()
    qtbot.waitUntil(lambda: heard == [["a.png"]])
    instance.close()


def test_without_a_place_for_a_socket_every_start_has_its_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "")
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/state")
    assert handover.address() is None
    assert not handover.hand_over(["a.png"], None)
    assert not handover.listens()


def test_each_screen_has_its_window(monkeypatch: pytest.MonkeyPatch) -> None:
    first = handover.address()
    monkeypatch.setenv("DISPLAY", ":93")
    assert handover.address() != first


@pytest.mark.qt_log_ignore("does not support")
def test_the_window_comes_to_the_front(window: MainWindow) -> None:
    window.showMinimized()
    window.come_to_front()
    assert not window.isMinimized()
    assert window.isVisible()


def test_connections_that_are_open_end_with_the_window(qtbot: QtBot, place: str) -> None:
    for _ in range(20):
        instance = Instance(place)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(place)
            connection.sendall(b"{")
            qtbot.wait(1)
            instance.close()
            del instance
            assert is_ended(connection)
    qtbot.wait(1)


def is_ended(connection: socket.socket) -> bool:
    """Return whether the other side has ended a connection: Linux calls it reset if bytes were not read."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True

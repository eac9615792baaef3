"""A second start of the program hands its files to the window that is open."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QDialog

from pcaimage.gui.app import TOGETHER, Instance
from pcaimage.machine import handover

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sockets of other systems are tested")

WATCHED = (Path(__file__).parent / "watched.txt").read_text("utf-8")
"""The program, which prints what its window shows."""


class Program:
    """A process with a window."""

    def __init__(self, *arguments, environment):
        self.process = subprocess.Popen(
            [sys.executable, "-c", WATCHED, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self.lines = []
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def end(self):
        """End the process, and let go of what it printed to."""
        self.process.kill()
        self.process.wait()
        self._reading.join()
        self.process.stdout.close()

    def _read(self):
        self.lines.extend(iter(self.process.stdout.readline, ""))

    def until(self, text):
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
def environment(tmp_path_factory):
    folder = Path("/tmp") / f"pcaimage-test-{os.getpid()}"  # noqa: S108 - a socket's path must be short
    folder.mkdir(0o700, exist_ok=True)
    home = tmp_path_factory.mktemp("home")
    names = {"XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home, "HOME": home}
    yield {**os.environ, "QT_QPA_PLATFORM": "offscreen", **{name: str(at) for name, at in names.items()}}
    shutil.rmtree(folder)


@pytest.fixture
def start(environment):
    begun = []

    def start(*arguments):
        begun.append(Program(*arguments, environment=environment))
        return begun[-1]

    yield start
    for each in begun:
        each.end()


@pytest.fixture
def place(environment, monkeypatch):
    """The address at which a window of this test listens."""
    for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, environment[name])
    where = handover.address()
    assert where is not None
    yield where
    while handover.held_locks:
        os.close(handover.held_locks.pop())


def hand_over(*files, environment):
    """Start the program beside the one that runs."""
    command = [sys.executable, "-m", "pcaimage", "gui", *map(str, files)]
    assert subprocess.run(command, env=environment, check=False).returncode == 0


@pytest.mark.slow
def test_a_file_that_is_handed_over_opens_whatever_is_asked(start, environment, photo, draw):
    """Ten files by processes of their own, every other one while the window asks about images."""
    alike = [draw(photo.with_name(f"{name}.png"), 20, 24, 3) for name in "ab"]
    first = start(photo)
    first.until("title photo.png")
    for number in range(10):
        other = draw(photo.with_name(f"other {number}.png"), 22, 24, 3, seed=number)
        if number % 2:
            hand_over(*alike, environment=environment)
            first.until(f"question {number // 2}")
            time.sleep(TOGETHER / 1000)  # or the question would be about all three
        hand_over(other, environment=environment)
        first.until(f"title {other.name}")
        time.sleep(TOGETHER / 1000)
    assert sum("question" in line for line in first.lines) == 5
    hand_over(alike[0], environment=environment)
    hand_over(alike[1], environment=environment)
    first.until("title a.png")
    first.process.send_signal(signal.SIGTERM)
    assert first.process.wait(60) == 128 + signal.SIGTERM
    assert sum("question" in line for line in first.lines) == 5


@pytest.mark.slow
def test_files_go_to_the_open_window_and_what_was_open_is_offered_after_a_crash(
    start, environment, photo, draw
):
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


def test_a_request_is_answered_and_told(qtbot, place):
    assert not handover.hand_over(["a.png"], place)
    assert handover.listens()
    instance = Instance(place)
    assert instance.listening
    assert oct(Path(place).stat().st_mode & 0o077) == "0o0"
    taken = []
    with qtbot.waitSignal(instance.asked) as asked:
        ask = threading.Thread(target=lambda: taken.append(handover.hand_over(["a.png", "\udcff"], place)))
        ask.start()
    qtbot.waitUntil(lambda: bool(taken))
    assert taken == [True]
    assert asked.args == [[str(Path.cwd() / "a.png"), str(Path.cwd() / "\udcff")], False]
    instance.close()


def test_requests_that_come_together_are_one(qtbot, place, monkeypatch):
    instance = Instance(place)
    told = []
    instance.asked.connect(lambda files, apart: told.append((files, apart)))
    for name in "abca":
        instance.ask([name], "")
    qtbot.waitUntil(lambda: bool(told))
    instance.ask(["d"], "")  # within a second of the others
    qtbot.waitUntil(lambda: len(told) == 2)
    assert told == [(["a", "b", "c"], True), (["a", "b", "c", "d"], True)]
    instance.close()

    monkeypatch.setattr("pcaimage.gui.app.TOGETHER", 0)
    alone = Instance(place)
    alone.asked.connect(lambda files, apart: told.append((files, apart)))
    for name in "ab":
        alone.ask([name], "")
        qtbot.waitUntil(lambda name=name: told[-1] == ([name], False))
    alone.close()


def test_a_socket_that_was_left_is_replaced(place):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(place)
    assert Path(place).exists()
    assert not handover.hand_over([], place)
    instance = Instance(place)
    assert instance.listening
    instance.close()


def test_a_window_that_is_starting_is_waited_for(qtbot, place):
    assert not handover.hand_over([], place)  # it holds the lock, and does not listen yet
    taken = []
    ask = threading.Thread(target=lambda: taken.append(handover.hand_over(["b.png"], place)))
    ask.start()
    qtbot.wait(100)
    assert not taken
    instance = Instance(place)
    qtbot.waitUntil(lambda: taken == [True], timeout=20_000)
    instance.close()


def test_a_window_that_hangs_is_not_waited_for_for_ever(place, monkeypatch):
    monkeypatch.setattr(handover, "ANSWERING", 0.05)
    monkeypatch.setattr(handover, "STARTING", 0.2)
    assert not handover.hand_over([], place)
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(place)
        deaf.listen()
        assert not handover.hand_over(["a.png"], place)
    assert len(handover.held_locks) == 1


REQUEST = b'{"version": 1, "files": ["a.png"], "token": ""}\n'
ODD = b'{"version": 99, "files": [], "token": ""}\n', b'{"version": 1}\n', REQUEST.replace(b'"a.png"', b"3")
LONG = (
    b"[" * 100_000 + b"\n",
    b"[" * 200_000 + b"\n",
    b"x" * (handover.MOST_BYTES + 2),
    b"x" * 3_000_000 + b"\n",
)
NULLS = REQUEST.replace(b"a.png", b"a\\u0000.png"), REQUEST.replace(b'""', b'"\\u0000"')
WRONG = b"", b"no json\n", b"[]\n", *ODD, *LONG, *NULLS, REQUEST * 2


@pytest.mark.parametrize("request_", WRONG, ids=range(len(WRONG)))
def test_what_is_no_request_is_not_answered(qtbot, place, request_):
    instance = Instance(place)
    heard = []
    instance.asked.connect(heard.append)
    answers = []

    def ask():
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


def test_requests_wait_for_a_dialog(qtbot, window, place):
    instance = Instance(place)
    heard = []
    instance.asked.connect(lambda files, _: heard.append(files))
    dialog = QDialog(window)
    dialog.open()
    assert dialog.isModal()
    with qtbot.waitSignal(instance.coming):  # which shows the window, and with it the dialog
        instance.ask(["a.png"], "")
    assert not heard
    instance.ask(["b.png"], "")
    dialog.reject()
    qtbot.waitUntil(lambda: heard == [["a.png", "b.png"]])
    instance.close()


def test_who_is_told_may_wait_in_an_event_loop(qtbot, place):
    """In which the socket ends, and is destroyed: not while its signal is on the stack."""
    instance = Instance(place)
    told = []

    def tell(files, _):
        qtbot.waitUntil(lambda: not instance.findChildren(QLocalSocket))
        told.append(files)

    instance.asked.connect(tell)
    for name in ("/a.png", "/b.png"):
        threading.Thread(target=partial(handover.hand_over, [name], place)).start()
        qtbot.waitUntil(lambda name=name: bool(told) and told[-1][-1] == name)
    instance.close()


def test_connections_that_say_nothing_are_closed(qtbot, place, monkeypatch):
    monkeypatch.setattr("pcaimage.gui.app.SILENCE", 50)
    monkeypatch.setattr("pcaimage.gui.app.MOST_CONNECTIONS", 4)
    instance = Instance(place)
    silent = [socket.socket(socket.AF_UNIX) for _ in range(6)]
    for each in silent:
        each.connect(place)
        each.setblocking(False)
    silent[0].sendall(b'{"version"')  # and no newline
    qtbot.waitUntil(lambda: not any(map(waits, silent)))
    for each in silent:
        each.close()
    taken = []
    threading.Thread(target=lambda: taken.append(handover.hand_over(["a.png"], place))).start()
    with qtbot.waitSignal(instance.asked):
        pass
    qtbot.waitUntil(lambda: taken == [True])
    instance.close()


def waits(connection):
    """Return whether the other side has not ended a connection that does not block."""
    try:
        return not is_ended(connection)
    except BlockingIOError:
        return True


def test_more_files_than_a_request_holds_and_each_screen_have_their_own_window(place, monkeypatch):
    assert not handover.hand_over(["a" * 1000] * 2000, place)
    assert not handover.listens()
    first = handover.address()
    monkeypatch.setenv("DISPLAY", ":93")
    assert handover.address() != first
    # Without a place for a socket every start has its own.
    monkeypatch.setenv("XDG_RUNTIME_DIR", "")
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/state")
    assert handover.address() is None
    assert not handover.hand_over(["a.png"], None)
    assert not handover.listens()


@pytest.mark.qt_log_ignore("does not support")
def test_the_window_comes_to_the_front(window):
    window.showMinimized()
    window.come_to_front()
    assert not window.isMinimized()
    assert window.isVisible()


def test_connections_that_are_open_end_with_the_window(qtbot, place):
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


def is_ended(connection):
    """Return whether the other side has ended a connection: Linux calls it reset if bytes were not read."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True

"""Starts the application, which opens the files that later starts of the program hand over to it."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSettings, QSocketNotifier, QTimer, Signal
from PySide6.QtGui import QFileOpenEvent, QGuiApplication, QIcon
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtWidgets import QApplication

import pcaimage
from pcaimage.gui.dialogs import drop_questions
from pcaimage.gui.preferences import Preferences
from pcaimage.gui.session.jobs import JobRunner
from pcaimage.gui.session.opening import OpenOptions
from pcaimage.gui.session.session import Session
from pcaimage.gui.speech import speak
from pcaimage.gui.theme import Theme, apply_theme
from pcaimage.gui.window import MainWindow
from pcaimage.insight.formatting import use_units
from pcaimage.machine.folders import asset
from pcaimage.machine.handover import ANSWER, MOST_BYTES, files_of, located

ICON_SIZES = (16, 32, 48, 64, 128, 256, 512)

MAPPED_FROM = 1 << 22  # bytes from which an allocation gets its own memory mapping
ARENAS = 2  # the number of memory arenas of the C library; threads that share an arena block each other
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # M_MMAP_THRESHOLD and M_ARENA_MAX of <malloc.h>
_GARBAGE_EVERY = 500  # milliseconds between two looks for garbage

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
"""Names of the signals that ask the program to end; Windows lacks the last."""

SIGNALLED = 128  # the exit code of a program that a signal ended is this and the signal's number

SWITCH_SECONDS = 0.0005
"""The longest time that a thread holds the interpreter's lock while others wait. Rendering a picture takes
dozens of short NumPy calls; at Python's default of 5 ms each of them waits for the thread that estimates
sizes, and dragging k stutters."""


class Application(QApplication):
    """The application, which macOS hands the files that are opened with it, at its start and later."""

    opened = Signal(str)  # the path of a file

    def event(self, event: QEvent) -> bool:
        """Announce a file."""
        if isinstance(event, QFileOpenEvent):
            self.opened.emit(event.file())
            return True
        return super().event(event)


class GarbageCollector(QObject):
    """Looks from time to time whether garbage is due, in place of Python's own collector.

    That one runs in whatever thread makes an object too many. In a worker thread it would free widgets and
    timers, which only the thread that made them may do: the process would end.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=_GARBAGE_EVERY)
        self._timer.timeout.connect(collect_due)
        self._timer.start()


def collect_due() -> None:
    """Collect the oldest generation of objects that has as many new ones as Python's collector waits for."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if 0 < thresholds[generation] < counts[generation]:
            gc.collect(generation)
            return


def make_window(theme: Theme, settings: QSettings, files: Sequence[str] = ()) -> MainWindow:
    """Make a window with its own session, and open files, which are read while the window is made."""
    sys.setswitchinterval(SWITCH_SECONDS)
    preferences = Preferences(settings)
    jobs = JobRunner()
    use_units(preferences.units)
    session = Session(jobs, preferences.choice)
    session.limits = preferences.limits
    if files:
        preferences.folder = str(located(files[0])[0].parent)
        session.open_paths(list(files), OpenOptions(planes=preferences.planes, several="ask"))
    window = MainWindow(session, preferences, theme)
    jobs.setParent(window)
    window.session.setParent(window)
    return window


def give_memory_back() -> None:
    """Let the C library return freed large arrays to the system at once.

    On most Linux systems it keeps them in pieces for every thread that ever worked: after a few photographs
    of 24 megapixels, a quarter of a gigabyte.
    """
    if platform.libc_ver()[0] == "glibc":
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, MAPPED_FROM)
        library.mallopt(_ARENA_MAX, ARENAS)


def spare_collector() -> None:
    """Exclude everything that exists now from garbage collection, since it is never freed.

    Otherwise every full collection visits all imported modules: nearly a tenth of a second during which no
    thread can run, instead of a few milliseconds.
    """
    gc.freeze()


def application_icon() -> QIcon:
    """Return the program's icon in all sizes."""
    icon = QIcon()
    for size in ICON_SIZES:
        icon.addFile(str(asset("icons", "app", f"pcaimage-{size}.png")))
    return icon


@contextmanager
def ending_on_signals() -> Iterator[None]:
    """Let Ctrl+C, `kill` and a terminal that is closed end the event loop; a second signal ends the process.

    Jobs are stopped when the loop ends, and remove their temporary files. Python runs its handlers between
    its own instructions only, so a socket wakes the loop up.
    """

    def end(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        QCoreApplication.exit(SIGNALLED + number)

    def wake() -> None:
        with suppress(BlockingIOError):
            receiver.recv(64)

    receiver, sender = socket.socketpair()
    with receiver, sender:
        receiver.setblocking(False)
        sender.setblocking(False)
        notifier = QSocketNotifier(receiver.fileno(), QSocketNotifier.Type.Read)
        notifier.activated.connect(wake)
        numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
        before = {number: signal.getsignal(number) for number in numbers}
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:  # as nohup does
                signal.signal(number, end)
        descriptor = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(descriptor)
            for number, handler in before.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: not Python's
            notifier.setEnabled(False)


def listen(window: MainWindow, where: str) -> None:
    """Open the files of later starts in this window."""
    # Imported here: the window is on the screen before Qt's network library is loaded.

    def come(files: list[str]) -> None:
        window.come_to_front()
        if files:
            drop_questions(window)

    instance = Instance(where, window)
    instance.coming.connect(come)
    instance.asked.connect(lambda files, apart: window.files.open_paths(files, apart=apart))
    QApplication.instance().aboutToQuit.connect(instance.close)  # type: ignore[union-attr]  # there is one


def main(files: Sequence[str] = (), where: str | None = None) -> int:
    """Open the window with some files, and run until it is closed; later starts hand over theirs."""
    give_memory_back()
    app = QApplication.instance() or Application([sys.argv[0]])
    app.setApplicationName("pcaimage")
    app.setOrganizationName("pcaimage")
    app.setApplicationVersion(pcaimage.__version__)
    QGuiApplication.setDesktopFileName("org.pcaimage.PcaImage")
    QGuiApplication.setWindowIcon(application_icon())
    settings = QSettings()
    speak(Preferences(settings).language)
    theme = apply_theme(app, Preferences(settings).scheme)  # type: ignore[arg-type]  # it is a QApplication
    window = make_window(theme, settings, files)
    app.aboutToQuit.connect(window.shutdown)
    if isinstance(app, Application):
        app.opened.connect(lambda path: window.files.open_paths([path]))
    window.recovery.begin()
    window.show()
    window.screen_profile.follow()
    spare_collector()
    GarbageCollector(window)
    QTimer.singleShot(0, window.recovery.offer)
    if where is not None:
        QTimer.singleShot(0, lambda: listen(window, where))
    with ending_on_signals(), window.faults.catching():
        code: int = app.exec()
    window.recovery.end(by_user=code < SIGNALLED)
    return code


def run() -> None:
    """Open the window with the files of the command line, and exit when it is closed."""
    sys.exit(main(sys.argv[1:]))


SILENCE = 5000  # milliseconds after which a connection is closed, whatever it has sent
MOST_CONNECTIONS = 64
"""The number of connections that are open at once; a file manager may start one process for each file."""
SOON, TOGETHER = 100, 1000  # milliseconds until a request is told, and between requests that are told as one
WAIT = 200  # milliseconds between two looks whether a dialog that takes all input is still open


class Instance(QObject):
    """Listens for requests of later starts, and joins those that come together.

    Nothing is told while the signal of a socket is on the stack: whoever is told may run an event loop, in
    which the socket would be destroyed.
    """

    coming = Signal(object)
    """Absolute paths that are about to be opened; with none, the window is only to be shown."""
    asked = Signal(object, bool)  # absolute paths to open, and whether several requests were for them

    def __init__(self, where: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._files: list[str] = []
        self._apart = self._told = False
        """Whether the files were asked for one by one, and whether all of them have been told."""
        self._joining = QTimer(self, singleShot=True, interval=TOGETHER)
        self._telling = QTimer(self, singleShot=True)
        self._telling.timeout.connect(self._tell)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._connect)
        # The listening process holds a lock, so an existing socket was left by a process that has ended.
        QLocalServer.removeServer(where)
        self._server.listen(where)

    @property
    def listening(self) -> bool:
        """Whether requests are heard."""
        return self._server.isListening()

    def close(self) -> None:
        """Stop listening, and end connections, which would otherwise call deleted objects when they end."""
        self._telling.stop()
        self._server.close()
        for connection in self._connections:
            connection.readyRead.disconnect()
            connection.disconnected.disconnect()
            connection.abort()

    @property
    def _connections(self) -> list[QLocalSocket]:
        return self._server.findChildren(QLocalSocket)

    def _connect(self) -> None:
        while (connection := self._server.nextPendingConnection()) is not None:
            connection.setReadBufferSize(MOST_BYTES + 1)
            connection.readyRead.connect(partial(self._read, connection))
            connection.disconnected.connect(connection.deleteLater)
            QTimer.singleShot(SILENCE, connection, connection.abort)
            if len(self._connections) > MOST_CONNECTIONS:
                connection.abort()
            else:
                self._read(connection)

    def _read(self, connection: QLocalSocket) -> None:
        """Read the request of a connection once it is complete; there is only one."""
        if connection.state() != QLocalSocket.LocalSocketState.ConnectedState:
            return
        if connection.bytesAvailable() > MOST_BYTES:
            connection.abort()
        elif connection.canReadLine():
            found = files_of(bytes(connection.readAll().data()))
            if found is None:
                connection.abort()
                return
            connection.write(ANSWER)
            connection.disconnectFromServer()
            self.ask(*found)

    def ask(self, files: list[str], token: str) -> None:
        """Have files opened soon, together with those of requests that came just before."""
        if token:
            os.environ["XDG_ACTIVATION_TOKEN"] = token  # Qt needs the token to bring the window to the front
        if not files:
            QTimer.singleShot(0, self, partial(self.coming.emit, []))
            return
        if self._told and not self._joining.isActive():
            self._files, self._apart = [], False
        new = [file for file in files if file not in self._files]
        self._apart |= bool(self._files and new)
        self._files, self._told = [*self._files, *new], False
        self._joining.start()
        self._telling.start(SOON)

    def _tell(self) -> None:
        """Tell what was asked for as soon as no dialog is open that takes all input."""
        if self._telling.interval() == SOON:  # not again while it waits
            self.coming.emit(self._files)
        if QApplication.activeModalWidget() is not None:
            self._telling.start(WAIT)
        elif not self._told:
            self._told = True
            self.asked.emit(list(self._files), self._apart)

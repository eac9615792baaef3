"""Starts the application."""

from __future__ import annotations

import ctypes
import gc
import platform
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSettings, QSocketNotifier, QTimer, Signal
from PySide6.QtGui import QFileOpenEvent, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

import pcaimage
from pcaimage.gui.dialogs import drop_questions
from pcaimage.gui.preferences import Preferences
from pcaimage.gui.session.jobs import JobRunner
from pcaimage.gui.session.opening import OpenOptions
from pcaimage.gui.session.session import Session
from pcaimage.gui.theme import Theme, apply_theme
from pcaimage.gui.window import MainWindow
from pcaimage.insight.formatting import use_units
from pcaimage.machine.folders import asset
from pcaimage.machine.handover import located

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
    from pcaimage.gui.instance import Instance  # noqa: PLC0415

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

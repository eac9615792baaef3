"""Trace a moved k through the window, from the slider's event to the painted picture.

Run as a program it opens a small photograph in a window off screen, moves the slider of k by a key, and
prints a :class:`Walk` as JSON. Profiling hooks record every function of ``pcaimage.gui`` that runs meanwhile.

A module is *passed* if a function of it was on the way of the request, on one of these four legs:

1. *asked*: on the call stack when the job was made that draws the picture, from the slider's event down;
2. *drawn*: run by that job on its thread;
3. *delivered*: on the call stack when the canvas was told to repaint, from the job's end down;
4. *painted*: run while the canvas painted.

Not counted are functions that returned before the first and the third leg ended (a stack holds only those
that wait for a call), other listeners of the signals on the way, such as the panel and the plots, which
follow k as well, and modules that only connect a signal to another, which Qt relays without running Python.
``ran`` has the modules of everything that ran between the slider's event and the canvas's paint event.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from PIL import Image
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRunnable, QSettings, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSlider, QWidget

import pcaimage.gui
from pcaimage.gui.app import make_window
from pcaimage.gui.session import watching
from pcaimage.gui.theme import apply_theme

ROOT = Path(pcaimage.gui.__file__).parent
SECONDS = 60
"""Timeout for the window, in seconds."""
QUIET = 0.3
"""Seconds without any job after which the window counts as idle."""


@dataclass(frozen=True)
class Walk:
    """The modules that a moved k passed, relative to ``pcaimage/gui``, and how the state was announced."""

    asked: list[str]
    drawn: list[str]
    delivered: list[str]
    painted: list[str]
    ran: list[str]
    emitted_by_move: int
    emitted_by_commit: int

    @property
    def passed(self) -> list[str]:
        """All modules on the path, in the order in which they were entered."""
        return list(dict.fromkeys([*self.asked, *self.drawn, *self.delivered, *self.painted]))


@dataclass(eq=False)
class Call:
    """A call of one of the window's functions."""

    module: str
    frame: FrameType
    within: Call | None

    def stack(self) -> list[Call]:
        """Return this call and those waiting for it, outermost first."""
        return [*(self.within.stack() if self.within else ()), self]


@dataclass
class Request:
    """A job for a thread: the objects it was made from, and the calls that made it."""

    runnable: QRunnable
    parts: list[object]
    stack: list[Call]


@dataclass
class Recorder:
    """Records calls of the window's functions on all threads, and their effects on a canvas."""

    canvas: QWidget
    calls: list[Call] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    repaints: list[tuple[list[Call], set[int]]] = field(default_factory=list)
    """The call stacks that told the canvas to repaint, and the identities of their local objects."""
    painted: Call | None = None
    """The canvas's first paint event after a picture was delivered."""
    _open: dict[int, list[Call]] = field(default_factory=dict)

    def profile(self, frame: FrameType, event: str, argument: Any) -> None:
        """Record a profiling event; to be installed by :func:`sys.setprofile` on every thread."""
        if event == "c_call":
            self._called_c(argument)
        elif event in {"call", "return"} and frame.f_code.co_filename.startswith(str(ROOT)):
            calls = self._open.setdefault(threading.get_ident(), [])
            if event == "call":
                self._entered(calls, frame)
            elif calls and calls[-1].frame is frame:
                calls.pop()

    def _entered(self, calls: list[Call], frame: FrameType) -> None:
        module = Path(frame.f_code.co_filename).relative_to(ROOT).as_posix()
        call = Call(module, frame, calls[-1] if calls else None)
        calls.append(call)
        self.calls.append(call)
        name, values = frame.f_code.co_name, frame.f_locals
        receiver = values.get("self")
        if name == "__init__" and isinstance(receiver, QRunnable):
            parts = [value for key, value in values.items() if key != "self"]
            self.requests.append(Request(receiver, parts, call.stack()[:-1]))
        elif name == "paintEvent" and receiver is self.canvas and self.painted is None and self.delivery:
            self.painted = call

    def _called_c(self, function: Any) -> None:
        name, receiver = function.__name__, getattr(function, "__self__", None)
        calls = self._open.get(threading.get_ident())
        if name in {"update", "repaint"} and receiver is self.canvas and calls:
            values = {id(value) for call in calls for value in call.frame.f_locals.values()}
            self.repaints.append((list(calls), values))

    @property
    def delivery(self) -> tuple[Request, list[Call]] | None:
        """The job that drew the picture, and the call stack that delivered it to the canvas.

        A stack belongs to a job if it holds an object that only this job was made from.
        """
        parts = [id(part) for request in self.requests for part in request.parts]
        for stack, values in self.repaints:
            for request in self.requests:
                own = {id(part) for part in request.parts if parts.count(id(part)) == 1}
                if own & values:
                    return request, stack
        return None

    def watch_threads(self) -> None:
        """Record all jobs that are made from now on as well."""
        for kind in QRunnable.__subclasses__():
            kind.run = _profiled(kind.run, self)  # type: ignore[method-assign]


def _profiled(run: Callable[[Any], None], recorder: Recorder) -> Callable[[Any], None]:
    def recorded(runnable: Any) -> None:
        sys.setprofile(recorder.profile)
        try:
            run(runnable)
        finally:
            sys.setprofile(None)

    return recorded


def modules(calls: Iterable[Call]) -> list[str]:
    """Return the modules of calls, each once, in order."""
    return list(dict.fromkeys(call.module for call in calls))


def below(calls: list[Call], root: Call) -> list[Call]:
    """Return a call and all calls below it."""
    return [call for call in calls if root in call.stack()]


def wait(condition: Callable[[], object]) -> None:
    """Run the event loop until a condition holds."""
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            sys.exit("The window hangs, or the script does not know it any more.")
        QApplication.processEvents()
        time.sleep(0.001)


def rest(busy: Callable[[], bool]) -> None:
    """Run the event loop until there has been no work for a while."""
    since = time.monotonic()

    def quiet() -> bool:
        nonlocal since
        if busy():
            since = time.monotonic()
        return time.monotonic() - since > QUIET

    wait(quiet)


def photograph(path: Path) -> None:
    """Write a small picture with waves and some noise."""
    y, x = np.mgrid[:192, :256] / 12.0
    waves = np.stack([np.sin(x * (1 + c / 5)) * np.cos(y - c) for c in range(3)], axis=-1)
    noise = np.random.default_rng(0).normal(0, 4, waves.shape)
    Image.fromarray(np.clip(128 + 70 * waves + noise, 0, 255).astype(np.uint8)).save(path)


def drop(window: QWidget, path: Path) -> None:
    """Drop a file on a widget of the window that accepts files."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    where = Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    for widget in window.findChildren(QWidget):
        if widget.acceptDrops() and widget.isVisible():
            entering = QDragEnterEvent(QPoint(20, 20), *where)
            entering.ignore()
            QApplication.sendEvent(widget, entering)
            if entering.isAccepted():
                QApplication.sendEvent(widget, QDropEvent(QPointF(20, 20), *where))
                return
    sys.exit("Nothing in the window takes a file.")


def walk(folder: Path) -> Walk:
    """Move k once in a window with a photograph; files are written to `folder`."""
    watching.LATEST = round(
        1000 * SECONDS
    )  # recording takes long: what waits for the picture does not overtake it
    application = QApplication([])
    settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    settings.setValue("kept/layout", "science")  # this layout has all tabs
    window = make_window(apply_theme(application, "light"), settings)
    session = window.session
    window.resize(1200, 800)
    window.show()
    window.activateWindow()
    photograph(folder / "photo.png")
    drop(window, folder / "photo.png")
    wait(lambda: session.state.document is not None)
    rest(session.jobs.busy)

    slider = next(
        each
        for each in window.findChildren(QSlider)
        if each.isVisible() and each.accessibleDescription().endswith(" components")
    )
    canvas = next(
        each
        for each in window.findChildren(QWidget)
        if each.isVisible() and each.accessibleName() == "Reconstruction"
    )
    told: list[object] = []
    session.stateChanged.connect(lambda state, _before: told.append(state))
    slider.setFocus()
    rest(session.jobs.busy)

    recorder = Recorder(canvas)
    recorder.watch_threads()
    told.clear()
    sys.setprofile(recorder.profile)
    QTest.keyPress(slider, Qt.Key.Key_Left)
    moved = len(told)
    wait(lambda: recorder.painted)
    sys.setprofile(None)
    rest(session.jobs.busy)
    told.clear()
    QTest.keyRelease(slider, Qt.Key.Key_Left)
    committed = len(told)
    rest(session.jobs.busy)
    result = _result(recorder, moved, committed)
    session.jobs.shutdown()
    return result


def _result(recorder: Recorder, moved: int, committed: int) -> Walk:
    found, painted = recorder.delivery, recorder.painted
    if found is None or painted is None:
        sys.exit("No job was found that draws the picture.")
    request, delivered = found
    calls = recorder.calls
    runs = [call for call in calls if call.frame.f_locals.get("self") is request.runnable]
    drawn = [each for call in runs if call.frame.f_code.co_name == "run" for each in below(calls, call)]
    return Walk(
        asked=modules(request.stack),
        drawn=modules(drawn),
        delivered=modules(delivered),
        painted=modules(below(calls, painted)),
        ran=modules([*calls[: calls.index(painted)], *below(calls, painted)]),
        emitted_by_move=moved,
        emitted_by_commit=committed,
    )


def main() -> None:
    """Print the walk as JSON."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(asdict(walk(Path(folder)))))


if __name__ == "__main__":
    main()

"""Dragging the reconstruction out of the window: its file is written when the mouse is pressed."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QDrag, QImage, QMouseEvent, QPixmap
from PySide6.QtWidgets import QApplication, QToolButton

from pcaimage import api
from pcaimage.codec import Region
from pcaimage.gui.clipboard import file_data
from pcaimage.gui.export.maker import ExportMaker
from pcaimage.gui.export.plan import ExportPlan, dragged
from pcaimage.gui.icons import load_icon
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import ExactReconstruction, SessionState
from pcaimage.gui.session.work import Task
from pcaimage.progress import Progress, part

KIND = "drag"  # the kind of the job

MOST_PIXELS = 32_000_000
"""The largest image whose picture is part of the drag, for programs that accept no files."""

KEPT = 4  # the number of files kept at a time: a program may still be reading an earlier one

THUMBNAIL = 96


@dataclass(frozen=True, eq=False)
class DragResult:
    """The file and the pictures of a drag."""

    path: Path
    image: QImage  # the picture; null for a compressed file, for a large image, and for a format with loss
    thumbnail: QImage  # the picture shown at the pointer; null for a compressed file


class DragFolder:
    """A temporary folder for dragged files, deleted with the window or when the program ends."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._made: list[Path] = []

    def place(self, name: str) -> Path:
        """Return a path for a file, in a new subfolder so that earlier files of that name stay."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="pcaimage-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        while len(self._made) >= KEPT:
            shutil.rmtree(self._made.pop(0), ignore_errors=True)
        self._made.append(Path(tempfile.mkdtemp(dir=self._folder)))
        return self._made[-1] / name


def file_name(task: Task, plan: ExportPlan | None) -> str:
    """Return the name of the dragged file: of a plan, or compressed."""
    stem = task.document.suggested_name
    return f"{stem}{api.SUFFIX}" if plan is None else f"{stem} reconstruction{plan.target.suffixes[0]}"


def make_result(
    task: Task,
    settled: ExactReconstruction | None,
    path: Path,
    progress: Progress,
    *,
    plan: ExportPlan | None = None,
) -> DragResult:
    """Write the reconstruction by a plan, or else the compressed file; runs on a worker thread."""
    if plan is None:
        task.save(path, progress)
        return DragResult(path, QImage(), QImage())
    if settled is None or settled.setting != task.setting:
        settled = task.settle(part(progress, 0.0, 0.5))
    ExportMaker(task, settled).write(plan, path, part(progress, 0.5, 0.9))
    width, height = task.document.size
    scale = min(THUMBNAIL / max(width, height), 1.0)
    thumbnail = settled.layers.render(Region(0, 0, width, height), scale)
    image = QImage()
    if width * height <= MOST_PIXELS and plan.quality is None:
        shown = task.copy(settled, part(progress, 0.9, 1.0))
        image = to_qimage(shown.pixels)
    small = to_qimage(thumbnail.pixels)
    fitted = small.scaled(
        THUMBNAIL, THUMBNAIL, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
    return DragResult(path, image, fitted)


def mime_data(result: DragResult) -> QMimeData:
    """Return the data of a drag: the file, and the picture for programs that accept no files."""
    data = file_data(result.path)
    if not result.image.isNull():
        data.setImageData(result.image)
    return data


class DragOut(QObject):
    """Writes the file that is dragged from a handle.

    `plan_for` gives the plan by which an image is exported, by default without loss.

    The file is kept until the state changes: if the mouse was released before it was written, the next drag
    starts at once.
    """

    def __init__(
        self,
        session: Session,
        handle: DragHandle,
        parent: QObject | None = None,
        plan_for: Callable[[Document], ExportPlan] = dragged,
    ) -> None:
        super().__init__(parent or handle)
        self._plan_for = plan_for
        self._session, self._handle, self._folder = session, handle, DragFolder()
        self._ready: dict[ExportPlan | None, DragResult] = {}
        handle.wanted.connect(self._prepare)
        subject = session.afterwards.watch("document", "fit", "setting", "frame", "ready")
        subject.connect(self._follow)
        self._follow(session.state)

    @property
    def prepared(self) -> bool:
        """Whether a file for the present state is ready to be dragged."""
        return bool(self._ready)

    def _follow(self, state: SessionState) -> None:
        self._handle.setEnabled(state.ready)
        self._session.jobs.cancel(KIND)
        self._ready.clear()

    def _prepare(self, compressed: bool) -> None:  # noqa: FBT001 - a Qt slot
        task = self._session.task()
        if task is None:
            return
        plan = None if compressed else self._plan_for(task.document)
        known = self._ready.get(plan)
        if known is not None and known.path.exists():
            self._handle.set_result(known)
            return
        path = self._folder.place(file_name(task, plan))
        settled = self._session.state.settled
        work = partial(make_result, task, settled, path, plan=plan)
        self._session.jobs.submit(
            KIND,
            work,
            on_done=partial(self._done, plan),
            on_failed=lambda failure: self._session.failed.emit(failure.sentence),
        )

    def _done(self, of: ExportPlan | None, result: DragResult) -> None:
        self._ready[of] = result
        self._handle.set_result(result)


_TIP = (
    "Drag the reconstruction from here to a folder or another program; with Ctrl held, the compressed file."
)


class DragHandle(QToolButton):
    """A tool button that requests the file when it is pressed, and starts the drag."""

    wanted = Signal(bool)
    """The handle was pressed; True requests the compressed file, False the reconstruction."""

    def __init__(self) -> None:
        super().__init__()
        self._held: QPoint | None = None
        self._far = False
        self._result: DragResult | None = None
        self.setAccessibleName("Drag the reconstruction out")
        self.setToolTip(_TIP)
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setIcon(load_icon("drag-out"))

    def set_result(self, result: DragResult) -> None:
        """Take the result, and start the drag if the mouse has already moved far enough."""
        if self._held is not None:
            self._result = result
            self._start_if_due()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Request the result."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._held, self._far, self._result = event.position().toPoint(), False, None
            self.setDown(True)
            self.wanted.emit(bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Start the drag once the mouse has moved far enough and the result is there."""
        if self._held is None:
            return
        way = event.position().toPoint() - self._held
        self._far = self._far or way.manhattanLength() >= QApplication.startDragDistance()
        self._start_if_due()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Cancel the drag that has not started."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._release()

    def perform(self, drag: QDrag) -> None:
        """Run the drag until the mouse button is released."""
        drag.exec(Qt.DropAction.CopyAction)

    def _start_if_due(self) -> None:
        result = self._result
        if result is None or not self._far:
            return
        self._release()  # the system grabs the mouse: there will be no release event
        drag = QDrag(self)
        drag.setMimeData(mime_data(result))
        if not result.thumbnail.isNull():
            drag.setPixmap(QPixmap.fromImage(result.thumbnail))
        self.perform(drag)

    def _release(self) -> None:
        self._held = self._result = None
        self.setDown(False)

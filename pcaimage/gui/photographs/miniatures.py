"""Small pictures of files: made on another thread for those that are seen, and kept within a limit."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPixmap

from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.session.jobs import give_way
from pcaimage.gui.session.thumbnail import file_thumbnail
from pcaimage.imaging.image.limits import Limits

MOST = 1_500  # the number of pictures that are kept, those seen last; they take some 40 KB each
MOST_PIXELS = 60_000_000  # the largest image that is decoded as a whole for its small picture


class Miniatures(QObject):
    """Small pictures of files by their paths."""

    found = Signal(str)  # the path of a file whose picture is there, or that turned out to have none
    _made = Signal(str, QImage)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures = OrderedDict[str, QPixmap]()
        self._wanted: list[str] = []
        self._making = ""
        self._frame = QSize(1, 1)
        self._changed, self._closed = threading.Condition(), False
        self._thread: threading.Thread | None = None
        self._made.connect(self._keep)

    def picture(self, path: str) -> QPixmap | None:
        """Return the picture of a file; a null one if it has none, None if it has not been made."""
        found = self._pictures.get(path)
        if found is not None:
            self._pictures.move_to_end(path)
        return found

    def want(self, paths: Sequence[str], frame: QSize) -> None:
        """Make the pictures of files, the first one first, in place of those that were wanted before.

        They are as large as fits into a frame of so many pixels of the screen.
        """
        if frame != self._frame:
            self.forget()
        with self._changed:
            self._frame = frame
            self._wanted = [path for path in paths if path not in self._pictures and path != self._making]
            if not self._wanted:
                return
            self._changed.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="miniatures", daemon=True)
            self._thread.start()

    def forget(self) -> None:
        """Drop all pictures."""
        self._pictures.clear()

    def close(self) -> None:
        """Make no more pictures."""
        with self._changed:
            self._closed, self._wanted = True, []
            self._changed.notify()

    def _work(self) -> None:
        give_way()
        limits = Limits(max_pixels=MOST_PIXELS)
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted or self._closed)
                if self._closed:
                    return
                path, frame = self._wanted.pop(0), self._frame
                self._making = path
            image = _miniature(path, frame, limits)
            try:
                self._made.emit(path, image)
            except RuntimeError:  # the window was deleted meanwhile
                return

    def _keep(self, path: str, image: QImage) -> None:
        with self._changed:
            if self._making == path:
                self._making = ""
        self._pictures[path] = QPixmap.fromImage(image)
        self._pictures.move_to_end(path)
        while len(self._pictures) > MOST:
            self._pictures.popitem(last=False)
        self.found.emit(path)


def _miniature(path: str, frame: QSize, limits: Limits) -> QImage:
    """Return the picture of a file as large as fits into a frame; a null one if it cannot be read."""
    try:
        pixels = file_thumbnail(Path(path), max(frame.width(), frame.height()), limits)
    except Exception:  # noqa: BLE001 - whatever a damaged file raises here, opening it tells
        return QImage()
    if pixels is None:
        return QImage()
    image = to_qimage(pixels)
    if image.width() <= frame.width() and image.height() <= frame.height():
        return image.copy()
    return image.scaled(frame, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)

"""Thumbnails of samples and recent files, kept in a folder that only this user can read.

Those of files are made from what the window shows of them, so that no file is read for its thumbnail alone:
its disk may not answer.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage

from pcaimage import __version__
from pcaimage.errors import PcaImageError
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.imaging.reading.samples import sample_names
from pcaimage.machine.folders import private_folder

FOLDER = "thumbnails"
_SAMPLE = f"sample {__version__} "
"""Prefix of the names of samples in place of paths; other versions may have other samples."""
SIDE = 256  # pixels along the longer side


class Thumbnails(QObject):
    """Finds thumbnails, and keeps those of files that are opened, without letting the window wait."""

    found = Signal(str, QImage)  # the path of a file, or the name of a sample, and its thumbnail

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock, self._working = threading.Lock(), False
        self._tasks: deque[Callable[[], None]] = deque()

    def find(self, paths: Iterable[str]) -> None:
        """Look for the thumbnails of files."""
        self._begin(partial(self._find, list(paths)))

    def make_samples(self, names: Iterable[str]) -> None:
        """Find the thumbnails of samples, and make those that are not kept yet."""
        self._begin(partial(self._make, list(names)))

    def keep(self, path: str, picture: Picture, recent: Collection[str]) -> None:
        """Keep a thumbnail of a file that is shown, made from a picture of all of it.

        Those of files that are not `recent` are removed.
        """
        image = reduced(to_qimage(picture.pixels))
        self.found.emit(path, image)
        self._begin(partial(_replace, path, image, {path, *recent}))

    def forget(self) -> None:
        """Remove the thumbnails of all files."""
        self._begin(partial(_remove_all_but, set()))

    def _begin(self, task: Callable[[], None]) -> None:
        """Run a task on another thread, after those started before."""
        with self._lock:
            self._tasks.append(task)
            if self._working:
                return
            self._working = True
        # No job: the program's end waits for jobs, but not for a daemon's disk.
        threading.Thread(target=self._work, name=FOLDER, daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._tasks:
                    self._working = False
                    return
                task = self._tasks.popleft()
            task()

    def _find(self, paths: list[str]) -> None:
        for path in paths:
            image = _read(path)
            if image is not None:
                self._tell(path, image)

    def _make(self, names: list[str]) -> None:
        from pcaimage.gui.session.thumbnail import sample_thumbnail  # noqa: PLC0415 - as little at the start

        for name in names:
            key = _SAMPLE + name
            image = _read(key)
            if image is None:
                with suppress(PcaImageError, OSError):
                    image = reduced(to_qimage(sample_thumbnail(name, SIDE)))
                    _write(key, image)
            if image is not None:
                self._tell(name, image)

    def _tell(self, name: str, image: QImage) -> None:
        with suppress(RuntimeError):  # the window was deleted meanwhile
            self.found.emit(name, image)


def thumbnail_file(path: str) -> Path:
    """Return where the thumbnail of a file is kept; raises OSError if the folder cannot be made."""
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:32]
    return private_folder(FOLDER) / f"{name}.png"


def reduced(image: QImage) -> QImage:
    """Return an image whose sides have no more than :data:`SIDE` pixels."""
    if max(image.width(), image.height()) <= SIDE:
        return image
    keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    return image.scaled(SIDE, SIDE, keep, smooth)


def _read(path: str) -> QImage | None:
    with suppress(OSError):
        image = QImage(str(thumbnail_file(path)))
        return None if image.isNull() else image
    return None


def _write(path: str, image: QImage) -> None:
    with suppress(OSError):
        target = thumbnail_file(path)
        part = target.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        try:
            if image.save(str(part), "PNG"):  # type: ignore[call-overload]  # Qt takes a text, too
                part.replace(target)
        finally:
            part.unlink(missing_ok=True)


def _replace(path: str, image: QImage, recent: set[str]) -> None:
    _write(path, image)
    _remove_all_but(recent)


def _remove_all_but(paths: set[str]) -> None:
    with suppress(OSError):
        kept = {thumbnail_file(path) for path in paths}
        kept |= {thumbnail_file(_SAMPLE + name) for name in sample_names()}
        for file in private_folder(FOLDER).glob("*.png"):
            if file not in kept:
                file.unlink(missing_ok=True)

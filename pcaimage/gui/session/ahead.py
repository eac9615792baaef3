"""Work that is begun before there is a window: while Qt is loaded, a second core is idle. No Qt here.

The file of the command line is opened, and its components are found as they are by default. What the session
then asks for is there, or nearly so; if it asks for anything else, what was begun is stopped.
"""

from __future__ import annotations

import sys
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, TypeVar

from pcaimage import api
from pcaimage.errors import Cancelled
from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.opening import Opened, open_document
from pcaimage.imaging.cubes.raw import MAP_FROM
from pcaimage.imaging.image.limits import Limits
from pcaimage.machine.parallel import use_cores

if TYPE_CHECKING:
    from collections.abc import Callable

    from pcaimage.imaging import Image
    from pcaimage.progress import Progress

    Work = Callable[[Progress], object]

T = TypeVar("T")

_ASKED = 0.03  # seconds between two reports of progress, which is how waiting is cancelled


class Ahead:
    """Opens an image and finds its components, on a thread of its own."""

    def __init__(self, path: Path) -> None:
        self.path, self.taken = path, False
        self._stopped, self._told = Event(), (0, 0)
        thread = ThreadPoolExecutor(1, "ahead")
        self._opened, self._fit = thread.submit(self._open), thread.submit(self._find)
        thread.shutdown(wait=False)

    def stop(self) -> None:
        """Stop soon: nobody waits for the result."""
        self._stopped.set()

    def opened(self, progress: Progress) -> Opened:
        """Return the document as soon as it is there, or raise its error."""
        return self._result(self._opened, progress)

    def fit(self, progress: Progress) -> Fit | None:
        """Return the image's components as soon as they are there, or raise their error."""
        return self._result(self._fit, progress)

    def fits(self, image: Image, choice: Choice) -> bool:
        """Return whether these are an image's components for a choice."""
        if not self._opened.done() or self._opened.exception() is not None:
            return False
        return self._opened.result().document.image is image and choice == Choice()

    def _result(self, future: Future[T], progress: Progress) -> T:
        try:
            while not wait([future], _ASKED).done:
                progress(*self._told)
            return future.result()
        except BaseException:
            use_cores(sys.maxsize)
            self.stop()
            raise

    def _open(self) -> Opened:
        return open_document([str(self.path)], self._hear)

    def _find(self) -> Fit | None:
        document = self._opened.result().document
        if document.image is None or Choice().method not in document.methods:
            return None  # nobody asks for these components
        return Fit.of_image(document.image, Choice(), self._hear)

    def _hear(self, done: int, total: int) -> None:
        if self._stopped.is_set():
            raise Cancelled
        self._told = done, total


_begun: list[Ahead] = []


def begin(files: list[str]) -> None:
    """Begin to open the only file of a command line, if it is a plain image."""
    path = Path(files[0])
    if len(files) > 1 or path.suffix.lower() == api.SUFFIX:
        return
    try:
        if not path.is_file() or path.stat().st_size >= MAP_FROM:
            return
    except OSError:
        return  # which opening it will say
    # The window is made meanwhile, on the other core of two.
    use_cores(1)
    _begun[:] = [Ahead(path)]


def stop() -> None:
    """Stop what was begun, unless the session has all of it."""
    use_cores(sys.maxsize)
    while _begun:
        _begun.pop().stop()


def opening(paths: list[str], limits: Limits | None, work: Work) -> Work:
    """Return what opens files: what was begun, if that was for them, or the given work."""
    if not _begun:
        return work
    begun = _begun[0]
    if begun.taken or paths != [str(begun.path)] or limits not in {None, Limits.default()}:
        stop()
        return work
    begun.taken = True
    return begun.opened


def fitting(image: Image, choice: Choice, work: Work) -> Work:
    """Return what finds an image's components: what was begun, if that was for it, or the given work."""
    use_cores(sys.maxsize)  # the window is there
    if not _begun:
        return work
    begun = _begun.pop()
    if begun.fits(image, choice):
        return begun.fit
    begun.stop()
    return work

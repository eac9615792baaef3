"""What the user may want: widgets and commands ask here, and show the state that follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from pcaimage.gui.adjusting import Adjusting
from pcaimage.gui.choice import Choice
from pcaimage.gui.document import Document
from pcaimage.gui.findings import FIRST_ONLY, OF_FIT, OF_SETTING
from pcaimage.gui.jobs import Failure, JobRunner
from pcaimage.gui.opening import DamagedError, Opened, load_sample, open_document
from pcaimage.gui.state import SessionState, Setting
from pcaimage.gui.work import Task
from pcaimage.imaging import Image
from pcaimage.progress import Progress

STOPPABLE = ("open", "save", "export", "copy", "fit", "refine", "target", *OF_SETTING)
"""Work that the user may stop; pictures and estimates are over before one could."""


class Session(Adjusting):
    """What is open and chosen, and how it is changed.

    Parameters
    ----------
    jobs : JobRunner
        Who does the work.
    choice : Choice
        How images are fitted at first.
    parent : QObject, optional
        The owner.
    """

    salvageable = Signal(str, list)
    """A sentence about a damaged file, and the paths that can be opened in part."""
    saved = Signal(object, int)
    """A path that was saved to, and its size in bytes."""
    exported = Signal(object)
    """A path that was exported to."""
    copied = Signal(object)
    """The reconstruction for the clipboard, as :class:`~pcaimage.gui.display.Shown`."""
    stopped = Signal()
    """The user stopped what was being done."""
    preferred = Signal(object)
    """A :class:`Choice` that the user made for an image; the next one is fitted like this, too."""

    def __init__(self, jobs: JobRunner, choice: Choice, parent: QObject | None = None) -> None:
        super().__init__(jobs, choice, parent)
        self._preferred = choice

    # Opening

    def open_paths(self, paths: list[str], *, salvage: bool = False) -> None:
        """Open a file, a folder or several images; what is open stays until that has succeeded.

        Parameters
        ----------
        paths : list of str
            What to open.
        salvage : bool, default False
            Whether a damaged compressed file is opened as far as it is whole.
        """
        work = partial(open_document, paths, salvage=salvage)
        self.jobs.submit("open", work, on_done=self._opened, on_failed=partial(self._not_opened, paths))

    def open_sample(self, name: str) -> None:
        """Open a photograph that comes with scikit-image.

        Parameters
        ----------
        name : str
            Its name.
        """
        self.jobs.submit(
            "open",
            lambda _: Opened(load_sample(name)),
            on_done=self._opened,
            on_failed=self._report,
        )

    def open_image(self, image: Image) -> None:
        """Open an image that is in memory.

        Parameters
        ----------
        image : Image
            The image.
        """
        self.jobs.cancel("open")
        self._opened(Opened(Document(image.name, image=image)))

    def close(self) -> None:
        """Close what is open."""
        self._cancel("open", *OF_FIT)
        self._become(SessionState(choice=self._preferred))

    def _opened(self, opened: Opened) -> None:
        self._cancel(*OF_FIT)
        document, fit = opened.document, opened.fit
        if fit is not None:
            setting = Setting(fit.n_components, None)
            self._become(SessionState(document, choice=fit.choice, fit=fit, setting=setting))
            self._find_out()
            if not fit.whole:
                self._refine()
            return
        choice = self._preferred
        if choice.method not in document.methods:
            choice = replace(choice, method=document.methods[0])
        self._become(SessionState(document, document.layers(0), choice=choice))
        self._fit()

    def _not_opened(self, paths: list[str], failure: Failure) -> None:
        if isinstance(failure.error, DamagedError):
            self.salvageable.emit(failure.sentence, paths)
        else:
            self._report(failure)

    # Choosing how

    def choose(self, **fields: Any) -> None:
        """Change method, block size or standardisation, and fit anew.

        Parameters
        ----------
        **fields
            Fields of :class:`Choice`.
        """
        document, choice = self._state.document, replace(self._state.choice, **fields)
        if document is None or document.image is None:
            return
        under_way = self._state.fitted or self.jobs.busy("fit")
        if choice == self._state.choice and under_way:
            return
        if not document.is_stack:
            usual = choice
            if self._preferred.method == "photo" not in document.methods:
                usual = replace(choice, method="photo")  # photos will be photos again
            self._preferred = usual
            self.preferred.emit(usual)
        self._change(choice=choice, touched=True, hint="")
        if self._state.fitted:  # back to the components that are still there
            self._cancel(*OF_FIT)
            self._find_out()
        else:
            self._fit()

    def stop(self) -> None:
        """Stop what is being done; settings go back to what is shown."""
        self._cancel(*STOPPABLE)
        state = self._state
        if state.fit is not None:
            hint = state.hint if state.fit.whole else FIRST_ONLY
            self._change(choice=state.fit.choice, moving=False, hint=hint)
        elif state.document is not None:
            self._change(hint="Fitting was stopped. Choose a method or block size to fit the image.")
        self.stopped.emit()

    # Keeping

    def save(self, path: Path) -> bool:
        """Write the compressed file.

        Parameters
        ----------
        path : Path
            Where; what is there is replaced, unless it is what is open.

        Returns
        -------
        bool
            Whether it is being written.
        """
        return self._write("save", path, Task.save, partial(self._saved, path, self._state))

    def _saved(self, path: Path, of: SessionState, n_bytes: int) -> None:
        now = self._state
        if (now.document, now.setting, now.choice) == (of.document, of.setting, of.choice):
            self._change(touched=False)
        self.saved.emit(path, n_bytes)

    def export(self, path: Path) -> None:
        """Write the reconstruction as an image of another format.

        Parameters
        ----------
        path : Path
            Where; what is there is replaced, unless it is what is open.
        """
        work = partial(Task.export, settled=self._state.settled)
        self._write("export", path, work, lambda _: self.exported.emit(path))

    def _write(
        self,
        kind: str,
        path: Path,
        work: Callable[[Task, Path, Progress], object],
        on_done: Callable[[Any], None],
    ) -> bool:
        task = self.task()
        if task is None:
            return False
        if task.document.is_input(path):
            self.failed.emit(f"{path.name} is what is open, and is left as it is; choose another name.")
            return False
        self.jobs.submit(kind, partial(work, task, path), on_done=on_done, on_failed=self._report)
        return True

    def copy(self) -> None:
        """Make the reconstruction ready for the clipboard."""
        task = self.task()
        if task is not None:
            work = partial(task.copy, self._state.settled)
            self.jobs.submit("copy", work, on_done=self.copied.emit, on_failed=self._report)

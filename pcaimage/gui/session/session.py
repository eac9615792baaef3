"""What the user may want: widgets and commands ask here, and show the state that follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.choosing import Choosing
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.findings import FIRST_ONLY, OF_FIT, OF_SETTING
from pcaimage.gui.session.history import History, Point
from pcaimage.gui.session.job import Failure, Work
from pcaimage.gui.session.jobs import JobRunner
from pcaimage.gui.session.look import Look
from pcaimage.gui.session.model import NeedsModelError
from pcaimage.gui.session.opening import AmbiguousError, DamagedError, Opened, load_sample, open_document
from pcaimage.gui.session.requests import (
    Choose,
    Keep,
    KeepOnly,
    LeaveModel,
    LeaveOut,
    Reach,
    SessionRequest,
    SetNoData,
    SetStep,
    ShowBand,
    ShowBands,
    ShowFrame,
    Toggle,
    UsePreset,
)
from pcaimage.gui.session.setting import Setting
from pcaimage.gui.session.state import Rival, SessionState
from pcaimage.gui.session.work import Task
from pcaimage.imaging import Image, Limits, ReadAs
from pcaimage.progress import Progress

STOPPABLE = (
    "open",
    "model",
    "save",
    "export",
    "copy",
    "fit",
    "refine",
    "target",
    "rival",
    "drag",
    *OF_SETTING,
)
"""Work that the user may stop; pictures and estimates are over before one could."""


class Session(Choosing):
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
    ambiguous = Signal(object, list)
    """A file's :class:`~pcaimage.imaging.Contents` that may be bands or images, and the paths to open."""
    modelNeeded = Signal(str, object, list)  # noqa: N815
    """A sentence about a compressed file, the id of the model with its basis, and the paths to open."""
    saved = Signal(object, int)
    """A path that was saved to, and its size in bytes."""
    exported = Signal(object)
    """A path that was exported to."""
    copied = Signal(object)
    """The reconstruction for the clipboard, as :class:`~pcaimage.gui.screen.picture.Picture`."""
    stopped = Signal()
    """The user stopped what was being done."""

    def __init__(self, jobs: JobRunner, choice: Choice, parent: QObject | None = None) -> None:
        super().__init__(jobs, choice, parent)
        self.limits: Limits | None = None
        """The largest image that is opened; None for the usual limits."""

    def request(self, request: SessionRequest) -> None:  # noqa: C901, PLR0912 - one line for each request
        """Do what a widget asks for."""
        match request:
            case Keep(k, final):
                self.set_components(k, final=final)
            case Reach(measure, value):
                self._reach(measure, value)
            case UsePreset(name):
                self.set_preset(name)
            case SetStep(step):
                self.set_step(step)
            case LeaveOut(numbers):
                self.leave_out_only(numbers)
            case Toggle(number, out):
                self.leave_out(number, out=out)
            case KeepOnly(number):
                count = 0 if self._state.fit is None else self._state.fit.n_components
                self.leave_out_only(frozenset(range(1, count + 1)) - {number})
            case Choose():
                self.choose(**request.changes)
            case LeaveModel():
                self.choose_model(None)
            case SetNoData(value):
                self.set_nodata(value)
            case ShowFrame(frame):
                self.set_frame(frame)
            case ShowBands(look):
                self.show_bands(look)
            case ShowBand(band):
                document = self._state.document
                if document is not None and document.many_bands:
                    look = self._state.look or document.look
                    self.show_bands(Look("own", (band, band, band), look.percentiles))

    def _reach(self, measure: str, value: float) -> None:
        match measure:
            case "variance":
                self.set_variance(value)
            case "psnr":
                self.set_psnr(value)
            case "ssim":
                self.set_ssim(value)
            case "size":
                self.set_size(int(value))

    # Opening

    def open_paths(
        self,
        paths: list[str],
        *,
        salvage: bool = False,
        planes: ReadAs | None = None,
        model: Path | None = None,
    ) -> None:
        """Open a file, a folder or several images; what is open stays until that has succeeded.

        Parameters
        ----------
        paths : list of str
            What to open.
        salvage : bool, default False
            Whether a damaged compressed file is opened as far as it is whole.
        planes : {'image', 'bands', 'stack'}, optional
            What the planes of a file are that does not say it; without it, :attr:`ambiguous` asks.
        model : Path, optional
            The file with the basis of a compressed file; without it, :attr:`modelNeeded` asks.
        """
        work = partial(open_document, paths, salvage=salvage, limits=self.limits, planes=planes, model=model)
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
        self._forget_rivals()
        self._become(SessionState(choice=self._preferred))

    def _opened(self, opened: Opened) -> None:
        self._cancel(*OF_FIT)
        self._forget_rivals()
        document, fit = opened.document, opened.fit
        if fit is not None:
            setting = Setting(fit.n_components, None)
            history = History(Point(fit.choice, setting))
            self._become(SessionState(document, choice=fit.choice, fit=fit, setting=setting, history=history))
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
        elif isinstance(failure.error, NeedsModelError):
            self.modelNeeded.emit(failure.sentence, failure.error.basis, paths)
        elif isinstance(failure.error, AmbiguousError):
            self.ambiguous.emit(failure.error.contents, paths)
        else:
            self._report(failure)

    # Looking

    def show_left(self, name: str) -> None:
        """Choose what the left view shows.

        Parameters
        ----------
        name : str
            ``"original"`` or ``"reconstruction"``.
        """
        self._change(left=name)

    def show_right(self, rival: Rival | None) -> None:
        """Choose what the right view shows.

        Parameters
        ----------
        rival : Rival or None
            None for the reconstruction.
        """
        if rival == self._state.rival:
            return
        self._cancel("rival")
        self._change(rival=rival, rivalry=None)
        self._contend()

    def stop(self) -> None:
        """Stop what is being done; settings go back to what is shown."""
        self._cancel(*STOPPABLE)
        state = self._state
        if state.fit is not None:
            hint = state.hint if state.fit.whole else FIRST_ONLY
            self._returning = None
            history = state.history.recorded(Point(state.fit.choice, state.setting))
            self._change(choice=state.fit.choice, moving=False, hint=hint, history=history)
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
        return task is not None and self._submit_writing(kind, path, partial(work, task, path), on_done)

    def write_beside(self, path: Path, work: Work) -> None:
        """Write something about the image.

        Parameters
        ----------
        path : Path
            Where; what is there is replaced, unless it is what is open.
        work : callable
            Writes it.
        """
        self._submit_writing("export", path, work, lambda _: self.exported.emit(path))

    def _submit_writing(self, kind: str, path: Path, work: Work, on_done: Callable[[Any], None]) -> bool:
        document = self._state.document
        if document is not None and document.is_input(path):
            self.failed.emit(f"{path.name} is what is open, and is left as it is; choose another name.")
            return False
        self.jobs.submit(kind, work, on_done=on_done, on_failed=self._report)
        return True

    def copy(self) -> None:
        """Make the reconstruction ready for the clipboard."""
        task = self.task()
        if task is not None:
            work = partial(task.copy, self._state.settled)
            self.jobs.submit("copy", work, on_done=self.copied.emit, on_failed=self._report)

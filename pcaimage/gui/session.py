"""The one who knows and decides: owns the state, has work done, and says what changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from pcaimage import api
from pcaimage.errors import FormatError
from pcaimage.gui.document import Document, load_paths, load_sample
from pcaimage.gui.fit import Choice, Fit
from pcaimage.gui.jobs import Failure, JobRunner
from pcaimage.gui.state import Estimated, Measured, SessionState, Setting, Settled, Similarity
from pcaimage.gui.work import Target, Task, find_psnr, find_size, similarity
from pcaimage.imaging import Image
from pcaimage.progress import Progress

FIRST_VARIANCE = 0.99
"""Share of the variance that is kept of an image that was just opened."""

FOLLOWING = ("fit", "target", "settle", "measure", "similarity", "estimate", "rates")
"""Work that a new document makes pointless."""


class Session(QObject):
    """What is open and chosen. Widgets ask it, and show what it says.

    Parameters
    ----------
    jobs : JobRunner
        Who does the work.
    choice : Choice
        How images are fitted at first.
    parent : QObject, optional
        The owner.
    """

    stateChanged = Signal(object, object)  # noqa: N815
    """The new :class:`SessionState`, and the one before."""
    failed = Signal(str)
    """A sentence about what went wrong."""
    salvageable = Signal(str, list)
    """A sentence about a damaged file, and the paths that can be opened in part."""
    saved = Signal(object, int)
    """A path that was saved to, and its size in bytes."""
    exported = Signal(object)
    """A path that was exported to."""

    def __init__(self, jobs: JobRunner, choice: Choice, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.jobs = jobs
        self._state = SessionState(choice=choice)

    @property
    def state(self) -> SessionState:
        """Everything that is open, chosen and known."""
        return self._state

    def _change(self, **fields: Any) -> None:
        before, self._state = self._state, replace(self._state, **fields)
        self.stateChanged.emit(self._state, before)

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
        self.jobs.submit(
            "open",
            partial(_load, paths, salvage=salvage),
            on_done=self.open_document,
            on_failed=partial(self._not_opened, paths),
        )

    def open_sample(self, name: str) -> None:
        """Open a photograph that comes with scikit-image.

        Parameters
        ----------
        name : str
            Its name.
        """
        self.jobs.submit(
            "open",
            lambda _: load_sample(name),
            on_done=self.open_document,
            on_failed=self._report,
        )

    def open_image(self, image: Image, name: str) -> None:
        """Open an image that is in memory.

        Parameters
        ----------
        image : Image
            The image.
        name : str
            What to call it.
        """
        self.jobs.cancel("open")
        self.open_document(Document(name, image=image))

    def open_document(self, document: Document) -> None:
        """Show a document instead of what is open.

        Parameters
        ----------
        document : Document
            The document.
        """
        for kind in FOLLOWING:
            self.jobs.cancel(kind)
        choice = self._state.choice
        if document.is_stack:
            choice = Choice("stack", standardize=choice.standardize)
        elif choice.method == "stack":
            choice = Choice()
        original = None if document.image is None else document.layers(0)
        before, self._state = self._state, SessionState(document, original, choice=choice)
        self.stateChanged.emit(self._state, before)
        self._fit()

    def close(self) -> None:
        """Close what is open."""
        for kind in ("open", *FOLLOWING):
            self.jobs.cancel(kind)
        before, self._state = self._state, SessionState(choice=self._state.choice)
        self.stateChanged.emit(self._state, before)

    def forget_changes(self) -> None:
        """Take it that the user does not want to save."""
        self._change(touched=False)

    def _not_opened(self, paths: list[str], failure: Failure) -> None:
        if isinstance(failure.error, FormatError) and Path(paths[0]).suffix.lower() == api.SUFFIX:
            self.salvageable.emit(failure.sentence, paths)
        else:
            self._report(failure)

    def _report(self, failure: Failure) -> None:
        self.failed.emit(failure.sentence)

    # Choosing how

    def choose(self, **fields: Any) -> None:
        """Change method, block size or standardisation, and fit anew.

        Parameters
        ----------
        **fields
            Fields of :class:`Choice`.
        """
        choice = replace(self._state.choice, **fields)
        document = self._state.document
        if choice == self._state.choice or document is None or document.image is None:
            return
        self._change(choice=choice, touched=True, hint="")
        self._fit()

    def _fit(self) -> None:
        document, choice = self._state.document, self._state.choice
        if document is None:
            return
        for kind in FOLLOWING:
            self.jobs.cancel(kind)
        work: Callable[[Progress], Fit]
        if document.image is not None:
            work = partial(_fit_image, document.image, choice)
        elif document.compressed is not None:
            work = partial(Fit.of_file, document.compressed)
        self.jobs.submit("fit", work, on_done=self._fitted, on_failed=self._not_fitted)

    def _fitted(self, fit: Fit) -> None:
        before = self._state
        if before.fit is not None:
            k = fit.k_for_variance(float(before.fit.ratios[before.setting.k]))
        else:
            k = fit.k_for_variance(FIRST_VARIANCE) if fit.analysis is not None else fit.n_components
        setting = Setting(k, before.setting.step)
        self._change(fit=fit, choice=fit.choice, setting=setting, settled=None, moving=False)
        self._settle()

    def _not_fitted(self, failure: Failure) -> None:
        if self._state.fit is not None:
            self._change(choice=self._state.fit.choice)
        self._report(failure)

    def cancel(self) -> None:
        """Stop what is being done; settings go back to what is shown."""
        self.jobs.cancel_all()
        if self._state.fit is not None:
            self._change(choice=self._state.fit.choice, moving=False)

    # Choosing how much

    def set_components(self, k: int, *, final: bool) -> None:
        """Keep k components.

        Parameters
        ----------
        k : int
            How many; brought into range.
        final : bool
            Whether the hand rests. While it moves, only what is visible is shown.
        """
        fit = self._state.fit
        if fit is None or not self._state.fitted:
            return
        setting = replace(self._state.setting, k=min(max(k, 1), fit.n_components))
        self.jobs.cancel("target")
        self._set(setting, final=final)

    def set_variance(self, percent: float) -> None:
        """Keep the fewest components that explain a share of the variance.

        Parameters
        ----------
        percent : float
            From 0 to 100.
        """
        fit = self._state.fit
        if fit is None or not self._state.fitted:
            return
        k = fit.k_for_variance(percent / 100)
        most = 100 * float(fit.ratios[fit.n_components])
        self.set_components(k, final=True)
        if percent > most + 1e-6:
            self._change(hint=f"{percent:.2f} % cannot be reached; {most:.2f} % is the most.")

    def set_psnr(self, decibels: float) -> None:
        """Keep the fewest components that reach a quality.

        Parameters
        ----------
        decibels : float
            Peak signal-to-noise ratio.
        """
        self._aim(find_psnr, decibels)

    def set_size(self, n_bytes: int) -> None:
        """Keep the most components that fit into a size.

        Parameters
        ----------
        n_bytes : int
            The size.
        """
        self._aim(find_size, n_bytes)

    def set_step(self, step: float | None) -> None:
        """Set the quantiser's step.

        Parameters
        ----------
        step : float or None
            Δ; None lets it follow from k.
        """
        if self._state.fitted and (step is None or step > 0):
            self._set(replace(self._state.setting, step=step), final=True)

    def _set(self, setting: Setting, *, final: bool) -> None:
        changed = setting != self._state.setting
        if not changed and self._state.moving != final and self._state.settled is not None:
            return
        self._change(
            setting=setting,
            moving=not final,
            touched=self._state.touched or changed,
            hint="" if changed else self._state.hint,
        )
        if final:
            self._settle()
        else:
            self._estimate()

    def _aim(self, search: Callable[[Task, Any, Progress], Target], value: float) -> None:
        task = self.task()
        if task is not None:
            work = partial(search, task, value)
            self.jobs.submit("target", work, on_done=self._aimed, on_failed=self._report)

    def _aimed(self, target: Target) -> None:
        self._set(replace(self._state.setting, k=target.k), final=True)
        self._change(hint=target.hint)

    def set_frame(self, frame: int) -> None:
        """Show another image of a stack.

        Parameters
        ----------
        frame : int
            Counted from 0; brought into range.
        """
        document, settled = self._state.document, self._state.settled
        if document is None or not document.is_stack:
            return
        frame = min(max(frame, 0), document.frames - 1)
        if settled is not None:
            settled = replace(settled, layers=document.layers_of(settled.pixels, frame))
        original = None if document.image is None else document.layers(frame)
        self._change(frame=frame, original=original, settled=settled)

    # Finding out

    def task(self) -> Task | None:
        """Return what work on the present setting needs.

        Returns
        -------
        Task or None
            None while there are no components.
        """
        state = self._state
        if state.document is None or state.fit is None or not state.fitted:
            return None
        return Task(state.document, state.fit, state.setting, state.frame)

    def _estimate(self) -> None:
        task = self.task()
        if task is not None and task.fit.analysis is not None:
            self.jobs.submit("estimate", task.estimate, on_done=self._estimated, finish_running=True)

    def _estimated(self, estimated: Estimated) -> None:
        self._change(estimated=estimated)

    def _settle(self) -> None:
        for kind in ("measure", "similarity", "rates"):
            self.jobs.cancel(kind)
        task = self.task()
        if task is not None:
            self._estimate()
            self.jobs.submit("settle", task.settle, on_done=self._settled, on_failed=self._report)

    def _settled(self, settled: Settled) -> None:
        self._change(settled=settled)
        task = self.task()
        if task is None or task.document.image is None or task.setting != settled.setting:
            return
        self.jobs.submit("measure", task.measure, on_done=self._measured, on_failed=self._report)
        compare = partial(similarity, task.document.image, settled)
        self.jobs.submit("similarity", compare, on_done=self._compared)

    def _compared(self, found: Similarity) -> None:
        self._change(similarity=found)

    def _measured(self, measured: Measured) -> None:
        self._change(measured=measured)
        task = self.task()
        if task is not None and task.fit.rates is not None:
            self.jobs.submit("rates", task.fit.rates.curve)

    # Keeping

    def save(self, path: Path) -> None:
        """Write the compressed file.

        Parameters
        ----------
        path : Path
            Where; what is there is replaced.
        """
        task = self.task()
        if task is not None:
            self.jobs.submit(
                "save",
                partial(task.save, path),
                on_done=partial(self._saved, path, self._state),
                on_failed=self._report,
            )

    def _saved(self, path: Path, of: SessionState, n_bytes: int) -> None:
        now = self._state
        if now.document is of.document and now.setting == of.setting and now.choice == of.choice:
            self._change(touched=False)
        self.saved.emit(path, n_bytes)

    def export(self, path: Path) -> None:
        """Write the reconstruction as an image of another format.

        Parameters
        ----------
        path : Path
            Where; what is there is replaced.
        """
        task = self.task()
        if task is not None:
            self.jobs.submit(
                "export",
                partial(task.export, path, self._state.settled),
                on_done=self.exported.emit,
                on_failed=self._report,
            )


def _load(paths: list[str], progress: Progress, *, salvage: bool) -> Document:
    return load_paths(paths, progress, salvage=salvage)


def _fit_image(image: Image, choice: Choice, progress: Progress) -> Fit:
    return Fit.of_image(image, choice, progress)

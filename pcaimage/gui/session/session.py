"""The session: it owns the state and carries out requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from pcaimage.api import Preset
from pcaimage.errors import SettingsError
from pcaimage.gui.session import ahead, own_presets, transitions
from pcaimage.gui.session import requests as ask
from pcaimage.gui.session.choice import FROM_FILE, SEARCHED, Choice, Goal
from pcaimage.gui.session.display import Look
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.jobs import Failure, JobRunner, Work
from pcaimage.gui.session.kept import Kept
from pcaimage.gui.session.model import ModelFile, open_model
from pcaimage.gui.session.opening import USUAL, Opened, OpenOptions, load_sample, open_document
from pcaimage.gui.session.research import LONG, RATING, Research
from pcaimage.gui.session.resolve import panel_view
from pcaimage.gui.session.sharing import Memory, Own
from pcaimage.gui.session.sources import PictureCopy, ViewName, copy_of
from pcaimage.gui.session.state import Opening, SessionState
from pcaimage.gui.session.targets import PRESETS, Target, find_goal
from pcaimage.gui.session.watching import DeferredStates, Watched
from pcaimage.gui.session.work import Task
from pcaimage.imaging import Image, Limits
from pcaimage.imaging.image.pixels import holds
from pcaimage.imaging.reading.glimpse import read_glimpse
from pcaimage.sampling import Stack

STOPPABLE = ("open", "model", "save", "export", "copy", "drag", *LONG)
"""The kinds of jobs that the user can cancel; pictures and estimates finish too soon."""


class Session(Watched):
    """Owns the state, and is the only one that replaces it.

    Widgets call :meth:`request` and show the resulting state; a :class:`Research` completes it.
    """

    failed = Signal(str)  # a sentence about an error
    preferred = Signal(object)
    """The :class:`Choice` that later images are fitted with, after the user changed it."""
    unopened = Signal(object, object)
    """The :class:`~pcaimage.gui.session.jobs.Failure` of an opening, and the paths that were to be opened.

    Its error says whether there is something to ask, or to offer.
    """
    saved = Signal(object, int)  # the path of a saved file, and its size in bytes
    exported = Signal(object)  # the path of an exported plot, table, model or report
    copied = Signal(str, object)
    """The name of a picture in a sentence, and the :class:`Picture` for the clipboard."""

    def __init__(self, jobs: JobRunner, choice: Choice, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.jobs = jobs
        self.limits: Limits | None = None
        """The largest image that is opened; None for the usual limits."""
        self._state = SessionState(choice=choice)
        self._preferred = choice
        self.memory = Memory()
        """What was set for the images that were open in this window."""
        self._pending: Preset | None = None
        """The preset whose components are being found."""
        self._options = USUAL
        """How files were opened last."""
        self._research = Research(self, jobs, self)
        self._research.failed.connect(self.failed)
        self.afterwards = DeferredStates(jobs, self._state, self)

    @property
    def state(self) -> SessionState:
        """The present state."""
        return self._state

    def become(self, state: SessionState) -> None:
        """Replace the state, emit the change, and start the work that the new state requires."""
        before = self._state
        if state is before:
            return
        state = self._state = transitions.displayed(state)
        self.stateChanged.emit(state, before)
        self._emit_watched(state, before)
        self.afterwards.follow(self._state, before)  # a slot may have replaced it
        self._research.follow(self._state, before)

    def task(self) -> Task | None:
        """Return the input of work on the setting; None until all components of the choice are there."""
        return self._research.task()

    def request(self, request: ask.SessionRequest) -> None:  # noqa: C901, PLR0912 - one case for each kind of request
        """Carry out a request."""
        state = self._state
        match request:
            case ask.Keep(k, final):
                if state.fitted:
                    self.jobs.cancel("target")
                self.become(transitions.with_k(state, k, final=final))
            case ask.Move(by):
                if state.fitted:
                    self.jobs.cancel("target")
                self.become(transitions.moved(state, by))
            case ask.Quantise(step, final):
                if state.fitted:
                    self.jobs.cancel("target")
                self.become(transitions.with_quality(state, step, final=final))
            case ask.Reach() | ask.UsePreset():
                self._reach(request)
            case ask.UseOwnPreset(preset):
                self._use_own(preset)
            case ask.Aim(measure):
                value = getattr(panel_view(state), measure)
                if value is not None and state.fitted:
                    self.become(transitions.kept(state, state.setting, Goal(measure, float(value))))
            case ask.SetStep(step):
                self.become(transitions.with_step(state, step))
            case ask.LeaveOut() | ask.Toggle() | ask.KeepOnly():
                self.become(transitions.without(state, _left_out(state, request)))
            case ask.Choose():
                self._pending = None
                self._choose(state.choice.changed(**request.changes))
            case ask.SetNoData(value):
                self._set_nodata(value)
            case ask.UseModel(path):
                self._open_model(path)
            case ask.LeaveModel():
                self._leave_model()
            case ask.ShowFrame(frame):
                self.become(transitions.framed(state, frame))
            case ask.ShowBands() | ask.ShowBand():
                self._show_bands(request)
            case ask.ShowLeft(name):
                self.become(replace(state, left=name))
            case ask.ShowRight(rival):
                self._show_right(transitions.with_rival(state, rival))
            case ask.Compare(rival):
                self._show_right(transitions.compared(state, rival))

    # Opening

    def open_paths(self, paths: list[str], options: OpenOptions = USUAL) -> None:
        """Open a file, a folder or several images; the open image stays until that has succeeded.

        Where an option is needed, :attr:`unopened` says so.
        """
        self._options = options
        limited = replace(options, limits=self.limits)
        work: Work = partial(open_document, paths, options=limited)
        if replace(options, several="stack") == USUAL:
            work = ahead.opening(paths, self.limits, work)
        self._announce(paths)
        self.jobs.submit("open", work, on_done=self._opened, on_failed=partial(self._not_opened, paths))

    def open_with_model(self, paths: list[str], model: Path) -> None:
        """Open files again with the model that they need, and else as they were being opened."""
        self.open_paths(paths, replace(self._options, model=model))

    def open_sample(self, name: str) -> None:
        """Open one of the sample images."""
        self.become(replace(self._state, opening=Opening(name)))
        self.jobs.submit(
            "open",
            lambda _: Opened(load_sample(name)),
            on_done=self._opened,
            on_failed=partial(self._not_opened, []),
        )

    def open_image(self, image: Image) -> None:
        """Open an image from memory."""
        self.jobs.cancel("open")
        self._opened(Opened(Document(image.name, image=image)))

    def reopen(self, kept: Kept) -> None:
        """Open an image again, with the settings that it had."""
        self.memory.put(kept.files, Own(None, kept))
        if kept.paths:
            self.open_paths(list(kept.paths), kept.options)
        else:
            self.open_sample(kept.name)

    def _announce(self, paths: list[str]) -> None:
        """Show which files are being opened, and a small picture of a single one once it is found."""
        first = Path(paths[0])
        name = first.name if len(paths) == 1 else f"{len(paths)} images"
        self.become(replace(self._state, opening=Opening(name)))
        self.jobs.cancel("glimpse")
        if len(paths) == 1:
            self.jobs.submit("glimpse", lambda _: read_glimpse(first), on_done=self._glimpsed)

    def _glimpsed(self, picture: NDArray[np.uint8] | None) -> None:
        opening = self._state.opening
        if opening is not None and picture is not None:
            self.become(replace(self._state, opening=replace(opening, picture=picture)))

    def close(self) -> None:
        """Close the image."""
        self.jobs.cancel("open")
        self.memory.leave(self._state)
        self.become(SessionState(choice=self._preferred))

    def _opened(self, opened: Opened) -> None:
        """Take what was opened, with what was set for it when it was open before."""
        self._pending = None
        self.memory.leave(self._state)  # it may be the same image
        own = self.memory.of(opened.document)
        kept = None if own is None else own.kept
        if kept is None:
            self._begin(opened, None if own is None else own.preset)
        elif kept.model is None or opened.fit is not None:
            self._resume(opened, kept)
        else:
            work = partial(open_model, Path(kept.model))
            done, failed = partial(self._resume, opened, kept), lambda _: self._begin(opened)
            self.jobs.submit("open", work, on_done=done, on_failed=failed)

    def _resume(self, opened: Opened, kept: Kept, model: ModelFile | None = None) -> None:
        """Take what was opened again, with the settings that it had."""
        self.become(transitions.reopened(opened, kept, model))
        if kept.look is not None:
            self._show_bands(ask.ShowBands(kept.look))

    def _begin(self, opened: Opened, preset: Preset | None = None) -> None:
        """Take what was opened for the first time, with the settings of a preset, if any."""
        choice = self._preferred
        if preset is not None:
            choice = own_presets.choice_of(preset, preset.method or "photo", Choice())
        self.become(transitions.opened(opened.document, choice, opened.fit))
        if preset is not None and opened.fit is None:
            self._use_own(preset)

    def _not_opened(self, paths: list[str], failure: Failure) -> None:
        self.become(replace(self._state, opening=None))
        self.unopened.emit(failure, paths)

    def _report(self, failure: Failure) -> None:
        self.failed.emit(failure.sentence)

    # Choosing components

    def prefer(self, choice: Choice) -> None:
        """Fit later images like this; the open one stays as it is."""
        self._preferred = choice

    def undo(self) -> None:
        """Go back to the previous settings, or if a fit is running, cancel it."""
        self._go(transitions.undone(self._state))

    def redo(self) -> None:
        """Go forward to the settings that were just undone."""
        self._go(transitions.redone(self._state))

    def stop(self) -> None:
        """Cancel all jobs, and go back to the settings that are shown."""
        self._pending = None
        self.jobs.cancel(*STOPPABLE)
        self.become(transitions.stopped(replace(self._state, opening=None)))
        self.jobs.cancel(*STOPPABLE)  # the state that was restored must not start any

    def _go(self, state: SessionState) -> None:
        if state.history is not self._state.history:
            self.jobs.cancel("target")
        self._prefer_for(state)
        self.become(state)

    def _choose(self, choice: Choice) -> None:
        state = transitions.chosen(self._state, choice)
        if state is not self._state:
            self._prefer_for(state)
            self.become(state)
        elif not (state.fitted or self.jobs.busy("fit")):
            self._research.fit()  # it was cancelled

    def _prefer_for(self, state: SessionState) -> None:
        """Use the choice of a state for later images, too."""
        document, choice = state.document, state.choice
        if document is None or choice == self._state.choice or document.is_stack or choice.model is not None:
            return
        usual = choice.usual
        if self._preferred.method == "photo" not in document.methods:
            usual = replace(usual, method="photo")  # a method for many bands says nothing about photos
        self._preferred = usual
        self.preferred.emit(usual)

    def _set_nodata(self, value: float | None) -> None:
        document = self._state.document
        if document is None:
            return
        if value is not None and not holds(document.dtype, value):
            kind = document.dtype
            self.failed.emit(f"{value:.9g} is not a value of type {kind}, so it cannot mark missing data.")
            return
        nodata = FROM_FILE if value == document.bands.nodata else value
        self._choose(self._state.choice.changed(nodata=nodata))

    def _open_model(self, path: Path) -> None:
        self.jobs.submit("model", partial(open_model, path), on_done=self._use_model, on_failed=self._report)

    def _use_model(self, model: ModelFile) -> None:
        document = self._state.document
        if document is not None and document.is_stack and not isinstance(model.sampling, Stack):
            self.failed.emit(f"{model.path.name} is a model for single images, but a stack is open.")
            return
        self._choose(self._state.choice.with_model(model))

    def _leave_model(self) -> None:
        choice, document = replace(self._state.choice, model=None), self._state.document
        if document is not None and choice.method not in document.methods:
            suits = self._preferred.method in document.methods
            choice = replace(choice, method=self._preferred.method if suits else document.methods[0])
        self._choose(choice)

    # Targets

    def _reach(self, request: ask.Reach | ask.UsePreset) -> None:
        match request:
            case ask.Reach("variance", percent):
                if self._state.ready:
                    self.jobs.cancel("target")
                self.become(transitions.with_variance(self._state, percent))
            case ask.Reach(measure, value):
                self._aim(Goal(measure, value))
            case ask.UsePreset(name):
                self._aim(Goal("preset", preset=name))

    def _use_own(self, preset: Preset) -> None:
        """Choose the components of a preset, and then the amount that it keeps."""
        document = self._state.document
        if document is None:
            return
        try:
            choice = own_presets.choice_by(preset, self._state.choice, document)
        except SettingsError as error:
            self.failed.emit(str(error))
            return
        self._pending = preset
        self._choose(choice)
        if self._state.fitted:
            self._keep_pending()

    def _keep_pending(self) -> None:
        preset, self._pending = self._pending, None
        document, fit = self._state.document, self._state.fit
        if preset is not None and document is not None and fit is not None:
            for request in own_presets.requests_by(preset, document, fit):
                self.request(request)

    def pursue(self, *, reached: bool) -> None:
        """Search for the goal again unless it is reached, since the image got other components."""
        goal = self._state.goal
        if self._pending is not None:
            self._keep_pending()
        elif reached:
            return
        elif goal.measure == "variance":
            self.become(transitions.with_variance(self._state, goal.value, amend=True))
        elif goal.measure in SEARCHED and not self._state.bounded:
            self._aim(goal, amend=True)

    def _aim(self, goal: Goal, *, amend: bool = False) -> None:
        exactness = goal.measure != "preset" or PRESETS[goal.preset].variance is None
        task = self.task()
        if exactness and self._state.bounded:
            hint = f"{transitions.BOUNDED}. Untick it to ask for a quality or a size."
            self.become(transitions.hinted(self._state, hint))
        elif task is not None:

            def done(target: Target) -> None:
                self.become(transitions.aimed(self._state, target, goal, amend=amend))

            self.jobs.submit("target", partial(find_goal, task, goal), on_done=done, on_failed=self._report)

    # Looking

    def _show_bands(self, request: ask.ShowBands | ask.ShowBand) -> None:
        document = self._state.document
        if document is None or not document.many_bands:
            return
        if isinstance(request, ask.ShowBands):
            look = request.look
        else:
            now = self._state.look or document.look
            look = Look("own", (request.band,) * 3, now.percentiles)
        if look.fits(document.bands.names):
            self._research.show_bands(look)

    def _show_right(self, state: SessionState) -> None:
        if state.rival != self._state.rival:
            self.jobs.cancel("rival", RATING)
        self.become(state)

    # Writing

    def save(self, path: Path) -> bool:
        """Write the compressed file unless that would overwrite an input; return whether it was started."""
        task = self.task()
        if task is None:
            return False
        return self._write("save", path, partial(task.save, path), partial(self.saved.emit, path))

    def write_beside(self, path: Path, work: Work, on_done: Callable[[Any], None] | None = None) -> None:
        """Run `work`, which writes to a path, unless that would overwrite an input.

        `on_done` is called with its result; without it, :attr:`exported` is emitted.
        """
        self._write("export", path, work, on_done or (lambda _: self.exported.emit(path)))

    def copy(self, view: ViewName = "reconstruction", full_scale: float | None = None) -> None:
        """Render a picture for the clipboard; :func:`~pcaimage.gui.session.sources.copy_of` says which."""
        task, found = self.task(), copy_of(self._state, view, full_scale)
        if view == "reconstruction" and task is not None:
            found = PictureCopy("The reconstruction", partial(task.copy, self._state.settled))
        if found is not None:
            done = partial(self.copied.emit, found.name)
            self.jobs.submit("copy", found.make, on_done=done, on_failed=self._report)

    def _write(self, kind: str, path: Path, work: Work, on_done: Callable[[Any], None]) -> bool:
        document = self._state.document
        if document is not None and document.is_input(path):
            self.failed.emit(
                f"{path.name} is the file that is open, and it is not replaced; choose another name."
            )
            return False
        self.jobs.submit(kind, work, on_done=on_done, on_failed=self._report)
        return True


def _left_out(state: SessionState, request: ask.LeaveOut | ask.Toggle | ask.KeepOnly) -> frozenset[int]:
    """Return the components that a request leaves out."""
    match request:
        case ask.LeaveOut(numbers):
            return numbers
        case ask.Toggle(number, out):
            now = state.setting.left_out
            return now | {number} if out else now - {number}
        case ask.KeepOnly(number):
            count = 0 if state.fit is None else state.fit.n_components
            return frozenset(range(1, count + 1)) - {number}

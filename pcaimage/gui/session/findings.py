"""Owns what is open, chosen and known, and has found out in the background what is not known yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from pcaimage.gui.session.afterwards import Afterwards
from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.history import Point
from pcaimage.gui.session.job import Failure, Work
from pcaimage.gui.session.jobs import JobRunner
from pcaimage.gui.session.kept_first import first_k, k_like, setting_within
from pcaimage.gui.session.rivals import RivalMaker
from pcaimage.gui.session.setting import Setting
from pcaimage.gui.session.similarity import similarity
from pcaimage.gui.session.state import Estimated, Measured, Rivalry, SessionState, Settled, Similarity
from pcaimage.gui.session.work import Task

FIRST_ONLY = "Only the first components are shown; open the file again to decode all."
"""What is so after decoding was stopped."""

PAUSE = 120
"""Milliseconds for which a hand that holds the slider stands still."""

OF_SETTING = ("settle", "measure", "similarity", "rates")
"""Work that another setting makes pointless."""
OF_FIT = ("fit", "refine", "target", "estimate", "rival", *OF_SETTING)
"""Work that another method makes pointless."""


class Findings(QObject):
    """The state, its only writer, and the work that completes it.

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

    def __init__(self, jobs: JobRunner, choice: Choice, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.jobs = jobs
        self._state = SessionState(choice=choice)
        self._returning: Setting | None = None
        """The setting that goes with the components being found, where it was set before."""
        self._contended: object = None
        """What the rival being made depends on."""
        self._rival_fits: dict[str, Fit] = {}
        """The image's components by another method."""
        self.afterwards = Afterwards(self)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        """Until a hand that stands still, and may move on, gets figures that have to be measured."""
        self._pause.timeout.connect(self._guess_now)

    @property
    def state(self) -> SessionState:
        """Everything that is open, chosen and known."""
        return self._state

    def task(self) -> Task | None:
        """Return what work on the present setting needs.

        Returns
        -------
        Task or None
            None while there are no components of what was chosen, or only the first of a file's.
        """
        state = self._state
        if state.document is None or state.fit is None or not state.ready:
            return None
        return Task(state.document, state.fit, state.setting, state.frame, state.display)

    def _become(self, state: SessionState) -> None:
        before, self._state = self._state, state
        self.stateChanged.emit(state, before)

    def _change(self, **fields: Any) -> None:
        self._become(replace(self._state, **fields))

    def _cancel(self, *kinds: str) -> None:
        for kind in kinds:
            self.jobs.cancel(kind)

    def _patiently(
        self,
        kind: str,
        work: Work,
        on_done: Callable[[Any], None],
        on_failed: Callable[[Failure], None] | None = None,
    ) -> None:
        """Have something found out, whenever no picture is being made."""
        self.jobs.submit(kind, work, on_done=on_done, on_failed=on_failed or self._report, patient=True)

    def _report(self, failure: Failure) -> None:
        self.failed.emit(failure.sentence)

    # Components

    def _fit(self) -> None:
        """Find the components of the image in the way that was chosen."""
        document, choice = self._state.document, self._state.choice
        self._cancel(*OF_FIT)
        if document is None or document.image is None:
            return
        at_hand = None if self._state.fit is None else self._state.fit.serving(choice)
        if at_hand is not None:
            self._fitted(at_hand)
            return
        work = partial(Fit.of_image, document.image, choice)
        self.jobs.submit("fit", work, on_done=self._fitted, on_failed=self._not_fitted)

    def _fitted(self, fit: Fit) -> None:
        before = self._state
        # Another method keeps about as much of the image, which is another k.
        setting, self._returning = self._returning or _first_setting(fit, before), None
        setting = replace(setting, k=min(setting.k, fit.n_components))
        nothing = dict.fromkeys(("settled", "measured", "similarity", "estimated", "rivalry"))
        history = before.history.recorded(Point(fit.choice, setting))
        self._change(fit=fit, setting=setting, moving=False, hint="", history=history, **nothing)
        self._find_out()

    def _refine(self) -> None:
        """Decode all components of a file whose first are shown."""
        document = self._state.document
        if document is not None and document.compressed is not None:
            work = partial(Fit.of_file, document.compressed)
            self._patiently("refine", work, self._refined, self._not_refined)

    def _refined(self, fit: Fit) -> None:
        self._change(fit=fit, hint="")
        self._find_out()

    def _not_refined(self, failure: Failure) -> None:
        self._change(hint=FIRST_ONLY)
        self._report(failure)

    def _not_fitted(self, failure: Failure) -> None:
        self._returning = None
        if self._state.fit is not None:
            self._change(choice=self._state.fit.choice)
            self._find_out()
        else:
            self._change(hint="Choose another method or block size.")
        self._report(failure)

    # What follows from a setting

    def _find_out(self) -> None:
        """Have the first thing found out that is not known of the setting; the others follow it."""
        self._estimate()
        state, task = self._state, self.task()
        if task is None or state.moving:
            return
        if state.settled is None or state.settled.setting != state.setting:
            if not self.jobs.busy("settle"):
                self._patiently("settle", task.settle, self._settled)
            return
        if task.document.image is None:
            self._contend()
            return
        if state.measured is None or state.measured.setting != state.setting:
            self._measure(task)
        elif task.fit.rates is not None:
            self.jobs.submit("rates", task.look_ahead, patient=True)
        if state.similarity is None or state.similarity.setting != state.setting:
            self._compare(task, state.settled)
        self._contend()

    def _contend(self) -> None:
        """Have the picture made that the reconstruction is compared with."""
        state, task = self._state, self.task()
        rival, known = state.rival, state.rivalry
        if rival is None or task is None or state.moving:
            return
        n_bytes = None
        if rival.kind != "k":
            if state.measured is None or state.measured.setting != state.setting:
                return  # comes back once the size is known
            n_bytes = state.measured.n_bytes
        wanted = rival, task.fit, n_bytes, task.frame
        if known is not None and wanted == (known.rival, known.fit, known.n_bytes, known.frame):
            return
        if wanted == self._contended and self.jobs.busy("rival"):
            return
        self._contended = wanted
        maker = RivalMaker(task, n_bytes, self._rival_fits)
        self._patiently("rival", partial(maker.make, rival), self._met, self._not_met)

    def _forget_rivals(self) -> None:
        """Let go of what was found of the image that was open."""
        self._rival_fits, self._contended = {}, None

    def _met(self, rivalry: Rivalry) -> None:
        self._change(rivalry=rivalry)

    def _not_met(self, failure: Failure) -> None:
        self._change(rival=None, rivalry=None)
        self._report(failure)

    def _estimate(self) -> None:
        task, known = self.task(), self._state.estimated
        if task is None or task.fit.analysis is None:
            return
        if known is not None and known.setting == task.setting:
            return
        at_hand = task.estimate_at_hand
        if self._state.moving and not at_hand:
            self._pause.start()  # it would take the processor from the pictures for seconds
            return
        self._pause.stop()
        self._guess(task, patient=not at_hand)

    def _guess_now(self) -> None:
        task = self.task()
        if task is not None:
            self._guess(task, patient=True)

    def _guess(self, task: Task, *, patient: bool) -> None:
        self.jobs.submit(
            "estimate", task.estimate, on_done=self._estimated, finish_running=True, patient=patient
        )

    def _measure(self, task: Task) -> None:
        if not self.jobs.busy("measure"):
            self._patiently("measure", task.measure, self._measured)

    def _compare(self, task: Task, settled: Settled) -> None:
        if not self.jobs.busy("similarity"):
            work = partial(similarity, task.document, settled)
            self._patiently("similarity", work, self._compared)

    def _estimated(self, estimated: Estimated | None) -> None:
        if estimated is not None:
            self._change(estimated=estimated)

    def _settled(self, settled: Settled) -> None:
        document = self._state.document
        if document is not None and document.is_stack:
            # Another image may have been chosen since.
            settled = replace(settled, layers=document.layers_of(settled.pixels, self._state.frame))
        self._change(settled=settled)
        self._find_out()

    def _compared(self, found: Similarity) -> None:
        self._change(similarity=found)

    def _measured(self, measured: Measured) -> None:
        self._change(measured=measured)
        self._find_out()


def _first_setting(fit: Fit, before: SessionState) -> Setting:
    """Return what is kept of new components before the user has said so."""
    if fit.choice.bound is not None and fit.analysis is not None:
        return setting_within(fit.analysis, fit.choice.bound)
    k = first_k(fit) if before.fit is None else k_like(fit, before.fit, before.setting.k)
    return Setting(k, before.setting.step)

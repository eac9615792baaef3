"""Computes in the background what the session's state lacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from pcaimage.gui.session import ahead, transitions
from pcaimage.gui.session.display import Display, Look, display_of
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.jobs import Failure, JobRunner, Work
from pcaimage.gui.session.rivals import RivalMaker, rival_similarity
from pcaimage.gui.session.state import ExactReconstruction, Rivalry, SessionState, SettingEstimate, SizeGuess
from pcaimage.gui.session.targets import find_offers, guess_size
from pcaimage.gui.session.work import Task, similarity

PAUSE = 120  # milliseconds without a move after which a drag gets figures that take long

OF_SETTING = ("settle", "measure", "similarity", "rates")
"""The kinds of jobs that a change of the setting makes pointless."""
RATING = "rival similarity"  # the kind of the job that finds how similar a rival's picture is to the original
LONG = ("fit", "refine", "target", "offers", "rival", RATING, *OF_SETTING)
"""The kinds of jobs that complete the state, without the estimate, which finishes too soon to be stopped."""
OF_FIT = (*LONG, "guess", "estimate")  # the kinds of jobs that a change of the choice makes pointless


class Owner(Protocol):
    """The owner of the state."""

    @property
    def state(self) -> SessionState:
        """The present state."""

    def become(self, state: SessionState) -> None:
        """Replace the state."""

    def pursue(self, *, reached: bool) -> None:
        """Search for the goal again."""


class Research(QObject):
    """Follows the state, and starts the jobs that complete it: at most one of a kind at a time.

    The results of a setting come step by step: the exact reconstruction, the size of the file, then
    similarity and the picture to compare with. Every result is a new state, which starts the next step.
    """

    failed = Signal(str)  # a sentence about an error

    def __init__(self, owner: Owner, jobs: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._owner, self._jobs = owner, jobs
        self._usual_look: Look | None = None
        """The look that was chosen last, for all images that allow it."""
        self._comparing: object = None
        """The key of the rival's picture that is being made."""
        self._rival_fits: dict[str, Fit] = {}
        """The image's components by another method, for comparisons."""
        self._without_offers: Fit | None = None
        """The components for which the sizes of presets could not be found."""
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self._pause.timeout.connect(self._estimate_now)

    @property
    def _state(self) -> SessionState:
        return self._owner.state

    def task(self) -> Task | None:
        """Return the input of work on the setting; None until all components of the choice are there."""
        state = self._state
        if state.document is None or state.fit is None or not state.ready:
            return None
        return Task(state.document, state.fit, state.setting, state.frame, state.display)

    def follow(self, state: SessionState, before: SessionState) -> None:
        """Cancel the jobs that a change made pointless, and start those that it requires."""
        if state.document is not before.document:
            self._follow_document(state)
            return
        if state.choice.nodata != before.choice.nodata:
            self._display(state)
        if state.choice != before.choice and not state.fitted:
            self.fit()
            return
        if state.choice != before.choice and state.fit is before.fit:
            # Return to the components at hand.
            self._jobs.cancel(*OF_FIT)
        elif state.setting != before.setting:
            self._jobs.cancel(*OF_SETTING)
            if state.moving and not state.offers:
                # Sampled beside them, pictures would take twice their time: the presets wait until k rests.
                self._jobs.cancel("offers")
        if _figures_of(state) != _figures_of(before):
            self._complete()
        elif (state.frame, state.rival) != (before.frame, before.rival):
            self._compare_with_rival()

    def fit(self) -> None:
        """Find the components of the image for the present choice."""
        document, choice, at_hand = self._state.document, self._state.choice, self._state.fit
        self._jobs.cancel(*OF_FIT)
        if document is None or document.image is None:
            return
        same = None if at_hand is None else at_hand.serving(choice)
        if same is not None:
            self._fitted(same)
            return
        work = ahead.fitting(document.image, choice, partial(Fit.of_image, document.image, choice))
        self._jobs.submit("fit", work, on_done=self._fitted, on_failed=self._not_fitted)

    def show_bands(self, look: Look) -> None:
        """Show a look of this image and of later ones that allow it."""
        self._usual_look = look
        if look != self._state.look:
            self._owner.become(replace(self._state, look=look))
            self._display(self._state)

    def _follow_document(self, state: SessionState) -> None:
        self._jobs.cancel(*OF_FIT)
        self._rival_fits, self._comparing = {}, None
        document, look = state.document, self._usual_look
        if document is None:
            return
        if document.many_bands and look is not None and look.fits(document.bands.names):
            self.show_bands(look)
        if state.fit is None:
            self.fit()
            return
        self._complete()
        if not state.fit.whole and document.compressed is not None:
            work = partial(Fit.of_file, document.compressed)
            self._patiently("refine", work, partial(self._take, "fit", hint=""), self._not_refined)

    def _patiently(
        self,
        kind: str,
        work: Work,
        on_done: Callable[[Any], None],
        on_failed: Callable[[Failure], None] | None = None,
    ) -> None:
        """Start a patient job unless one of its kind is running."""
        if not self._jobs.busy(kind):
            self._jobs.submit(kind, work, on_done=on_done, on_failed=on_failed or self._report, patient=True)

    def _take(self, part: str, found: object, **others: object) -> None:
        """Take what was found as a part of the state."""
        changes: dict[str, Any] = {part: found, **others}
        self._owner.become(replace(self._state, **changes))

    def _report(self, failure: Failure) -> None:
        self.failed.emit(failure.sentence)

    # Components

    def _fitted(self, fit: Fit) -> None:
        before, present = self._state, self._state.history.present
        self._owner.become(transitions.fitted(before, fit))
        # The first setting reaches the first goal unless an exact file is smaller; the history's did before.
        first = before.fit is None and not fit.flat
        known = first or (present is not None and present.choice == fit.choice)
        self._owner.pursue(reached=known)

    def _not_fitted(self, failure: Failure) -> None:
        self._owner.become(transitions.not_fitted(self._state))
        self._report(failure)

    def _not_refined(self, failure: Failure) -> None:
        self._owner.become(transitions.hinted(self._state, transitions.FIRST_ONLY))
        self._report(failure)

    # The display of many bands

    def _display(self, state: SessionState) -> None:
        document = state.document
        if document is None or not document.many_bands:
            return
        look = state.look or document.look
        self._jobs.submit(
            "look",
            lambda _: display_of(look, document.bands.names, document.fair_pixels, state.nodata),
            on_done=partial(self._displayed, document),
            on_failed=self._report,
            finish_running=True,
        )

    def _displayed(self, document: Document, display: Display) -> None:
        if document is self._state.document:
            self._take("display", display)

    # Figures of a setting

    def _complete(self) -> None:
        """Start the first step that the setting lacks; its result leads to the next."""
        self._estimate()
        state, task = self._state, self.task()
        if task is None or state.moving or self._jobs.busy("guess"):
            return
        # Sizes of a photo's presets come next: encoding it takes several times as long.
        if task.document.image is not None and task.fit.points.by_step and self._offer(task):
            return
        exact = state.current(state.settled)
        if exact is None:
            self._patiently("settle", task.settle, self._settled)
            return
        if task.document.image is not None:
            if state.current(state.measured) is None:
                self._patiently("measure", task.measure, partial(self._take, "measured"))
            elif not self._offer(task) and task.fit.rates is not None:
                self._jobs.submit("rates", task.look_ahead, patient=True)
            if state.current(state.similarity) is None:
                work = partial(similarity, task.document, exact, nodata=state.nodata)
                self._patiently("similarity", work, partial(self._take, "similarity"))
        self._compare_with_rival()

    def _offer(self, task: Task) -> bool:
        """Find the sizes of presets, and return whether they are still to come."""
        state = self._state
        if state.offers or state.bounded or task.fit.rates is None or self._without_offers is task.fit:
            return False
        self._patiently("offers", partial(find_offers, task), self._offered, self._not_offered)
        return True

    def _not_offered(self, failure: Failure) -> None:
        self._without_offers = self._state.fit
        self._report(failure)
        self._complete()

    def _offered(self, found: dict[str, int]) -> None:
        self._take("offers", found)
        self._complete()

    def _settled(self, found: ExactReconstruction) -> None:
        self._owner.become(transitions.settled(self._state, found))

    def _estimate(self) -> None:
        task, state = self.task(), self._state
        if task is None or task.fit.analysis is None or state.current(state.estimated) is not None:
            return
        at_hand = task.estimate_at_hand
        by_step = task.fit.points.by_step and not task.setting.lossless
        if by_step and not at_hand and state.current(state.guessed) is None:
            work, patient = partial(guess_size, task, state.offers), not state.offers
            self._jobs.submit("guess", work, on_done=self._guessed, finish_running=True, patient=patient)
        if state.moving and not at_hand:
            self._jobs.cancel("estimate")  # it takes seconds, during which pictures would be slow
            self._pause.start()
        else:
            self._pause.stop()
            # Both lead here again.
            if at_hand or not (self._jobs.busy("guess") or (task.fit.points.by_step and self._offer(task))):
                self._start_estimate(task, patient=not at_hand)

    def _estimate_now(self) -> None:
        task = self.task()
        if task is not None:
            self._start_estimate(task, patient=True)

    def _start_estimate(self, task: Task, *, patient: bool) -> None:
        done, work = self._take_estimate, task.estimate
        self._jobs.submit("estimate", work, on_done=done, finish_running=True, patient=patient)

    def _take_estimate(self, found: SettingEstimate | None) -> None:
        if found is not None:
            self._take("estimated", found)

    def _guessed(self, found: SizeGuess | None) -> None:
        """Take a size; what takes longer, and codes parts of what was coded for it, begins only now."""
        if found is not None:
            self._take("guessed", found)
        self._complete()

    # Comparisons

    def _compare_with_rival(self) -> None:
        """Start the picture that the reconstruction is compared with."""
        state, task = self._state, self.task()
        rival, known = state.rival, state.rivalry
        if rival is None or task is None or state.moving or rival.kind == "unrounded":
            return  # the unrounded reconstruction is shown from the components at hand
        n_bytes = None
        if rival.kind not in {"k", "file"}:
            measured = state.current(state.measured)
            if measured is None:
                return  # the size will be a new state
            n_bytes = measured.n_bytes
        wanted = rival, task.fit, n_bytes, task.frame
        if known is not None and wanted == (known.rival, known.fit, known.n_bytes, known.frame):
            return
        if wanted == self._comparing and self._jobs.busy("rival"):
            return
        self._comparing = wanted
        work = partial(RivalMaker(task, n_bytes, self._rival_fits).make, rival)
        self._jobs.submit("rival", work, on_done=self._met, on_failed=self._not_met, patient=True)

    def _met(self, rivalry: Rivalry) -> None:
        self._take("rivalry", rivalry)
        if rivalry.original is not None:
            work = partial(rival_similarity, rivalry)
            done = partial(self._rated, rivalry)
            self._jobs.submit(RATING, work, on_done=done, on_failed=self._report, patient=True)

    def _rated(self, of: Rivalry, rivalry: Rivalry) -> None:
        if self._state.rivalry is of:
            self._take("rivalry", rivalry)

    def _not_met(self, failure: Failure) -> None:
        self._owner.become(replace(self._state, rival=None, rivalry=None))
        self._report(failure)


def _figures_of(state: SessionState) -> tuple[object, ...]:
    """Return everything that determines which figures are missing, for comparison with ==."""
    known = [each and each.setting for each in (state.settled, state.measured)]
    return state.fit, state.choice, state.setting, state.moving, *known

"""Choosing how much is kept: k itself, and the ways to say it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from pcaimage.gui.session.findings import OF_SETTING, Findings
from pcaimage.gui.session.history import Point
from pcaimage.gui.session.presets import PRESETS, find_preset
from pcaimage.gui.session.setting import Setting
from pcaimage.gui.session.targets import Target, find_psnr, find_size, find_ssim
from pcaimage.gui.session.work import Task
from pcaimage.progress import Progress

BOUNDED = "The greatest error says how exact the file is"
"""Why other wishes for its quality are refused."""


class Adjusting(Findings):
    """A state whose setting can be changed.

    Parameters
    ----------
    jobs : JobRunner
        Who does the work.
    choice : Choice
        How images are fitted at first.
    parent : QObject, optional
        The owner.
    """

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
        if fit is not None and self._state.fitted:
            self.jobs.cancel("target")
            k = min(max(k, 1), fit.n_components)
            setting = self._state.setting
            if k != setting.k:
                setting = replace(setting, k=k, tuned=None, lossless=False)
            self._set(setting, final=final)

    def set_variance(self, percent: float) -> None:
        """Keep the fewest components that explain a share of the variance.

        Parameters
        ----------
        percent : float
            From 0 to 100.
        """
        fit = self._state.fit
        if fit is None or not self._state.ready:
            return
        left_out = self._state.setting.left_out
        self.set_components(fit.k_for_variance(percent / 100, left_out), final=True)
        most = 100 * fit.ratio(fit.n_components, left_out)
        if percent > most + 1e-6:
            self._change(hint=f"{percent:.2f} % cannot be reached; {most:.2f} % is the most.")

    def set_psnr(self, decibels: float) -> None:
        """Compress as much as a quality allows.

        Parameters
        ----------
        decibels : float
            Peak signal-to-noise ratio.
        """
        self._aim(find_psnr, decibels)

    def set_ssim(self, similarity: float) -> None:
        """Compress as much as a structural similarity allows.

        Parameters
        ----------
        similarity : float
            Below 1.
        """
        self._aim(find_ssim, similarity)

    def set_size(self, n_bytes: int) -> None:
        """Compress as little as a size allows.

        Parameters
        ----------
        n_bytes : int
            The size.
        """
        self._aim(find_size, n_bytes)

    def set_preset(self, name: str) -> None:
        """Compress as one of the presets says.

        Parameters
        ----------
        name : str
            Of :data:`.presets.PRESETS`.
        """
        self._aim(find_preset, name, exactness=PRESETS[name].variance is None)

    def set_step(self, step: float | None) -> None:
        """Set the quantiser's step.

        Parameters
        ----------
        step : float or None
            Δ; None lets it follow from k.
        """
        if self._state.fitted and (step is None or step > 0):
            self._set(replace(self._state.setting, step=step, tuned=None, lossless=False), final=True)

    def leave_out(self, number: int, *, out: bool) -> None:
        """Leave a component out, or put it back.

        Parameters
        ----------
        number : int
            Counted from 1.
        out : bool
            Whether its scores count as zero.
        """
        now = self._state.setting.left_out
        self.leave_out_only(now | {number} if out else now - {number})

    def leave_out_only(self, numbers: frozenset[int]) -> None:
        """Leave some components out and put all others back.

        Parameters
        ----------
        numbers : frozenset of int
            Counted from 1; those that the image does not have are passed over.
        """
        fit = self._state.fit
        if numbers and self._state.bounded:
            self._change(hint=f"{BOUNDED}, so no component can be left out. Untick it first.")
        elif fit is not None and self._state.fitted:
            known = frozenset(number for number in numbers if 1 <= number <= fit.n_components)
            self._set(replace(self._state.setting, left_out=known, lossless=False), final=True)

    def _set(self, setting: Setting, *, final: bool) -> None:
        state = self._state
        if setting != state.setting:
            self._cancel(*OF_SETTING)
            touched = state.document is not None and state.document.image is not None
            self._change(setting=setting, moving=not final, touched=touched, hint="")
        elif state.moving == final or state.hint:
            self._change(moving=not final, hint="")
        history = self._state.history.recorded(Point(state.choice, setting))
        if final and self._state.fitted and history is not self._state.history:
            self._change(history=history)
        self._find_out()

    def _aim(
        self, search: Callable[[Task, Any, Progress], Target], value: object, *, exactness: bool = True
    ) -> None:
        task = self.task()
        if exactness and self._state.bounded:
            self._change(hint=f"{BOUNDED}. Untick it to ask for a quality or a size.")
            return
        if task is not None:
            work = partial(search, task, value)
            self.jobs.submit("target", work, on_done=self._aimed, on_failed=self._report)

    def _aimed(self, target: Target) -> None:
        self._set(target.applied(self._state.setting), final=True)
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
        self._contend()

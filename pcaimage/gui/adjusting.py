"""Choosing how much is kept: k itself, and the ways to say it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from pcaimage.gui.findings import OF_SETTING, Findings
from pcaimage.gui.state import Setting
from pcaimage.gui.targets import Target, find_psnr, find_size
from pcaimage.gui.work import Task
from pcaimage.progress import Progress


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
            self._set(replace(self._state.setting, k=min(max(k, 1), fit.n_components)), final=final)

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
        self.set_components(fit.k_for_variance(percent / 100), final=True)
        most = 100 * fit.ratio(fit.n_components)
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
        state = self._state
        if setting != state.setting:
            self._cancel(*OF_SETTING)
            touched = state.document is not None and state.document.image is not None
            self._change(setting=setting, moving=not final, touched=touched, hint="")
        elif state.moving == final or state.hint:
            self._change(moving=not final, hint="")
        self._find_out()

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

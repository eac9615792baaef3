"""Undo of the lab, on its own frozen states."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pcaimage.insight.lab.state import LabState

MOST = 100
"""Most states that can be undone."""

MOST_BYTES = 256 << 20
"""Most memory of bases and samples of states that can be undone: a turn of 784 features makes 10 MB."""


@dataclass(frozen=True, eq=False)
class LabHistory:
    """The present state, with those before it and those that were undone."""

    state: LabState
    past: tuple[LabState, ...] = ()
    future: tuple[LabState, ...] = ()
    before_drag: LabState | None = None
    """The state before something was dragged; None while nothing is."""

    def moved(self, state: LabState) -> LabHistory:
        """Show a state while something is dragged; the drag is undone as a whole."""
        return replace(self, state=state, before_drag=self.before_drag or self.state)

    def amended(self, state: LabState) -> LabHistory:
        """Show a state that is not worth an undo of its own, such as another marked sample."""
        return replace(self, state=state)

    def committed(self, state: LabState) -> LabHistory:
        """Go on to a state, which can be undone."""
        before = self.before_drag or self.state
        # A copy of it, without the scores and pictures that were worked out while it was shown.
        return LabHistory(state, _affordable((*self.past, replace(before))[-MOST:]))

    def undone(self) -> LabHistory:
        """Return to the state before; the first one stays."""
        if not self.past:
            return self
        return LabHistory(self.past[-1], self.past[:-1], (self.state, *self.future))

    def redone(self) -> LabHistory:
        """Repeat what was undone last."""
        if not self.future:
            return self
        return LabHistory(self.future[0], (*self.past, self.state), self.future[1:])


def _affordable(past: tuple[LabState, ...]) -> tuple[LabState, ...]:
    """Return the newest states whose arrays fit into memory; the last one always does."""
    total, counted = 0, set[int]()
    for number, state in enumerate(reversed(past)):
        for array in (state.basis.axes, state.basis.matrix, state.data.samples):
            total += array.nbytes * (id(array) not in counted)
            counted.add(id(array))
        if number and total > MOST_BYTES:
            return past[-number:]
    return past

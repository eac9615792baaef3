"""The way between two states of the lab, for pictures that move: a turn of the axes, or of the line."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.lab.basis import Basis
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.state import LabState

MOST_TURNED = 32  # most features whose axes are turned all at once; more would take too long for a picture
FRAMES = 12  # pictures of a turn


@dataclass(frozen=True, eq=False)
class Motion:
    """The turn that leads from one basis to another, in parts of which each is a turn itself.

    The rotation R between them has the powers R^t = U Λ^t U⁻¹ with its eigenvalues e^{iφ}, of which the real
    part is taken: an axis that is only flipped shrinks to nothing half way, and grows again.
    """

    before: LabState
    after: LabState
    phases: Floats = field(repr=False)
    vectors: NDArray[np.complex128] = field(repr=False)
    inverse: NDArray[np.complex128] = field(repr=False)

    @classmethod
    def between(cls, before: LabState, after: LabState) -> Motion | None:
        """Return the way between two states of the same samples; None if there is none to be shown."""
        same = before.prepared is after.prepared and before.removed is after.removed
        stays = before.basis is after.basis
        if not same or (stays and (before.angle == after.angle or before.plane != after.plane)):
            return None
        if not stays and len(after.basis) > MOST_TURNED:
            return None
        turn = np.eye(1) if stays else after.basis.axes @ before.basis.axes.T
        if np.linalg.det(turn) < 0 and np.abs(np.diagonal(turn)).sum() < len(turn) - 1e-9:
            turn[-1] *= -1.0  # more than a flip: the last axis flips at the end, and all before is a turn
        values, vectors = np.linalg.eig(turn.astype(np.complex128))
        return cls(before, after, np.angle(values), vectors, np.linalg.inv(vectors))

    def at(self, share: float) -> LabState:
        """Return the state after a share of the way, from 0 to 1."""
        before, after = self.before, self.after
        start = before.angle if before.plane == after.plane else 0.0
        # A line has no ends: it takes the shorter way round.
        way = (after.angle - start + math.pi / 2) % math.pi - math.pi / 2
        shown = replace(after, angle=start + share * way, held=True)
        if before.basis is after.basis:
            return shown
        turn = ((self.vectors * np.exp(1j * share * self.phases)) @ self.inverse).real
        basis = Basis.of_axes(turn @ before.basis.axes, after.prepared.matrix)
        return replace(shown, basis=basis)

    def frames(self, count: int = FRAMES) -> list[LabState]:
        """Return states on the way, evenly slow at both ends; the last one is where it leads."""
        shares = (0.5 - 0.5 * math.cos(math.pi * number / count) for number in range(1, count))
        return [*map(self.at, shares), self.after]

"""Components and what predicts them, for :mod:`tests.reference.photo`: P4 and P10."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.reference.models import Tables

Ints = NDArray[np.int64]


class Component(NamedTuple):
    """P4: channel component, vertical and horizontal frequency, and place."""

    p: int
    u: int
    v: int
    place: int

    @property
    def kind(self) -> int:
        return min(self.p, 2)


def differences(constant: Ints) -> list[Ints]:
    """P10: of the neighbours' scores on a constant component, (rows, columns), and each block's own."""
    rows, columns = constant.shape
    padded = np.pad(constant, 1, mode="edge")
    places = [(d, r) for d in range(3) for r in range(3) if (d, r) != (1, 1)]
    return [np.clip(padded[d : d + rows, r : r + columns] - constant, -(2**15), 2**15) for d, r in places]


def predicted(tables: Tables, component: Component, around: list[Ints], fraction: int) -> Ints:
    """P10: a component's prediction from the differences of its channel, with fractions of some bits."""
    weights = tables["prediction"][component.kind, 8 * component.u + component.v].tolist()
    found: Ints = (np.tensordot(weights, around, 1) + (4 << fraction)) >> (3 + fraction)
    return found

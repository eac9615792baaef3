"""Scores that networks expect, for :mod:`tests.reference.photo`: P11."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference.local_steps import LocalSteps
from tests.reference.models import Tables
from tests.reference.prediction import Component

Ints = NDArray[np.int64]

GROUPS = [[1], [2], [3], [4], [5, 6], [7, 8, 9, 10, 11, 12, 13, 14]]
AROUND = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
BESIDE = [(-1, 0), (0, -1), (0, 1), (1, 0)]
PLACES = list(product(range(8), repeat=2))


def group_of(u: int, v: int) -> int:
    return next(g for g, sums in enumerate(GROUPS) if u + v in sums)


def moved(plane: Ints, down: int, right: int) -> Ints:
    """Return for each block what its neighbour has, or the nearest block of the slice."""
    rows, columns = plane.shape
    return np.pad(plane, 1, mode="edge")[1 + down : 1 + down + rows, 1 + right : 1 + right + columns]


def inputs_of(coefficients: dict[tuple[int, int], Ints], around: list[Ints], g: int, bits: int = 0) -> Ints:
    """Return the inputs of a group's network, (inputs, rows, columns), from what is known of a channel."""

    def known(u: int, v: int) -> Ints:
        found = coefficients.get((u, v), np.zeros_like(around[0]))
        return np.clip(found >> 5, -8191, 8191)

    means = [np.clip(4 * each >> bits, -8191, 8191) for each in around]
    lower = [(u, v) for u, v in PLACES if u + v and group_of(u, v) < g]
    lower.sort(key=lambda place: (sum(place), max(place), place[0]))
    lowest = [place for place in lower if max(place) == 1]
    found = [known(*place) for place in lower] + means
    found += [moved(known(*place), *there) for place in lowest for there in AROUND]
    if g > 1:
        found += [moved(known(*place), *there) for place in ((0, 2), (2, 0)) for there in BESIDE]
    return np.stack(found)


def evaluated(w: Ints, t: Ints, v: Ints, x: Ints) -> Ints:
    """Return what a network gives for some inputs, (results, rows, columns)."""
    size = np.abs(x).sum(axis=0)
    a, b = np.tensordot(w, x, 1), t[:, None, None] * (size >> 3)
    z = np.clip((np.maximum(a + b, 0) - np.maximum(b - a, 0)) >> 7, -32767, 32767)
    found = np.clip((np.tensordot(v, z, 1) + 128) >> 8, -32767, 32767)
    return np.where(size < 4 * len(x), 0, found)


def layers(arrays: dict[str, NDArray[Any]], p: int, g: int) -> list[Ints]:
    """Return the arrays of the network of a group of a channel."""
    return [arrays[f"{name}_{g}"][min(p, 1)].astype(np.int64) for name in ("hidden", "thresholds", "outputs")]


class Networks:
    """What networks expect in a slice, from the coefficients that are known."""

    def __init__(self, tables: Tables, components: list[Component]) -> None:
        self.tables, self.components, self.fraction = tables, components, 1
        self.coefficients: dict[tuple[int, int, int], Ints] = {}
        self.results: dict[tuple[int, int], Ints] = {}

    def expected(self, j: int, around: list[Ints], local: LocalSteps, levels: Ints) -> Ints:
        """Return what is expected of a component's scores, in 1/256 of their steps."""
        p, u, v, _ = self.components[j]
        g = group_of(u, v)
        if (p, g) not in self.results:
            known = {(u, v): found for (q, u, v), found in self.coefficients.items() if q == p}
            x = inputs_of(known, around, g, self.fraction)
            self.results[p, g] = evaluated(*layers(self.tables.arrays, p, g), x)
        of_group = [place for place in PLACES if sum(place) in GROUPS[g]]
        found: Ints = self.results[p, g][of_group.index((u, v))]
        factors = [local.factor(p, u, v, level) for level in range(max(local.levels, 1))]
        inverse = np.array([2**32 // factor for factor in factors])
        return np.clip((found * inverse[levels]) >> 12, -32767, 32767)

    def learn(self, j: int, coefficients: Ints) -> None:
        """Keep the coefficients of a component that later ones are expected from."""
        p, u, v, _ = self.components[j]
        if u + v <= 6:
            self.coefficients[p, u, v] = coefficients

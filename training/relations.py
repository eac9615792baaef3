"""Correlations between scores, from weighted least squares on photographs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.bases import rounded

Floats = NDArray[np.floating]
Residuals = Callable[[float], Iterator[NDArray[np.float32]]]
"""Maps a step to the prediction residuals of each image's scores: (rows, columns, n) each."""

STEPS = (8.0, 14.0, 24.0, 42.0, 70.0)
SIGN_STEPS = (10.0, 24.0)
WEIGHT_BITS = 8
SIGN_TARGETS = 8
"""Largest number of components in an adjacent block whose signs a score helps to predict."""

LOUDEST = 24
"""Magnitudes count up to here."""

MOST_BLOCKS = 400
"""Number of blocks sampled from each image at each step."""

_SIDES = ((0, 1), (2, 1), (1, 0), (1, 2))
_CORNERS = ((0, 0), (0, 2), (2, 0), (2, 2))
_CAUSAL = ((0, 1), (1, 0), (0, 0), (0, 2))


def train_relations(residuals: Residuals, seed: int = 0) -> dict[str, NDArray[np.int64]]:
    """Fit the magnitude of each score to those of its neighbours; weights are in 1/256.

    Large magnitudes vary more than small ones, so squared errors are weighted by 1 / (0.15 + expected
    magnitude). The result has ``own``, ``side``, ``corner``, ``causal`` and ``level``.
    """
    own, side, corner, causal = _samples(residuals, np.random.default_rng(seed))
    count = own.shape[1]
    shapes = dict.fromkeys(("own", "side", "corner"), (count, count)) | {
        "causal": (count, 4),
        "level": (count,),
    }
    found: dict[str, NDArray[np.float64]] = {name: np.zeros(shape) for name, shape in shapes.items()}
    for j in range(count):
        known = np.concatenate(
            [own[:, :j], side[:, :j], corner[:, :j], causal[:, j], np.ones((len(own), 1), np.float32)], axis=1
        )
        start: NDArray[Any] = np.full((len(own),), own[:, j].mean() + 0.01)
        if j:
            near = slice(max(0, j - 12), j)
            start = np.maximum(0.02, 0.3 * (own[:, near].mean(axis=1) + side[:, near].mean(axis=1) / 4))
        weights = _fitted(known, own[:, j], start)
        found["own"][:j, j], found["side"][:j, j], found["corner"][:j, j] = np.split(weights[: 3 * j], 3)
        found["causal"][j], found["level"][j] = weights[3 * j : 3 * j + 4], weights[-1]
    return {name: np.rint(np.ldexp(values, WEIGHT_BITS)).astype(np.int64) for name, values in found.items()}


def _fitted(known: Floats, wanted: Floats, expected: Floats) -> NDArray[np.float64]:
    """Fit twice, the second time with weights from the first result."""
    weights: NDArray[Any] = np.zeros(known.shape[1])
    for _ in range(2):
        trust = (1 / (0.15 + expected)).astype(np.float32)
        gram = (known.T @ (known * trust[:, None])).astype(np.float64)
        right = (known.T @ (trust * wanted)).astype(np.float64)
        weights = np.linalg.solve(gram + 1e-4 * len(known) * np.eye(len(gram)), right)
        expected = np.maximum(known @ weights.astype(np.float32), 0.01)
    return weights


def _samples(residuals: Residuals, random: np.random.Generator) -> tuple[NDArray[np.float32], ...]:
    """Return magnitudes of sampled blocks, sums over side and corner neighbours, and the causal four."""
    parts: list[tuple[NDArray[np.float32], ...]] = []
    for step in STEPS:
        for rest in residuals(step):
            size = np.minimum(np.abs(rounded(rest)), LOUDEST)
            rows, columns, _ = size.shape
            padded = np.pad(size, ((1, 1), (1, 1), (0, 0)))

            def shifted(
                places: tuple[tuple[int, int], ...],
                padded: NDArray[np.float32] = padded,
                rows: int = rows,
                columns: int = columns,
            ) -> list[NDArray[np.float32]]:
                return [padded[d : d + rows, r : r + columns] for d, r in places]

            which = random.choice(rows * columns, min(MOST_BLOCKS, rows * columns), replace=False)
            arrays = (
                size,
                np.sum(shifted(_SIDES), axis=0),
                np.sum(shifted(_CORNERS), axis=0),
                np.stack(shifted(_CAUSAL), axis=-1),
            )
            parts.append(tuple(array.reshape(rows * columns, *array.shape[2:])[which] for array in arrays))
    return tuple(np.concatenate(kind) for kind in zip(*parts, strict=True))


def train_signs(
    residuals: Residuals, order: NDArray[np.int64], seed: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the components whose signs each score predicts, and the weights in 1/256.

    A block's score depends on those of the same channel and the same vertical component in the blocks to its
    left and right, and of the same horizontal component in the blocks above and below; to the right and below
    only earlier components are known. Both arrays have the shape (n, 4, SIGN_TARGETS), for the blocks to the
    right, below, to the left and above.
    """
    count = len(order)
    gram = _signed_moments(residuals, count, np.random.default_rng(seed))
    spread = np.diag(gram)
    target = np.full((count, 4, SIGN_TARGETS), -1, np.int64)
    weight = np.zeros((count, 4, SIGN_TARGETS), np.int64)
    filled = np.zeros((count, 4), np.int64)
    for j in range(count):
        earlier = np.arange(count) <= j
        same = order[:, 0] == order[j, 0]
        left = np.flatnonzero(earlier & same & (order[:, 1] == order[j, 1]))
        above = np.flatnonzero(earlier & same & (order[:, 2] == order[j, 2]))
        known = np.concatenate(
            [left, count + above, 2 * count + left[left < j], 3 * count + above[above < j]]
        )
        ridge = np.diag(1e-4 + 1e-3 * spread[known])
        found = np.linalg.solve(gram[np.ix_(known, known)] + ridge, gram[known, 4 * count + j])
        for which, value in zip(known.tolist(), np.rint(found * 256).astype(int).tolist(), strict=True):
            direction, source = divmod(which, count)
            place = filled[source, direction]
            if abs(value) >= 2 and place < SIGN_TARGETS:
                target[source, direction, place], weight[source, direction, place] = j, value
                filled[source, direction] += 1
    return target, weight


def _signed_moments(residuals: Residuals, count: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Return mean products of the scores of the blocks left, above, right and below, and the block itself."""
    total, seen = np.zeros((5 * count, 5 * count)), 0
    for step in SIGN_STEPS:
        for rest in residuals(step):
            whole = np.clip(rounded(rest), -LOUDEST, LOUDEST)
            rows, columns, _ = whole.shape
            padded = np.pad(whole, ((1, 1), (1, 1), (0, 0)))
            beside = padded[1:-1, :-2], padded[:-2, 1:-1], padded[1:-1, 2:], padded[2:, 1:-1]
            parts = [*beside, whole]
            which = random.choice(rows * columns, min(2500, rows * columns), replace=False)
            known = np.concatenate([part.reshape(rows * columns, count)[which] for part in parts], axis=1)
            own = known[:, 4 * count :]
            known = known / (0.3 + np.sqrt(np.square(own).mean(axis=1)))[:, None]
            total += known.T.astype(np.float64) @ known
            seen += len(known)
    return total / seen

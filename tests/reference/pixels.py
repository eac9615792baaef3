"""From scores to pixels for :mod:`tests.reference.photo`: P3, P10 and P13."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference.container import require
from tests.reference.local_steps import LocalSteps
from tests.reference.models import Tables
from tests.reference.prediction import Component, differences, predicted
from tests.reference.shrinkage import Shrinkage

Ints = NDArray[np.int64]
V = [
    [866776872, 600616264, 154224415, 130745146],
    [-613916201, 750763410, 452493912, 87361113],
    [130745146, -477068992, 923460842, 235483465],
    [-87361113, -30677143, -267592354, 1035732970],
]


def halves_up(values: Ints, shift: int) -> Ints:
    """Divide by a power of two, and round halves up."""
    return (values + (1 << (shift - 1))) >> shift


def lapping() -> Ints:
    same = np.eye(4, dtype=np.int64)
    swap = same[::-1]
    q = np.block([[same, swap], [swap, -same]])
    middle = np.zeros((8, 8), np.int64)
    middle[:4, :4], middle[4:, 4:] = same << 30, V
    return q @ middle @ q


def maps(basis: Ints) -> Ints:
    """P13: (3, 8, 16) for the first, the last, and all other groups."""
    found = np.zeros((3, 8, 16), np.int64)
    unit = np.eye(8, dtype=np.int64) << 31
    for kind, p in enumerate((unit, unit, lapping())):
        before, behind = p[:4].T @ basis[:, 4:].T, p[4:].T @ basis[:, :4].T
        if kind != 0:
            found[kind, :, :8] = halves_up(before, 29)
        if kind != 1:
            found[kind, :, 8:] = halves_up(behind, 29)
    require(np.abs(found).sum(axis=2).max() < 2**19, "maps")
    return found


def along(basis: Ints, length: int) -> Ints:
    """Return the weights of all components of an axis in each of its pixels: (length, 8 blocks)."""
    blocks, (first, last, inner) = -(-length // 8), maps(basis)
    weights = np.zeros((length, 8 * blocks + 16), np.int64)
    for i in range(length):
        g, s = divmod(i + 4, 8)
        row = first if g == 0 else last if g == blocks else inner
        weights[i, 8 * g : 8 * g + 16] = row[s]
    return weights[:, 8:-8]


@dataclass
class Transform:
    """P3."""

    mean: Ints
    rotation: Ints
    vertical: Ints
    horizontal: Ints

    @classmethod
    def parse(cls, payload: bytes, channels: int, basis: NDArray[Any]) -> Transform:
        turned = channels * channels if channels > 1 else 0
        require(payload and payload[0] in {0, 1}, "whose bases")
        own = 128 * payload[0]
        require(len(payload) == 1 + 2 * (channels + turned + own), "channels and bases")
        mean = np.frombuffer(payload, "<u2", channels, 1).astype(np.int64)
        entries = np.frombuffer(payload, "<i2", offset=1 + 2 * channels).astype(np.int64)
        require(np.abs(entries).max(initial=0) <= 2**14, "entries")
        rotation = entries[:turned].reshape(channels, channels) if turned else np.array([[2**14]])
        bases = entries[turned:].reshape(2, 8, 8) if own else np.array([basis, basis], np.int64)
        return cls(mean, rotation, *bases)

    def pixels(
        self,
        planes: Ints,
        sides: Sequence[int],
        value_bytes: int,
        step: tuple[int, int],
        shrinkage: Shrinkage | None = None,
    ) -> NDArray[Any]:
        """P13: from coefficients, (64 C, rows, columns)."""
        bits = 17 if value_bytes == 1 else 9
        height, width, channels = sides
        down, right = along(self.vertical, height), along(self.horizontal, width)
        x = fixed(planes, step[0], step[1] - 8 + bits)
        found = [samples(x[64 * p : 64 * p + 64], down, right) for p in range(channels)]
        if shrinkage is not None:
            found = [shrinkage.corrected(y, p, step, bits) for p, y in enumerate(found)]
        return self.turned(found, bits).astype(f"u{value_bytes}")

    def turned(self, planes: Sequence[Ints], bits: int) -> Ints:
        """P13: from channels y to pixels."""
        sums = np.einsum("phw,pc->hwc", planes, self.rotation) + (self.mean << (bits + 14))
        return np.clip(halves_up(sums, bits + 14), 0, 255 if bits == 17 else 65535)


def samples(x: Ints, down: Ints, right: Ints) -> Ints:
    """P13: y of a channel, (height, width), from its components, (64, rows, columns)."""
    rows, columns = x.shape[1:]
    turned = x.reshape(8, 8, rows, columns).transpose(2, 0, 3, 1).reshape(8 * rows, 8 * columns)
    return halves_up(halves_up(down @ turned, 16) @ right.T, 16)


def fixed(planes: Ints, mantissa: int, shift: int) -> Ints:
    """P13: in whole numbers of any length."""

    def one(coefficient: int) -> int:
        number = coefficient * mantissa
        number = number << shift if shift >= 0 else (number + (1 << (-shift - 1))) >> -shift
        return min(max(number, -(2**30)), 2**30)

    return np.array([one(c) for c in planes.ravel().tolist()], np.int64).reshape(planes.shape)


def coefficients(
    scores: Ints,
    tables: Tables,
    others: list[Component],
    channels: int,
    *,
    local: LocalSteps,
    levels: Ints,
    fraction: int = 1,
) -> Ints:
    """P10: of a slice, (64 C, rows, columns)."""
    k, rows, columns = scores.shape
    constant = np.zeros((channels, rows, columns), np.int64)
    constant[: min(k, channels)] = scores[:channels]
    result = np.zeros((channels * 64, rows, columns), np.int64)
    result[::64] = (256 >> fraction) * constant
    around = [differences(plane) for plane in constant]
    for j, component in enumerate(others):
        p, u, v, _ = component
        found = predicted(tables, component, around[p], fraction)
        if channels + j < k:
            found += local.settled(scores[channels + j], levels, p, u, v)
        result[64 * p + 8 * u + v] = found
    return result

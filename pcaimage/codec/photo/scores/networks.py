"""Expectations of components by small trained networks, from the components that are known.

An edge between two colours has few degrees of freedom: where it lies, how it runs, how sharp it is. So the
low components of a block and of its neighbours tell much of the high ones, but not as a linear map. Networks
of one hidden layer, one for each group of frequencies, expect the scores of a group from all components of
lower ones. What they expect decides contexts of the coder of scores; the scores do not depend on it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.memory import Memory
from pcaimage.codec.photo.scores.prediction import FRACTION_BITS, IntArray, keep
from pcaimage.core.library import LONG, STRUCT, Array, Held, function, held
from pcaimage.sampling.lapped import BLOCK

GROUPS = ((1,), (2,), (3,), (4,), (5, 6), tuple(range(7, 2 * BLOCK - 1)))
"""The sums u + v of the frequencies of each group."""

VALUE_BITS = 3
"""Known coefficients are given to networks in units of Δ / 8."""

SHIFT = FRACTION_BITS - VALUE_BITS
"""Bits of coefficients that networks are not given."""

FARTHEST = 8191
"""Largest magnitude of a known coefficient."""

_NEIGHBOURS = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right)
_BESIDE = tuple(place for place in _NEIGHBOURS if 0 in place)
Words = NDArray[np.int16]
Input = tuple[int, int, int]

_EXPECT = function(
    "pcai_expect_by_network",
    None,
    STRUCT,
    Array(np.int16),
    Array(np.int64),
    LONG,
    LONG,
    LONG,
    Array(np.int16, writable=True),
)


@lru_cache(maxsize=len(GROUPS))
def components_of(group: int) -> tuple[int, ...]:
    """Return the components of a group, 8 u + v, in ascending order."""
    sums = GROUPS[group]
    return tuple(place for place in range(1, BLOCK**2) if sum(divmod(place, BLOCK)) in sums)


GROUP_OF = {place: group for group in range(len(GROUPS)) for place in components_of(group)}
"""The group of each component that is not constant."""


def _ranked(place: int) -> tuple[int, int, int]:
    u, v = divmod(place, BLOCK)
    return u + v, max(u, v), place


KNOWN = tuple(sorted((place for group in range(5) for place in components_of(group)), key=_ranked))
"""The components that networks know, in the order of their inputs."""


def inputs_of(group: int) -> list[Input]:
    """Return the inputs of a group's network: component, and rows and columns of blocks to where it is taken.

    The constant component stands for the difference of a neighbour's mean to the block's own.
    """
    known = [place for place in KNOWN if GROUP_OF[place] < group]
    lowest = [place for place in known if max(divmod(place, BLOCK)) == 1]
    found: list[Input] = [(place, 0, 0) for place in known]
    found += [(0, *there) for there in _NEIGHBOURS]
    found += [(place, *there) for place in lowest for there in _NEIGHBOURS]
    if group > 1:
        found += [(place, *there) for place in (2, 2 * BLOCK) for there in _BESIDE]
    return found


class Network(NamedTuple):
    """The network of a group; mirrors the struct of the same name in the core.

    Inputs are an even number and results a multiple of four; those too many are zeros.
    """

    hidden: Words  # weights of the hidden units, in 2^-10, shape (units, inputs)
    thresholds: Words  # what the sum of all magnitudes of the inputs adds to each, in 2^-13
    outputs: Words  # weights of the results, in 2^-10, shape (results, units)
    known: int  # number of known values
    inputs: int
    units: int
    results: int

    @classmethod
    def of(cls, hidden: Words, thresholds: Words, outputs: Words) -> Network:
        """Return a network of weights of shape (units, known), (units,) and (results, units).

        One that expects nothing has no units.
        """
        if not outputs.any():
            hidden, thresholds, outputs = hidden[:0], thresholds[:0], outputs[:, :0]
        units, known = hidden.shape
        inputs, results = known + known % 2, -(-len(outputs) // 4) * 4
        first, last = np.zeros((units, inputs), np.int16), np.zeros((results, units), np.int16)
        first[:, :known], last[: len(outputs)] = hidden, outputs
        return cls(first, np.ascontiguousarray(thresholds), last, known, inputs, units, results)


Networks = tuple[tuple[Held[Network], ...], ...]
"""For the first channel and for all others, the network of each group."""


def networks_of(arrays: dict[str, NDArray[np.generic]]) -> Networks:
    """Return the networks of trained tables."""

    def of(kind: int, group: int) -> Held[Network]:
        names = ("hidden", "thresholds", "outputs")
        return held(Network.of(*(arrays[f"{name}_{group}"][kind].astype(np.int16) for name in names)))

    return tuple(tuple(of(kind, group) for group in range(len(GROUPS))) for kind in range(2))


class Expectations:
    """Expectations of the components of a slice, which networks form from those that are known."""

    def __init__(self, networks: Networks, rows: int, columns: int, memory: Memory | None = None) -> None:
        self._networks, self._shape, self._memory = networks, (rows, columns), memory or Memory()
        self._pitch = columns + 2
        self._known: dict[int, Words] = {}
        self._expected: dict[tuple[int, int], Words] = {}

    def learn_means(self, channel: int, differences: IntArray) -> None:
        """Take the differences of the neighbours' means to each block's own, in steps: (8, rows, columns)."""
        for number, each in enumerate(differences):
            # A half, in units of Δ / 8.
            keep(each, 1 - VALUE_BITS, self._values(channel)[len(KNOWN) + number])

    @staticmethod
    def takes(plane: int) -> bool:
        """Return whether others are expected from a component."""
        return plane % BLOCK**2 in KNOWN

    def place_of(self, plane: int) -> Words:
        """Return where a component that others are expected from is kept, shifted by :data:`SHIFT`."""
        channel, place = divmod(plane, BLOCK**2)
        found: Words = self._values(channel)[KNOWN.index(place)]
        return found

    def of(self, plane: int) -> Words:
        """Return what is expected of a component, in units of Δ / 256, shape (rows, columns)."""
        channel, place = divmod(plane, BLOCK**2)
        group = GROUP_OF[place]
        if (channel, group) not in self._expected:
            self._expected[channel, group] = self._expect(channel, group)
        found: Words = self._expected[channel, group][components_of(group).index(place)]
        return found

    def _expect(self, channel: int, group: int) -> Words:
        rows, columns = self._shape
        network = self._networks[min(channel, 1)][group]
        shape = network.record.results, rows, columns
        found = self._memory.zeros(f"expected of {channel}, {group}", shape, np.int16)
        if not network.record.units:
            return found
        offsets = _offsets(group, rows, self._pitch)
        _EXPECT(network, self._values(channel), offsets, rows, columns, self._pitch, found)
        return found

    def _values(self, channel: int) -> Words:
        """Return what is known of a channel, with a border: :data:`KNOWN`, and differences of means."""
        if channel not in self._known:
            shape = len(KNOWN) + len(_NEIGHBOURS), self._shape[0] + 2, self._pitch
            self._known[channel] = self._memory.zeros(f"known of {channel}", shape, np.int16)
        return self._known[channel]


@lru_cache(maxsize=32)
def _offsets(group: int, rows: int, pitch: int) -> NDArray[np.int64]:
    """Return where a group's inputs are, relative to the place of a block in the first plane's first line."""
    found = list[int]()
    for place, down, right in inputs_of(group):
        plane, there = KNOWN.index(place) if place else 0, (down + 1) * pitch + right + 1
        if not place:
            plane, there = len(KNOWN) + _NEIGHBOURS.index((down, right)), pitch + 1
        found.append(plane * (rows + 2) * pitch + there)
    return np.array(found, np.int64)

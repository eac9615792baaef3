"""Groups of components, written from docs/format.md alone: bit by bit, nothing of pcaimage.

It belongs to :mod:`tests.reference.container`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.reference.container import number, require


def bits_of(data: bytes) -> Iterator[int]:
    for byte in data:
        for place in range(7, -1, -1):
            yield byte >> place & 1


class Bits:
    """Bits from a place on, and how many were taken."""

    def __init__(self, data: bytes) -> None:
        self.source = bits_of(data)
        self.taken = 0

    def bit(self) -> int:
        self.taken += 1
        return next(self.source)

    def bits(self, width: int) -> int:
        value = 0
        for _ in range(width):
            value = 2 * value + self.bit()
        return value


def segments(payload: bytes) -> tuple[int, list[bytes]]:
    """4.1: the number of the first component, and the segments."""
    first, place = number(payload, 0)
    count, place = number(payload, place)
    table = Bits(payload[place:])
    shift = table.bits(4)
    state, lengths = 64, []
    for _ in range(count - 1):
        p = (state // 8).bit_length()
        ones = 0
        while table.bit():
            ones += 1
        if ones < 8:
            value = ones * 2**p + table.bits(p)
        else:
            value = (7 + 2 ** (ones - 8)) * 2**p + table.bits(p + ones - 8)
        state += value - state // 4
        lengths.append(value << shift)
    while table.taken % 8:
        require(table.bit() == 0, "padding")
    place += table.taken // 8
    found = []
    for length in [*lengths, len(payload) - place - sum(lengths)]:
        require(length >= 0, "lengths")
        found.append(payload[place : place + length])
        place += length
    return first, found

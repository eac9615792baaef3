"""Groups: chunks with several components of a photo, each of which is too short for a chunk of its own.

All components of a photo are one stream of bytes, cut into a segment for each. A group holds consecutive
segments, preceded by a table of their lengths as Golomb–Rice codes. The last length is not stored: it follows
from the chunk's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from pcaimage.container.spec import GROUP_BYTES
from pcaimage.varint import write_varint

SHIFT_BITS = 4
MAX_SHIFT = (1 << SHIFT_BITS) - 1

START = 64  # initial state of the adaptive code: four times the first length expected
LONG = 8  # lengths of at least this many times the expected size are coded by the logarithm of their excess


def group_payloads(segments: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the payloads of groups that hold all segments, each of up to about 64 KiB."""
    number, size, group = 1, 0, list[bytes]()
    for segment in segments:
        group.append(segment)
        size += len(segment)
        if size >= GROUP_BYTES:
            yield group_payload(number, group)
            number, size, group = number + len(group), 0, []
    if group:
        yield group_payload(number, group)


def group_payload(number: int, segments: Sequence[bytes]) -> bytes:
    """Return a group's payload: one-based number of its first component, count, lengths, segments."""
    lengths = [len(segment) for segment in segments[:-1]]
    shift = _shifts(lengths)[-1]
    bits = f"{shift:0{SHIFT_BITS}b}" + "".join(_codes(length >> shift for length in lengths))
    table = int(bits.ljust(8 * _bytes(len(bits)), "0"), 2).to_bytes(_bytes(len(bits)), "big")
    return write_varint(number) + write_varint(len(segments)) + table + b"".join(segments)


def payload_sizes(number: int, segments: Sequence[bytes]) -> list[int]:
    """Return the sizes of the payload with the first segment alone, with two, and so on to all."""
    lengths = [len(segment) for segment in segments]
    shifts = _shifts(lengths[:-1])
    bits = {
        shift: list(accumulate(map(len, _codes(length >> shift for length in lengths)), initial=SHIFT_BITS))
        for shift in set(shifts)
    }
    return [
        len(write_varint(number)) + len(write_varint(count + 1)) + _bytes(bits[shift][count]) + total
        for count, (shift, total) in enumerate(zip(shifts, accumulate(lengths), strict=True))
    ]


def _shifts(lengths: Sequence[int]) -> list[int]:
    """Return how many trailing zero bits are common to the first 0, 1, 2, … lengths."""
    union = accumulate(lengths, int.__or__, initial=0)
    return [min((bits & -bits).bit_length() - 1, MAX_SHIFT) if bits else 0 for bits in union]


def _codes(values: Iterable[int]) -> Iterator[str]:
    """Yield Golomb-Rice codes of numbers as strings of bits; the parameter adapts to the numbers."""
    state = START
    for value in values:
        parameter = (state >> 3).bit_length()
        high = value >> parameter
        ones = high if high < LONG else LONG - 1 + (high - LONG + 1).bit_length()
        base, width = _range_of(ones, parameter)
        yield "1" * ones + "0" + (f"{value - base:0{width}b}" if width else "")
        state += value - (state >> 2)


def _range_of(ones: int, parameter: int) -> tuple[int, int]:
    """Return the smallest number whose code starts with so many ones, and the number of bits that follow."""
    more = max(ones - LONG, 0)
    high = ones if ones < LONG else LONG - 1 + (1 << more)
    return high << parameter, parameter + more


def _bytes(bits: int) -> int:
    return -(-bits // 8)

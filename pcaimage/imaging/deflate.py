"""Deflate compression of pixels, as fast as zlib can unless a level is asked for.

Of a photograph's differences, zlib finds hardly any strings that occur twice, and looks for them most of its
time. Coding each byte by itself, and only runs of the same byte together (``Z_RLE``), takes a seventh of the
time of level 6 for files of the same size. Drawings and screenshots do have such strings: a small sample of
each strip tells which it is.

References
----------
RFC 1950, RFC 1951: ZLIB and DEFLATE Compressed Data Format Specifications, version 3.3 and 1.3.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy import uint8
    from numpy.typing import NDArray

MAX_LEVEL = 9

STRIP_BYTES = 1 << 21
"""About how many bytes are compressed together by one thread, in one way."""

SAMPLE_BYTES = 1 << 15
"""About how many bytes of a strip are compressed to choose the way."""

_MODULUS = 65_521
_MEMORY_LEVEL = 9


class Effort(NamedTuple):
    """A level and a strategy of zlib."""

    level: int
    strategy: int = zlib.Z_DEFAULT_STRATEGY

    def compress(self, data: NDArray[uint8]) -> bytes:
        """Return a complete zlib stream."""
        coder = self._coder(zlib.MAX_WBITS)
        return coder.compress(data.data) + coder.flush()

    def compress_part(self, data: NDArray[uint8]) -> bytes:
        """Return a part of a stream: deflated blocks that end with a whole byte, and are not the last."""
        coder = self._coder(-zlib.MAX_WBITS)
        return coder.compress(data.data) + coder.flush(zlib.Z_SYNC_FLUSH)

    def _coder(self, bits: int) -> zlib._Compress:
        return zlib.compressobj(self.level, zlib.DEFLATED, bits, _MEMORY_LEVEL, self.strategy)


START = b"\x78\x01"
"""The first bytes of a zlib stream."""

END = b"\x03\x00"
"""A last block without contents; the checksum follows it."""

RUNS = Effort(1, zlib.Z_RLE)
"""Codes single bytes and runs of the same."""

_QUICK, _USUAL = Effort(1), Effort(6)

_WORTH = 0.85
"""The share of the bytes that looking for strings must leave at most, where speed comes first."""


class Choice(NamedTuple):
    """The efforts that strips are compressed with; a sample of each strip tells which one suits it."""

    runs: Effort
    strings: Effort
    tried: Effort
    """In place of `strings` on the sample."""
    worth: float

    def best(self, runs: Callable[[Effort], bytes], *strings: Callable[[Effort], bytes]) -> int:
        """Return which way gives the fewest bytes: 0 for the first, which codes runs, or another's number."""
        sizes = [len(runs(self.runs)) * self.worth, *(len(way(self.tried)) for way in strings)]
        return min(range(len(sizes)), key=sizes.__getitem__)


def choice(level: int | None) -> Choice:
    """Return what to choose from: for speed, or at a level from 0 to 9."""
    if level is None:
        return Choice(RUNS, _USUAL, _QUICK, _WORTH)
    effort = Effort(level)
    return Choice(RUNS if level else effort, effort, effort, 1.0)


class Checksum:
    """The Adler-32 checksum of data whose parts were summed up by themselves (RFC 1950, section 8.2)."""

    def __init__(self) -> None:
        self._low, self._high = 1, 0

    def append(self, checksum: int, length: int) -> None:
        """Add the checksum of the next part, which has so many bytes."""
        low, high = checksum & 0xFFFF, checksum >> 16
        self._high = (self._high + high + length * (self._low - 1)) % _MODULUS
        self._low = (self._low + low - 1) % _MODULUS

    def to_bytes(self) -> bytes:
        """Return the four bytes that end a zlib stream."""
        return (self._high << 16 | self._low).to_bytes(4, "big")

"""Deflate compression of pixels, as fast as zlib allows unless a level is requested.

In the filtered rows of a photograph, zlib finds hardly any repeated strings, yet spends most of its time on
the search. Huffman coding with run lengths only (``Z_RLE``) takes a seventh of the time of level 6, for files
of the same size. Drawings and screenshots do have repeated strings; a small sample of each strip tells which
strategy to use.

References
----------
RFC 1950, RFC 1951: ZLIB and DEFLATE Compressed Data Format Specifications, version 3.3 and 1.3.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import NamedTuple

from numpy import uint8
from numpy.typing import NDArray

MAX_LEVEL = 9

STRIP_BYTES = 1 << 21  # approximate number of bytes that one thread compresses with one strategy
SAMPLE_BYTES = 1 << 15  # approximate number of bytes of a strip that are compressed to choose the strategy

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
        """Return part of a stream: complete deflate blocks up to a byte boundary, none of them final."""
        coder = self._coder(-zlib.MAX_WBITS)
        return coder.compress(data.data) + coder.flush(zlib.Z_SYNC_FLUSH)

    def _coder(self, bits: int) -> zlib._Compress:
        return zlib.compressobj(self.level, zlib.DEFLATED, bits, _MEMORY_LEVEL, self.strategy)


START = b"\x78\x01"  # the first bytes of a zlib stream
END = b"\x03\x00"  # a final, empty block; the checksum follows it
RUNS = Effort(1, zlib.Z_RLE)  # Huffman coding of single bytes and of runs of one byte

_QUICK, _USUAL = Effort(1), Effort(6)

_WORTH = 0.85  # largest relative size for which string matching is worth its time, where speed comes first


class Choice(NamedTuple):
    """The candidate strategies of strips; a sample of each strip tells which one suits it."""

    runs: Effort
    strings: Effort
    tried: Effort  # used on the sample in place of `strings`
    worth: float

    def best(self, runs: Callable[[Effort], bytes], *strings: Callable[[Effort], bytes]) -> int:
        """Return the index of the call that gives the fewest bytes: 0 for `runs`, from 1 for `strings`."""
        sizes = [len(runs(self.runs)) * self.worth, *(len(way(self.tried)) for way in strings)]
        return min(range(len(sizes)), key=sizes.__getitem__)


def choice(level: int | None) -> Choice:
    """Return the candidates for a level from 0 to 9, or for speed."""
    if level is None:
        return Choice(RUNS, _USUAL, _QUICK, _WORTH)
    effort = Effort(level)
    return Choice(RUNS if level else effort, effort, effort, 1.0)


class Checksum:
    """The Adler-32 checksum of data, combined from checksums of its parts (RFC 1950, section 8.2)."""

    def __init__(self) -> None:
        self._low, self._high = 1, 0

    def append(self, checksum: int, length: int) -> None:
        """Add the checksum of the next part, of `length` bytes."""
        low, high = checksum & 0xFFFF, checksum >> 16
        self._high = (self._high + high + length * (self._low - 1)) % _MODULUS
        self._low = (self._low + low - 1) % _MODULUS

    def to_bytes(self) -> bytes:
        """Return the four bytes that end a zlib stream."""
        return (self._high << 16 | self._low).to_bytes(4, "big")

"""The Python side of the core's binary range coder [1]_: its buffers.

References
----------
.. [1] G. N. N. Martin, "Range encoding: an algorithm for removing redundancy from a digitised message",
   Video & Data Recording Conference, Southampton, 1979.
"""

from __future__ import annotations

from functools import lru_cache
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.memory import Memory
from pcaimage.core.library import LONG, STRUCT, Array, function, held, size_of

ONE = 65536  # probabilities are integers in units of 1/65536, from 1 to 65535
BYTES_PER_BIT = 2  # upper bound on the bytes that coding one bit produces

# Cost in bits of a decision of each probability.
BITS = -np.log2(np.maximum(np.arange(ONE + 1), 0.5) / ONE).astype(np.float32)

_FINISH_BYTES = 8  # upper bound on the bytes that flushing produces

_LARGEST_RANGE = (1 << 32) - 1

Bytes = NDArray[np.uint8]

_write_to = function("pcai_range_write_to", None, STRUCT, Array(np.uint8, writable=True), LONG)
_finish = function("pcai_range_finish", LONG, STRUCT)
_make_curves = function("pcai_make_curves", None, Array(np.uint8, writable=True))
_making = Lock()


def curves() -> Bytes:
    """Return the core's tables of decisions, which it makes once."""
    with _making:  # of two that threads make at once, the cache would forget one that the core still reads
        return _curves()


@lru_cache(maxsize=1)
def _curves() -> Bytes:
    room = Memory().array("curves", (size_of("CurveTables"),), np.uint8)
    _make_curves(room)
    return room


class RangeCoder(NamedTuple):
    """State of a range coder; mirrors the struct of the same name in the core."""

    low: int  # of the range
    range: int  # its length
    cache: int  # the last byte that a carry may still change
    pending: int  # bytes that await the carry
    place: int  # index of the next byte of the data
    size: int
    data: Bytes  # the buffer for what is encoded


class RangeWriter:
    """A coder that encodes a stream, and the bytes that are final."""

    def __init__(self) -> None:
        self._room = np.empty(0, np.uint8)
        self.coder = held(RangeCoder(0, _LARGEST_RANGE, 0, 1, 0, 0, self._room))
        self._parts = list[bytes]()
        self._size = 0

    @property
    def certain(self) -> int:
        """Number of bytes that determine all bits so far, not counting the first, which is not stored."""
        # The coder's state still holds four bytes.
        return self._size + int(self.coder.pending) + 3

    def reserve(self, bits: int) -> None:
        """Reserve space for at most `bits` bits, before coding and :meth:`keep`."""
        count = BYTES_PER_BIT * bits + int(self.coder.pending) + _FINISH_BYTES
        if count > self._room.size:
            self._room = np.empty(count, np.uint8)
        _write_to(self.coder, self._room, self._room.size)

    def keep(self) -> None:
        """Keep the bytes coded since :meth:`reserve`."""
        self._keep(int(self.coder.place))

    def finish(self, *, keep_certain: bool = False) -> bytes:
        """Flush the coder; return all bytes but the first, without trailing zeros.

        Zeros that were final before are kept if `keep_certain`.
        """
        self.reserve(0)
        self._keep(_finish(self.coder))
        if keep_certain:
            self._parts[-1] = self._parts[-1].rstrip(b"\0")
            return b"".join(self._parts)[1:]
        return b"".join(self._parts)[1:].rstrip(b"\0")

    def _keep(self, count: int) -> None:
        assert count <= self._room.size  # noqa: S101 - or the core was told of too few bits
        self._parts.append(self._room[:count].tobytes())
        self._size += count

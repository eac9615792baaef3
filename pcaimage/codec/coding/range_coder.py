"""A binary range coder of the compiled core: where its bytes come from and go to.

References
----------
.. [1] G. N. N. Martin, "Range encoding: an algorithm for removing redundancy from a digitised message",
   Video & Data Recording Conference, Southampton, 1979.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.core.library import LONG, STRUCT, Array, Held, function, held

ONE = 65536
"""Probabilities are whole numbers of 1/65536, neither 0 nor 1."""

BYTES_PER_BIT = 2
"""At most so many bytes does one bit take."""

_FINISH_BYTES = 8
"""And so many does the end."""

_LARGEST_RANGE = (1 << 32) - 1

Bytes = NDArray[np.uint8]

_write_to = function("pcai_range_write_to", None, STRUCT, Array(np.uint8, writable=True), LONG)
_finish = function("pcai_range_finish", LONG, STRUCT)
_start_reading = function("pcai_range_start_reading", None, STRUCT)


class RangeCoder(NamedTuple):
    """The state of a range coder, as the core's struct of the same name.

    Parameters
    ----------
    low : int
        On writing the low end of the range, on reading the code.
    range : int
        The length of the range.
    cache, pending : int
        On writing the last byte that is not certain yet, and how many bytes wait for it and with it.
    place, size : int
        The next byte of the data, and how many there are.
    data : ndarray of uint8
        What is read, or room for what is written.
    """

    low: int
    range: int
    cache: int
    pending: int
    place: int
    size: int
    data: Bytes


def reader(data: bytes) -> Held[RangeCoder]:
    """Return the coder of a stream that is read.

    Parameters
    ----------
    data : bytes
        What was written, without the first byte, which is always zero.
    """
    stream = np.frombuffer(data, np.uint8)
    coder = held(RangeCoder(0, _LARGEST_RANGE, 0, 0, 0, stream.size, stream))
    _start_reading(coder)
    return coder


class RangeWriter:
    """The coder of a stream that is written, and the bytes that are certain."""

    def __init__(self) -> None:
        self._room = np.empty(0, np.uint8)
        self.coder = held(RangeCoder(0, _LARGEST_RANGE, 0, 1, 0, 0, self._room))
        self._parts = list[bytes]()
        self._size = 0

    @property
    def certain(self) -> int:
        """How many bytes decide all bits so far; the very first, which is not kept, not counted."""
        # Four bytes of the coder's state are yet to come.
        return self._size + int(self.coder.pending) + 3

    def reserve(self, bits: int) -> None:
        """Make room for as many bits at the most before :meth:`keep`."""
        count = BYTES_PER_BIT * bits + int(self.coder.pending) + _FINISH_BYTES
        if count > self._room.size:
            self._room = np.empty(count, np.uint8)
        _write_to(self.coder, self._room, self._room.size)

    def keep(self) -> None:
        """Keep what was written since :meth:`reserve`."""
        self._keep(int(self.coder.place))

    def finish(self, *, keep_certain: bool = False) -> bytes:
        """Write what is left; return all bytes but the first, without zeros at the end.

        Parameters
        ----------
        keep_certain : bool, default False
            Whether zeros stay that were certain before.
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

"""One slice of an image: its planes to bytes, one after the other, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.bands import around, equations, learning, numbers
from pcaimage.codec.coding import rangecoder
from pcaimage.codec.photo.residual_learning import curves
from pcaimage.progress import Count

Wanted = Callable[[int], NDArray[np.float64]]
"""Takes a plane's index; returns its unrounded numbers: (rows, columns)."""

SCORE_PLANES, BAND_PLANES = (4, 4), (0, 4)
"""How many of the first planes, and of those just before, a plane is predicted from: for scores, and for
corrections."""

_AT_ONCE = 1 << 14
"""About so many numbers are coded between two looks at the tape."""

_NOTHING = np.zeros(0, np.uint8)
_NO_TAPE = np.zeros(0, np.int32)
_NOT_WANTED = np.zeros((1, 1), np.float64)


class BandsSliceCoder:
    """Codes the planes of a slice one after the other, or decodes them.

    Parameters
    ----------
    count : int
        How many planes there are.
    mask : ndarray of bool, shape (rows, columns)
        Where there are numbers.
    told_by : (int, int)
        How many of the first planes, and of those just before, each plane is predicted from.
    data : bytes, optional
        What to decode; by default it encodes.
    """

    def __init__(
        self, count: int, mask: NDArray[np.bool_], told_by: tuple[int, int], data: bytes | None = None
    ) -> None:
        self.count, self._mask, self._told_by = count, np.ascontiguousarray(mask, np.uint8), told_by
        rows, columns = mask.shape
        self._known = around.nothing_known(count, rows, columns)
        self._lines = max(1, _AT_ONCE // columns)
        reading = data is not None
        # Writable, like all else: loops are compiled for each kind of array, and once is enough.
        stream = _NOTHING.copy() if data is None else np.frombuffer(data, np.uint8).copy()
        tape = _NO_TAPE.copy() if reading else np.empty(numbers.BITS * self._lines * columns, np.int32)
        state = rangecoder.reader(stream) if reading else rangecoder.writer()
        self._tools = learning.Tools(
            learning.nothing_learned(), learning.room(), curves(), state, tape, stream, reading
        )
        self._writer, self._parts, self._size = rangecoder.writer(), list[bytes](), 0

    def encode(self, wanted: Wanted, price: float, progress: Count) -> tuple[bytes, list[int]]:
        """Encode all planes.

        Parameters
        ----------
        price : float
            Squared error that a bit is worth; 0 for the nearest whole numbers.

        Returns
        -------
        (bytes, list of int)
            The coded bytes, and how many of them must be kept for the first planes, for each.
        """
        certain = []
        for plane in range(self.count):
            self._code(plane, np.ascontiguousarray(wanted(plane), np.float64), price)
            # Four bytes of the coder's state are yet to come, and the very first is not kept.
            certain.append(self._size + int(self._writer[rangecoder.PENDING]) + 3)
            progress(1)
        out = np.zeros(int(self._writer[rangecoder.PENDING]) + rangecoder.FINISH_BYTES, np.uint8)
        self._parts.append(out[: rangecoder.finish(self._writer, out, 0)].tobytes())
        coded = b"".join(self._parts)[1:].rstrip(b"\0")
        return coded, [min(count, len(coded)) for count in certain]

    def decode(self, progress: Count) -> None:
        """Decode all planes."""
        for plane in range(self.count):
            self._code(plane, _NOT_WANTED, 0.0)
            progress(1)

    def plane(self, number: int) -> NDArray[np.int32]:
        """Return a plane that is known.

        Parameters
        ----------
        number : int
            Which one, from 0.

        Returns
        -------
        ndarray of int32, shape (rows, columns)
            Zeros where there is no number; a copy.
        """
        border, known = equations.BORDER, self._known
        whole = known.planes[number * known.area : (number + 1) * known.area].reshape(-1, known.stride)
        inside = whole[border:-border, border:-border]
        return inside * self._mask

    def _code(self, plane: int, wanted: NDArray[np.float64], price: float) -> None:
        known, (first, last) = self._known, self._told_by
        rows, columns = self._mask.shape
        fit = equations.fit_of(plane, first, last, known.area, known.stride, columns)
        learning.next_plane(self._tools.learned)
        for start in range(0, rows, self._lines):
            stop = min(start + self._lines, rows)
            numbers.code_lines(plane, start, stop, wanted, self._mask, known, fit, self._tools, price)
            if not self._tools.reading:
                self._drain()
        around.see(known, plane)

    def _drain(self) -> None:
        """Turn what is on the tape into bytes."""
        state: Any = self._tools.state
        count = int(state[rangecoder.PLACE])
        room = rangecoder.BYTES_PER_BIT * count + int(self._writer[rangecoder.PENDING])
        out = np.empty(room, np.uint8)
        size = rangecoder.write(self._writer, self._tools.tape, count, out, 0)
        self._parts.append(out[:size].tobytes())
        self._size += size
        state[rangecoder.PLACE] = 0

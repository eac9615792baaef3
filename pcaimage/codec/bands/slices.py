"""Coding of one slice of an image, plane by plane."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.bands import around, equations, learning, numbers
from pcaimage.codec.coding.range_coder import RangeWriter, reader
from pcaimage.codec.coding.strips import BORDER, runs
from pcaimage.core.library import held
from pcaimage.progress import Count

Wanted = Callable[[int], NDArray[np.float64]]
"""Returns the unrounded numbers (rows, columns) of a plane, given its index."""

SCORE_PLANES, BAND_PLANES = (4, 4), (0, 4)
"""Numbers of the very first planes and of those directly before that predict a plane: scores, corrections."""


class BandsSliceCoder:
    """Decodes the planes of a slice from `data` one after the other, or encodes them if there is none.

    The mask is True where there is a number. Each plane is predicted by so many of the very first planes, and
    of those directly before it.
    """

    def __init__(
        self, count: int, mask: NDArray[np.bool_], predictors: tuple[int, int], data: bytes | None = None
    ) -> None:
        self.count, self._mask, self._predictors = count, np.ascontiguousarray(mask, np.uint8), predictors
        self._known = held(around.nothing_known(count, *mask.shape))
        self._learned = held(learning.nothing_learned())
        self._coder = RangeWriter() if data is None else reader(data)

    def encode(self, wanted: Wanted, price: float, progress: Count) -> tuple[bytes, list[int]]:
        """Encode all planes; return the bytes, and how many of them decoding the first i planes needs.

        The price is the Lagrange multiplier λ, squared error per bit; 0 rounds to the nearest integers.
        """
        writer, certain = self._coder, list[int]()
        assert isinstance(writer, RangeWriter)  # noqa: S101 - or there were data
        for plane in range(self.count):
            self._code(plane, np.ascontiguousarray(wanted(plane), np.float64), price)
            certain.append(writer.certain)
            progress(1)
        coded = writer.finish()
        return coded, [min(count, len(coded)) for count in certain]

    def decode(self, progress: Count) -> None:
        """Decode all planes."""
        for plane in range(self.count):
            self._code(plane, None, 0.0)
            progress(1)

    def plane(self, number: int) -> NDArray[np.int32]:
        """Return a copy of a coded plane by its zero-based index; zeros where there is no number."""
        known = self._known.record
        whole = known.planes[number * known.area : (number + 1) * known.area].reshape(-1, known.stride)
        return whole[BORDER:-BORDER, BORDER:-BORDER] * self._mask

    def _code(self, plane: int, wanted: NDArray[np.float64] | None, price: float) -> None:
        known, learned, mask, coder = self._known, self._learned, self._mask, self._coder
        (first, last), (rows, columns) = self._predictors, mask.shape
        area, stride = known.record.area, known.record.stride
        fit = held(equations.fit_of(plane, first, last, area, stride, columns))
        learning.next_plane(learned.record)
        for start, stop, count in runs(rows, columns):
            place = plane, start, stop
            if isinstance(coder, RangeWriter):
                coder.reserve(numbers.BITS * count)
                numbers.write_strips(*place, wanted, mask, columns, known, fit, learned, price, coder.coder)
                coder.keep()
            else:
                numbers.read_strips(*place, mask, columns, known, fit, learned, coder)
        around.see(known.record, plane)

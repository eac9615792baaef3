"""The entropy coder of planes: a range coder, and the only module that knows ``constriction``.

What goes through here is specified without it in ``docs/format.md``: integer frequencies that sum to 2^24,
a 64-bit state and 32-bit words. A symbol's frequency is handed over less one, because the library gives
every symbol one share of the 2^24 before it scales the rest; so scaled by exactly one, its model *is* the
integers, whatever floating point does.
"""

from __future__ import annotations

from typing import Any

import constriction
import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import FormatError

PRECISION = 24
TOTAL = 1 << PRECISION
"""The sum of the frequencies of a model."""

RAW_BITS = 16
"""Most raw bits in one equiprobable symbol."""

IntArray = NDArray[np.int64]


def frequencies(counts: IntArray) -> IntArray:
    """Scale counts to frequencies of at least 1 that sum to 2^24, in integer arithmetic.

    Parameters
    ----------
    counts : ndarray of int64, shape (n_symbols,)
        Not negative, not all zero, with a sum below 2^38; at least two symbols.

    Returns
    -------
    ndarray of int64, shape (n_symbols,)
        ``1 + counts * (2^24 - n_symbols) // sum(counts)``; what rounding leaves over goes to the first of
        the largest counts.
    """
    scaled: IntArray = counts * (TOTAL - counts.size)
    scaled //= np.add.reduce(counts)
    scaled += 1
    scaled[counts.argmax()] += TOTAL - np.add.reduce(scaled)
    return scaled


def _model(model: IntArray) -> Any:
    return constriction.stream.model.Categorical((model - 1).astype(np.float64), perfect=False)


class Encoder:
    """Codes symbols into bytes."""

    def __init__(self) -> None:
        self._coder = constriction.stream.queue.RangeEncoder()

    def put(self, symbols: IntArray, model: IntArray) -> None:
        """Append symbols from 0 to n_symbols - 1 that share a model from :func:`frequencies`."""
        if symbols.size:
            self._coder.encode(symbols.astype(np.int32), _model(model))

    def put_bits(self, values: IntArray, bits: int) -> None:
        """Append numbers of a fixed width without a model, low parts first."""
        for shift in range(0, bits if values.size else 0, RAW_BITS):
            width = min(RAW_BITS, bits - shift)
            piece = (values >> shift) & ((1 << width) - 1)
            self._coder.encode(piece.astype(np.int32), constriction.stream.model.Uniform(1 << width))

    def finish(self) -> bytes:
        """Return the coded words in little-endian order, without zero bytes at the end.

        A decoder reads zeros past the end.
        """
        words: NDArray[np.uint32] = self._coder.get_compressed()
        return words.astype("<u4").tobytes().rstrip(b"\0")


class Decoder:
    """Decodes symbols from an :class:`Encoder`'s bytes, in the same order and with the same models."""

    def __init__(self, data: bytes) -> None:
        padded = data + bytes(-len(data) % 4)
        self._coder = constriction.stream.queue.RangeDecoder(np.frombuffer(padded, "<u4").astype(np.uint32))

    def get(self, count: int, model: IntArray) -> IntArray:
        """Return the next `count` symbols, which share a model from :func:`frequencies`."""
        return self._decode(_model(model), count)

    def get_bits(self, count: int, bits: int) -> IntArray:
        """Return the next `count` numbers that :meth:`Encoder.put_bits` wrote."""
        values = np.zeros(count, np.int64)
        for shift in range(0, bits, RAW_BITS):
            width = min(RAW_BITS, bits - shift)
            values |= self._decode(constriction.stream.model.Uniform(1 << width), count) << shift
        return values

    def _decode(self, model: Any, count: int) -> IntArray:
        if count == 0:
            return np.zeros(0, np.int64)
        try:
            symbols: NDArray[np.int32] = self._coder.decode(model, count)
        except AssertionError as error:
            raise FormatError("The entropy-coded data is not valid.") from error
        return symbols.astype(np.int64)

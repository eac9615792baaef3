"""The range coder of files of version 1, for symbols of any alphabet, as ``docs/format.md`` specifies it.

A state of 64 bits, words of 32 bits, and integer frequencies that sum to 2^24. The compiled core does the
work (``core/queue.c``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.core.library import LONG, STRUCT, Array, function, held
from pcaimage.errors import FormatError

PRECISION = 24
TOTAL = 1 << PRECISION
"""The sum of the frequencies of a model."""

RAW_BITS = 16
"""Most raw bits in one equiprobable symbol."""

IntArray = NDArray[np.int64]

_NUMBERS, _ROOM = Array(np.int64), Array(np.int64, writable=True)
_WORDS, _WORDS_ROOM = Array(np.uint32), Array(np.uint32, writable=True)

_start_reading = function("pcai_queue_start_reading", None, STRUCT, _WORDS, LONG)
_put = function("pcai_queue_put", LONG, STRUCT, _WORDS_ROOM, _NUMBERS, LONG, _NUMBERS, LONG, _ROOM)
_get = function("pcai_queue_get", LONG, STRUCT, _WORDS, LONG, _ROOM, LONG, _NUMBERS, LONG, _ROOM)
_put_bits = function("pcai_queue_put_bits", None, STRUCT, _WORDS_ROOM, _NUMBERS, LONG, LONG)
_get_bits = function("pcai_queue_get_bits", LONG, STRUCT, _WORDS, LONG, _ROOM, LONG, LONG)
_finish = function("pcai_queue_finish", None, STRUCT, _WORDS_ROOM)


class Queue(NamedTuple):
    """The state of the coder, as the core's struct of the same name.

    Parameters
    ----------
    low : int
        On writing the low end of the range, on reading how far the words are beyond it.
    range : int
        The length of the range.
    place : int
        The next word.
    """

    low: int
    range: int
    place: int


_LARGEST_RANGE = (1 << 64) - 1


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


class Encoder:
    """Codes symbols into bytes."""

    def __init__(self) -> None:
        self._queue = held(Queue(0, _LARGEST_RANGE, 0))
        self._words = np.empty(0, np.uint32)

    def put(self, symbols: IntArray, model: IntArray) -> None:
        """Append symbols from 0 to n_symbols - 1 that share a model from :func:`frequencies`."""
        self._reserve(symbols.size)
        starts = np.empty(model.size + 1, np.int64)
        done = _put(
            self._queue, self._words, np.ascontiguousarray(symbols), symbols.size, model, model.size, starts
        )
        if done != symbols.size:
            raise ValueError(_MISTAKE if done < 0 else f"The model has no symbol {symbols.flat[done]}.")

    def put_bits(self, values: IntArray, bits: int) -> None:
        """Append numbers of a fixed width of up to 63 bits without a model, low parts first."""
        self._reserve(values.size * -(-bits // RAW_BITS))
        _put_bits(self._queue, self._words, np.ascontiguousarray(values), values.size, bits)

    def finish(self) -> bytes:
        """Return the coded words in little-endian order, without zero bytes at the end.

        A decoder reads zeros past the end. Nothing can be appended afterwards.
        """
        self._reserve(1)
        _finish(self._queue, self._words)
        return self._words[: self._queue.place].astype("<u4").tobytes().rstrip(b"\0")

    def _reserve(self, count: int) -> None:
        """Make room for as many words at the most."""
        place = int(self._queue.place)
        if place + count > self._words.size:
            words = np.empty(2 * (place + count), np.uint32)
            words[:place] = self._words[:place]
            self._words = words


class Decoder:
    """Decodes symbols from an :class:`Encoder`'s bytes, in the same order and with the same models."""

    def __init__(self, data: bytes) -> None:
        self._words = np.frombuffer(data + bytes(-len(data) % 4), "<u4").astype(np.uint32)
        self._queue = held(Queue(0, _LARGEST_RANGE, 0))
        _start_reading(self._queue, self._words, self._words.size)

    def get(self, count: int, model: IntArray) -> IntArray:
        """Return the next `count` symbols, which share a model from :func:`frequencies`."""
        symbols, starts = np.empty(count, np.int64), np.empty(model.size + 1, np.int64)
        done = _get(self._queue, self._words, self._words.size, symbols, count, model, model.size, starts)
        if done < 0:
            raise ValueError(_MISTAKE)
        _require(done == count)
        return symbols

    def get_bits(self, count: int, bits: int) -> IntArray:
        """Return the next `count` numbers that :meth:`Encoder.put_bits` wrote."""
        values = np.empty(count, np.int64)
        _require(_get_bits(self._queue, self._words, self._words.size, values, count, bits))
        return values


_MISTAKE = f"A model has frequencies of at least 1 that sum to {TOTAL}."


def _require(valid: bool) -> None:
    if not valid:
        raise FormatError("The entropy-coded data is not valid.")

"""The adaptive range coder of format version 1, as specified in ``docs/format.md``.

It has a state of 64 bits, words of 32 bits, and frequencies that sum to 2^24, in integer arithmetic. The
compiled core implements it (``core/queue.c``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.tokens import ALPHABET
from pcaimage.core.library import LONG, STRUCT, Array, function, held
from pcaimage.errors import FormatError

RAW_BITS = 16
"""Largest number of raw bits in one equiprobable symbol."""

_LARGEST_RANGE = (1 << 64) - 1

IntArray = NDArray[np.int64]

_NUMBERS, _ROOM = Array(np.int64), Array(np.int64, writable=True)
_WORDS = Array(np.uint32, writable=True)

_start_reading = function("pcai_queue_start_reading", None, STRUCT, _WORDS, LONG)
_put = function("pcai_queue_put", LONG, STRUCT, _WORDS, _NUMBERS, LONG, _NUMBERS, _ROOM)
_get = function("pcai_queue_get", LONG, STRUCT, _WORDS, LONG, _ROOM, LONG, _NUMBERS, _ROOM)
_put_bits = function("pcai_queue_put_bits", None, STRUCT, _WORDS, _NUMBERS, LONG, LONG)
_get_bits = function("pcai_queue_get_bits", LONG, STRUCT, _WORDS, LONG, _ROOM, LONG, LONG)
_finish = function("pcai_queue_finish", None, STRUCT, _WORDS)


class Queue(NamedTuple):
    """State of the coder; mirrors the struct of the same name in the core."""

    low: int  # of the range when encoding; the code value relative to it when decoding
    range: int  # its length
    place: int  # index of the next word


class Encoder:
    """Encodes symbols into bytes."""

    def __init__(self) -> None:
        self._queue = held(Queue(0, _LARGEST_RANGE, 0))
        self._words = np.empty(0, np.uint32)

    def put(self, tokens: IntArray, prior: IntArray, seen: IntArray) -> None:
        """Append tokens, each from 0 to 71, coded with an adaptive model.

        The sum of the prior counts is positive, and with all later increments of `seen` stays below 2^38.
        Each token adds 16 to `seen`, in place.
        """
        self._reserve(tokens.size)
        if _put(self._queue, self._words, tokens, tokens.size, _counts(prior), _counts(seen)) != tokens.size:
            raise ValueError(f"A token is not from 0 to {ALPHABET - 1}, or counts are out of range.")

    def put_bits(self, values: IntArray, bits: int) -> None:
        """Append equiprobable numbers of up to 63 bits each, low parts first."""
        self._reserve(values.size * -(-bits // RAW_BITS))
        _put_bits(self._queue, self._words, values, values.size, bits)

    def finish(self) -> bytes:
        """Return the coded words in little-endian order, without trailing zero bytes.

        A decoder reads zeros past the end. Nothing can be appended afterwards.
        """
        self._reserve(1)
        _finish(self._queue, self._words)
        return self._words[: self._queue.place].astype("<u4").tobytes().rstrip(b"\0")

    def _reserve(self, count: int) -> None:
        """Reserve space for at most `count` more words."""
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

    def get(self, tokens: IntArray, prior: IntArray, seen: IntArray) -> None:
        """Fill an array with the next tokens; `prior` and `seen` are as for :meth:`Encoder.put`."""
        count, words = tokens.size, self._words
        _require(_get(self._queue, words, words.size, tokens, count, _counts(prior), _counts(seen)) == count)

    def get_bits(self, count: int, bits: int) -> IntArray:
        """Return the next `count` numbers that :meth:`Encoder.put_bits` wrote."""
        values = np.empty(count, np.int64)
        _require(_get_bits(self._queue, self._words, self._words.size, values, count, bits))
        return values


def _counts(counts: IntArray) -> IntArray:
    """Return the counts in the layout that the core expects, one for each token."""
    if counts.shape != (ALPHABET,):
        raise ValueError(f"There are counts for {ALPHABET} tokens, not of the shape {counts.shape}.")
    return counts


def _require(valid: object) -> None:
    if not valid:
        raise FormatError("The entropy-coded data is not valid.")

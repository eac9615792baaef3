"""Coding of integer arrays: the scores of a component, the entries of a vector.

A plane is predicted, and its residuals become tokens, raw bits and signs. Tokens are coded adaptively: the
numbers are sorted by *activity*, a weighted sum of the magnitudes of earlier components at the same place and
its neighbours, and cut into segments of similar statistics. A segment's model is initialised from the segment
before and from the same segment of the previous component, and adapts as it goes. No model parameters are
stored: the decoder repeats every step in integer arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.entropy import Decoder, Encoder
from pcaimage.codec.coding.predict import Predictor, best_predictor, residuals, restore
from pcaimage.codec.coding.tokens import ALPHABET, DIRECT, EXTRA_BITS, LOWEST, MAX_MAGNITUDE, to_tokens
from pcaimage.errors import FormatError

IntArray = NDArray[np.int64]
PlaneShape = tuple[int, int, int]

INCREMENT = 16
"""Weight of an observed token in its count; must match the core's queue.c."""
BASE_WEIGHT, FIRST_WEIGHT = 8 * INCREMENT, 64 * INCREMENT
"""Weight of the geometric prior of a model, with and without a previous plane."""
PLANE_WEIGHT, SEGMENT_WEIGHT = 128 * INCREMENT, 64 * INCREMENT
"""Weights of the same segment of the previous plane, and of the previous segment."""

SEGMENT_LENGTH, MAX_SEGMENTS = 512, 16

_ACTIVE = 15
"""Largest magnitude that counts as activity."""
_PART = 1 << 20
"""Numbers that are converted at a time, so that large planes need few temporary arrays of their length."""

SCALE_OFFSET, MAX_SCALE = 3, 31
# Powers of one half with exponents in sixteenths, times 2^16 and rounded down. fmt: off
_ROOTS: IntArray = np.array(
    [
        65536,
        62757,
        60096,
        57548,
        55108,
        52772,
        50535,
        48392,
        46340,
        44376,
        42494,
        40693,
        38967,
        37315,
        35733,
        34218,
    ],
    np.int64,
)
# fmt: on


@cache
def geometric(scale: int, weight: int) -> IntArray:
    """Return geometrically decaying counts, which halve with every 2^(scale - 3) of magnitude.

    There is a count of at least 1 for each token. They are cached, so they must not be changed.
    """
    sixteenths = (LOWEST << (4 + SCALE_OFFSET)) >> scale
    weights = (_ROOTS[sixteenths & 15] << EXTRA_BITS) >> np.minimum(sixteenths >> 4, 62)
    counts: IntArray = 1 + weights * weight // weights.sum()
    counts.setflags(write=False)
    return counts


def _share(counts: IntArray, weight: int) -> IntArray:
    return counts * weight // max(int(counts.sum()), 1)


@dataclass
class PlaneCoder:
    """Codes planes of one shape one after the other, each with contexts from those before it.

    With `contexts`, planes are the score planes of one image, whose activities are related; otherwise each is
    coded independently. With `beside`, neighbours in a plane are neighbours in an image, too.
    """

    shape: PlaneShape
    contexts: bool = True
    beside: bool = True
    _activity: NDArray[np.int32] | None = field(default=None, init=False)
    _previous: list[IntArray] | None = field(default=None, init=False)

    def encode(self, plane: IntArray) -> bytes:
        """Encode a plane; a plane of zeros takes no bytes.

        Values lie within ±(2^30 - 1), or within 0 to 2^31 - 1, so that residuals stay below 2^32.
        """
        plane = plane.reshape(self.shape)
        if not plane.any():
            self._see(None)
            return b""
        predictor = best_predictor(plane)
        left_over = residuals(plane, predictor).ravel()
        magnitudes = np.abs(left_over)
        mean = int(np.add.reduce(magnitudes)) / magnitudes.size
        scale = min(max(round(math.log2(mean * 0.69)) + SCALE_OFFSET, 0), MAX_SCALE)
        order = self._order()
        encoder = Encoder()
        ordered = magnitudes[order]
        tokens = to_tokens(ordered)
        models = self._models(scale)
        for segment in self._segments():
            encoder.put(tokens[segment], *models.start())
        _put_extra(encoder, ordered, tokens)
        encoder.put_bits((left_over[order][ordered > 0] < 0).astype(np.int64), 1)
        self._see(magnitudes, models.seen)
        return bytes([predictor | scale << 3]) + encoder.finish()

    def decode(self, data: bytes) -> IntArray:
        """Decode a plane of the coder's shape."""
        if not data:
            self._see(None)
            return np.zeros(self.shape, np.int64)
        kind, scale = data[0] & 7, data[0] >> 3
        if kind > max(Predictor):
            raise FormatError(f"There is no predictor {kind}.")
        order, decoder = self._order(), Decoder(data[1:])
        left_over = np.empty(int(np.prod(self.shape)), np.int64)
        models = self._models(scale)
        for segment in self._segments():
            decoder.get(left_over[segment], *models.start())
        _to_numbers(left_over, decoder)
        if not isinstance(order, slice):
            ordered, left_over = left_over, np.empty_like(left_over)
            left_over[order] = ordered
            del order, ordered
        if self.contexts:
            clipped = np.empty(left_over.shape, np.int8)
            np.clip(left_over, -_ACTIVE, _ACTIVE, out=clipped, casting="unsafe")
            self._see(np.abs(clipped, out=clipped), models.seen)
        plane = restore(left_over.reshape(self.shape), Predictor(kind))
        if max(int(plane.max()), -int(plane.min())) > MAX_MAGNITUDE:
            raise FormatError("A number is out of range.")
        return plane

    def _segments(self) -> list[slice]:
        length = int(np.prod(self.shape))
        count = min(max(length // SEGMENT_LENGTH, 1), MAX_SEGMENTS) if self.contexts else 1
        return [slice(i * length // count, (i + 1) * length // count) for i in range(count)]

    def _models(self, scale: int) -> _Models:
        weight = FIRST_WEIGHT if self._previous is None else BASE_WEIGHT
        return _Models(geometric(scale, weight), self._previous)

    def _order(self) -> IntArray | slice:
        """Return the indices of the plane's numbers by descending activity, ties in raster order."""
        if self._activity is None:
            return slice(None)
        around = 28 * self._activity
        if self.beside:
            # 1 2 1 / 2 16 2 / 1 2 1, at most 28 * 7680 before the shift
            padded = _with_edges(self._activity)
            rows = padded[:-2] + 2 * padded[1:-1] + padded[2:]
            around = rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:] + 12 * self._activity
        return np.argsort((65535 - (around >> 2)).astype(np.uint16).ravel(), kind="stable")

    def _see(self, magnitudes: NDArray[np.integer] | None, seen: list[IntArray] | None = None) -> None:
        """Update the activity with a coded plane."""
        if not self.contexts or (self._activity is None and magnitudes is None):
            return  # places of equal activity stay in raster order
        if self._activity is None:
            self._activity = np.zeros(self.shape[:2], np.int32)
        self._activity -= self._activity >> 3
        if magnitudes is not None:
            added = np.minimum(magnitudes, _ACTIVE).astype(np.int32).reshape(self.shape[:2])
            added <<= 6
            self._activity += added
            self._previous = seen


def _put_extra(encoder: Encoder, magnitudes: IntArray, tokens: IntArray) -> None:
    """Append the raw bits of large magnitudes, in ascending order of their tokens."""
    places = np.flatnonzero(tokens >= DIRECT)
    if not places.size:
        return
    tokens = tokens[places]
    raw = magnitudes[places] - LOWEST[tokens]
    raw = raw[np.argsort(tokens.astype(np.uint8), kind="stable")]
    stop = 0
    for token, count in enumerate(np.bincount(tokens).tolist()):
        if count:
            start, stop = stop, stop + count
            encoder.put_bits(raw[start:stop], int(EXTRA_BITS[token]))


def _to_numbers(tokens: IntArray, decoder: Decoder) -> None:
    """Turn tokens in place into the signed numbers that they begin, reading raw bits and signs."""
    extra = _with_extra(tokens)
    kinds = tokens.astype(np.uint8) if extra else np.empty(0, np.uint8)
    for start in range(0, tokens.size, _PART):
        tokens[start : start + _PART] = LOWEST[tokens[start : start + _PART]]
    for token in extra:
        chosen: NDArray[np.bool_] = kinds == token
        raw = decoder.get_bits(int(np.count_nonzero(chosen)), int(EXTRA_BITS[token]))
        for part, where, values in _in_parts(tokens, chosen, raw):
            part[where] += values
    negative = decoder.get_bits(int(np.count_nonzero(tokens)), 1)
    for part, where, values in _in_parts(tokens, tokens > 0, negative):
        part[where] *= 1 - 2 * values


def _in_parts(
    numbers: IntArray, chosen: NDArray[np.bool_], values: IntArray
) -> Generator[tuple[IntArray, NDArray[np.bool_], IntArray]]:
    """Yield parts of an array, which of their numbers are chosen, and the values that belong to those."""
    done = 0
    for start in range(0, numbers.size, _PART):
        where = chosen[start : start + _PART]
        count = int(np.count_nonzero(where))
        yield numbers[start : start + _PART], where, values[done : done + count]
        done += count


def _with_extra(tokens: IntArray) -> list[int]:
    """Return the distinct tokens that have raw bits, in ascending order."""
    present = np.bincount(tokens, minlength=ALPHABET)[DIRECT:]
    found: list[int] = (DIRECT + np.flatnonzero(present)).tolist()
    return found


def _with_edges(array: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return an array with its edges replicated; np.pad takes ten times as long for small arrays."""
    padded = np.empty((array.shape[0] + 2, array.shape[1] + 2), array.dtype)
    padded[1:-1, 1:-1] = array
    padded[0, 1:-1], padded[-1, 1:-1] = array[0], array[-1]
    padded[:, 0], padded[:, -1] = padded[:, 1], padded[:, -2]
    return padded


@dataclass
class _Models:
    """The models of a plane's segments, in order."""

    base: IntArray
    previous: list[IntArray] | None
    seen: list[IntArray] = field(default_factory=list)

    def start(self) -> tuple[IntArray, IntArray]:
        """Return the initial counts of the next segment's model, and the array of its increments."""
        prior = self.base.copy()
        if self.seen:
            prior += _share(self.seen[-1], SEGMENT_WEIGHT)
        if self.previous is not None:
            prior += _share(self.previous[len(self.seen)], PLANE_WEIGHT)
        self.seen.append(np.zeros(ALPHABET, np.int64))
        return prior, self.seen[-1]

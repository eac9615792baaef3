"""The entropy coders of CCSDS 123.0-B-2: sample-adaptive, hybrid and block-adaptive (CCSDS 121.0-B-3).

Each gets mapped quantizer indices (pixels, bands), which are coded in the order of pixels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

UNARY = 18
"""U_max: zeros after which a number follows as it is."""

_LIMITS = (12, 10, 8, 6, 6, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 0)
"""L: the largest index that is a symbol of its own, by low-entropy code."""

_THRESHOLDS = (
    *(303336, 225404, 166979, 128672, 95597, 69670, 50678, 34898),
    *(23331, 14935, 9282, 5510, 3195, 1928, 1112, 408),
)
"""T: 2^14 times the mean of four times the index, below which a code is used."""

_TREES = """
..5.8889999aabbccb.8889999aabbccb66667788998333.6666.999aaaabbccddc77889999844.777888899aabba.777888899aabba
55665...7778899aabbb55.8889999abccb.888999abbccb6677998.555.88899aabbccc6.999aaabccddc.999aabbccddd88999.555
.88899aabbccc6.999aabbccddd7889993344556.999aaaabcddc6.2.4.7778899bbb.7778899bbb.78899aaccc.88899aaccc77899.
.6778899bbb.7778899bbb5.88899aaccc.88899aaccc7789933.6778899bbb.7778899bbb666...5.78899bbc.78899bbc779994455
7782.4.6.899aaccd788aab.6.899aaccd788aab.78899bbc6888.5.78899bbc.78899bbc77999.5.78899bbc67799a5.78899bbc6..
.4.67799ccc5779aa..67799ccc.788aacdd.788aacdd88aab.5.788aacdd.788aaddd88abb.7889accd.788aacdd8892244778.12..
.5..9aadde99cce.899cce9ab...9aaddf99cce88bbd..899cce88bbd89a....9aaddf99cce88bbd.899cce.899cceaab...899cce88
bbd.899cce7aac7.9aadde9557....3..688cce77bbd..688cce77bcd99b..577bbd66abd488a3.4.688cce6aac779.3..688cce77bc
d599b..4..799ddf88cce6aac5599b.799ddf79..1..4.799ffh.79affhcce66cce.46.799ffgcce99b...4.799ffg.79affhcce66cc
e.68.9bbghieeg6bbd3.9bbghi9a..........36..7aafaafc66b..699f99e.699fb5..699e99eb55b.588d.588ea4..588e.8bbg8da
44a.477d49..477c.7aaf7c..477d.7aag7c9...........2.6aah6c..6aahaag6c...6aah9ag9ag.6aahc5..6aag9agc5...6aag9ag
9agc55c.599f5b..599f89f.599gb...599f89f88f..599g89fb4...599f89f89fb44a.........1...6abiabiaai.6abid....6abia
biaaiaai..6abiabid5..6abiabid5...6abiabiaaid5....6abiabiaaiaahd55d.5aah5d..5aah9ah5c...5aah9ah9ah5c.........
.......167f67f6.7cckf6.7cckf6...7cckcckcckf66f66f66f66f.6bbk6e..6bbkbbk6e..6bbkbbk6e...6bbkbbkbbj6e....6bbkb
bkbbjbbj6e......6bckbbkbbkbbjbbjbbj.6bbke5..6bbkbbke...........................178h77g77g77g77g77g77g77g77g7
7g77g77g77g77g77f77f.7cdk7f..7cdkcdk7f67f67f67f67f67f6.7cdkf6..7cdlcdkf6...7cdlcdkcdkf66f...................
...........................189h88g88g88g88g88g88g88g88g88g88g88g88g88g88g88g88g88g88g78g78g78g78g78g78g78g78
g78g78f78f78f78f78f78f78f78f78f77f77f77f77f77f77f77f77f..7ccicci7f..........................................
...........................................19ah99h99h99h99h99h99h99h99h99h99h99h99h99h99h99h99h99h99h99h89h8
9h89h89h89h89h89h89h89h89h89h89h89h89h89h89h89h89h89h89h89h89h89g89g89g89g89g89g89g89g89g89g89g89g89g89g89g8
9g89g89g89g89g89g89g88g88g88g88g88g88g88g88g88g88g88g88g88g88g88g88g88g88g88g88g88g.........................
............................................................................................................
............................................................................................................
...............199999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999
999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999
99999999999999999999999999999999999999999999999999999999
"""
"""The low-entropy codes, one after another: a point has a branch for each symbol, all else are lengths.

Codewords of a length are numbered by the length of their words of symbols, then by these.
"""

_NODE_BITS = 8
"""Bits of an unfinished word at the end; the standard's words for it are a little shorter."""


@dataclass(frozen=True)
class Fields:
    """A sequence of bits, as numbers and their lengths."""

    values: Integers
    lengths: Integers

    @classmethod
    def of(cls, *parts: tuple[Any, Any]) -> Fields:
        """Put parts after each other."""
        values, lengths = zip(*parts, strict=True)
        return cls(
            *(
                np.concatenate([np.ravel(each) for each in found]).astype(np.int64)
                for found in (values, lengths)
            )
        )

    @property
    def bits(self) -> int:
        """How many bits there are."""
        return int(self.lengths.sum())

    def text(self) -> str:
        """Return the bits as a text of zeros and ones."""
        ends, found = np.cumsum(self.lengths), np.zeros(self.bits, np.uint8)
        for bit in range(int(self.lengths.max())):
            chosen = (self.lengths > bit) & (self.values >> bit & 1 > 0)
            found[ends[chosen] - 1 - bit] = 1
        return (found + ord("0")).tobytes().decode()


@dataclass(frozen=True)
class Adaptive:
    """Settings of the coders that adapt.

    Parameters
    ----------
    depth : int
        D: bits of a sample.
    start, size : int
        γ0 and γ*: binary logarithms of the first count, and of the one at which both are halved.
    """

    depth: int
    start: int = 1
    size: int = 6

    def counts(self, pixels: int, first: int) -> tuple[Integers, Integers]:
        """Return the count of each pixel, which is 2^γ0 at `first`, and where it was halved."""
        found, halved = np.zeros(pixels, np.int64), np.zeros(pixels, bool)
        count, pixel = 1 << self.start, first
        while pixel < pixels:
            run = min((1 << self.size) - count, pixels - pixel)
            found[pixel : pixel + run] = count + np.arange(run)
            count, pixel = 1 << (self.size - 1), pixel + run
            if pixel < pixels:
                halved[pixel] = True
        return found, np.flatnonzero(halved)


def _running(first: Integers, added: Integers, halved: Integers) -> Integers:
    """Return the sums after `first` and after each addition; at some places, they are halved."""
    found = np.empty((len(added) + 1, added.shape[1]), np.int64)
    found[0], edges = first, [1, *halved.tolist(), len(found)]
    for start, stop in pairwise(edges):
        found[start:stop] = found[start - 1] + np.cumsum(added[start - 1 : stop - 1], axis=0)
        if start > 1:
            found[start:stop] += (found[start] + 1) // 2 - found[start]
    return found


def _exponents(sums: Integers, counts: Integers, depth: int, shift: int) -> Integers:
    """Return k of Golomb codes: the largest for which count × 2^(k + shift) is within the corrected sum."""
    ratio = (sums + counts * 49 // 2 ** (7 - shift)) // counts
    exponents = np.frexp(ratio.astype(np.float64))[1].astype(np.int64) - 1 - shift
    found: Integers = exponents.clip(0, max(depth - 2, shift))
    return found


def _golomb(indices: Integers, exponents: Any, depth: int, *, backwards: bool) -> tuple[Integers, Integers]:
    """Return values and lengths of Golomb codes; those that are read backwards end with their zeros."""
    zeros, low = indices >> exponents, indices & ((1 << exponents) - 1)
    long = zeros >= UNARY
    if backwards:
        values = np.where(long, indices << UNARY, (2 * low + 1) << np.minimum(zeros, UNARY))
    else:
        values = np.where(long, indices, low | (1 << exponents))
    return values, np.where(long, UNARY + depth, zeros + exponents + 1)


def _first_sums(exponents: Integers, coder: Adaptive) -> Integers:
    """Return the sums with which the sample-adaptive coder begins, by band."""
    first: Integers = (3 * 2 ** (exponents + 6) - 49) * 2**coder.start // 2**7
    return first


def sample_adaptive(indices: Integers, coder: Adaptive) -> Fields:
    """Return the bits of the sample-adaptive coder, after four for each band's first exponent."""
    pixels, bands = indices.shape
    mean = np.frexp(indices[1:].mean(axis=0) if pixels > 1 else np.ones(bands))[1].astype(np.int64) - 1
    begun = mean.clip(0, min(coder.depth - 2, 14))
    counts, halved = coder.counts(pixels, 1)
    exponents = np.zeros_like(indices)
    if pixels > 1:
        sums = _running(_first_sums(begun, coder), indices[1:-1], halved - 1)
        exponents[1:] = _exponents(sums, counts[1:, None], coder.depth, 0)
    values, lengths = _golomb(indices, exponents, coder.depth, backwards=False)
    values[0], lengths[0] = indices[0], coder.depth
    return Fields.of((begun, np.full(bands, 4)), (values, lengths))


def from_sample_adaptive(text: str, pixels: int, bands: int, coder: Adaptive) -> Integers:
    """Return the indices that bits of the sample-adaptive coder stand for."""
    bits, found = _Bits(text), np.zeros((pixels, bands), np.int64)
    sums = _first_sums(np.array([bits.number(4) for _ in range(bands)]), coder)
    counts, halved = coder.counts(pixels, 1)
    for pixel in range(pixels):
        if pixel > 1:
            sums += found[pixel - 1]
            sums = (sums + 1) // 2 if pixel in halved else sums
        for band in range(bands):
            if pixel == 0:
                found[0, band] = bits.number(coder.depth)
                continue
            exponent = _exponents(sums[band], counts[pixel], coder.depth, 0)
            found[pixel, band] = bits.golomb(int(exponent), coder.depth)
    return found


class _Bits:
    """Reads bits, forwards or backwards."""

    def __init__(self, text: str, *, backwards: bool = False) -> None:
        self._text, self._turn, self._at = text[::-1] if backwards else text, -1 if backwards else 1, 0

    def number(self, length: int) -> int:
        """Read a number."""
        self._at += length
        return int("0" + self._text[self._at - length : self._at][:: self._turn], 2)

    def golomb(self, exponent: int, depth: int) -> int:
        """Read a Golomb code."""
        end = self._text.find("1", self._at, self._at + UNARY)
        zeros = end - self._at if end >= 0 else UNARY
        self._at += zeros
        if zeros == UNARY:
            return self.number(depth)
        self._at += 1
        return (zeros << exponent) | self.number(exponent)

    def word(self, words: dict[str, int]) -> int:
        """Read a codeword of a table whose words are spelled as they are read."""
        start = self._at
        while self._text[start : self._at] not in words:
            self._at += 1
        return words[self._text[start : self._at]]


class _Code:
    """A low-entropy code: a machine whose states are unfinished words of symbols, and codewords.

    Parameters
    ----------
    marks : iterator of str
        Lengths of codewords, as in ``_TREES``, of which the first ones are read.
    limit : int
        The largest symbol but one; the last one is for all larger indices.
    """

    def __init__(self, marks: Iterator[str], limit: int) -> None:
        self.limit = limit
        self.steps, self.spelled = list[list[int]](), list[tuple[int, ...]]()
        leaves = list[tuple[tuple[int, ...], int]]()
        self._grow((), marks, leaves)
        self.unfinished = len(self.steps)
        self.steps = [[at if at >= 0 else self.unfinished - 1 - at for at in row] for row in self.steps]
        self.steps += [self.steps[0]] * len(leaves)
        self.spelled += [word for word, _ in leaves]
        self.lengths = np.array([0] * self.unfinished + [length for _, length in leaves])
        self.codewords, code, last = np.zeros(len(self.steps), np.int64), 0, 0
        for leaf in sorted(range(len(leaves)), key=lambda leaf: self._order(*leaves[leaf])):
            length = leaves[leaf][1]
            code, last = code << (length - last), length
            self.codewords[self.unfinished + leaf] = int(f"{code:0{length}b}"[::-1], 2)
            code += 1

    @staticmethod
    def _order(word: tuple[int, ...], length: int) -> tuple[int, int, tuple[int, ...]]:
        return length, len(word), word

    def _grow(
        self, word: tuple[int, ...], marks: Iterator[str], leaves: list[tuple[tuple[int, ...], int]]
    ) -> int:
        """Read a branch; return its state, which is negative for a whole word."""
        if (mark := next(marks)) != ".":
            leaves.append((word, int(mark, 36)))
            return -len(leaves)
        row, state = list[int](), len(self.steps)
        self.steps.append(row)
        self.spelled.append(word)
        row.extend(self._grow((*word, symbol), marks, leaves) for symbol in range(self.limit + 2))
        return state

    def states(self, symbols: Integers) -> Integers:
        """Return the state after each symbol."""
        steps, state = self.steps, 0
        return np.array([state := steps[state][symbol] for symbol in symbols.tolist()], np.int64)

    @cached_property
    def read(self) -> dict[str, int]:
        """States by codeword, as it is read backwards."""
        return {
            f"{self.codewords[state]:0{self.lengths[state]}b}"[::-1]: state
            for state in range(self.unfinished, len(self.steps))
        }


def _codes() -> list[_Code]:
    marks = iter("".join(_TREES.split()))
    return [_Code(marks, limit) for limit in _LIMITS]


def hybrid(indices: Integers, coder: Adaptive) -> Fields:
    """Return the bits of the hybrid coder, which are read from their end."""
    pixels, bands = indices.shape
    counts, halved = coder.counts(pixels, 0)
    # A decoder learns the sums at the end; they may begin with anything.
    begun = np.rint(4 * indices.mean(axis=0) * counts[0]).astype(np.int64)
    sums = _running(begun, 4 * indices[1:], halved)
    values, lengths = np.zeros((2, pixels, bands, 3), np.int64)
    values[halved, :, 0], lengths[halved, :, 0] = sums[halved - 1] & 1, 1
    exponents = _exponents(sums, counts[:, None], coder.depth, 2)
    values[..., 1], lengths[..., 1] = _golomb(indices, exponents, coder.depth, backwards=True)
    chosen = _chosen(sums, counts[:, None])
    values[0, :, 1], lengths[0, :, 1], chosen[0] = indices[0], coder.depth, -1
    rest = list[int]()
    for number, code in enumerate(_codes()):
        places = chosen == number
        symbols = indices[places].clip(0, code.limit + 1)
        states = code.states(symbols)
        escaped = _golomb((indices[places] - code.limit - 1).clip(0), 0, coder.depth, backwards=True)
        larger = symbols > code.limit
        values[places, 1], lengths[places, 1] = (part * larger for part in escaped)
        values[places, 2], lengths[places, 2] = code.codewords[states], code.lengths[states]
        rest.append(int(states[-1]) if len(states) and states[-1] < code.unfinished else 0)
    ends = np.full(bands, 2 + coder.depth + coder.size)
    tail = (np.array(rest), np.full(len(rest), _NODE_BITS)), (sums[-1], ends), (np.ones(1), np.ones(1))
    return Fields.of((values, lengths), *tail)


def _chosen(sums: Integers, counts: Integers) -> Integers:
    """Return the low-entropy code of each index, −1 for Golomb codes."""
    mean = sums * 2**14 // counts
    return np.searchsorted(-np.array(_THRESHOLDS), -mean, side="left") - 1


def from_hybrid(text: str, pixels: int, bands: int, coder: Adaptive) -> Integers:
    """Return the indices that bits of the hybrid coder stand for."""
    bits, found = _Bits(text, backwards=True), np.zeros((pixels, bands), np.int64)
    bits.number(1)
    counts, halved = coder.counts(pixels, 0)
    sums = np.array([bits.number(2 + coder.depth + coder.size) for _ in range(bands)])[::-1]
    codes = _codes()
    rest = [list(code.spelled[bits.number(_NODE_BITS)]) for code in codes[::-1]][::-1]
    for pixel in range(pixels - 1, -1, -1):
        for band in range(bands - 1, -1, -1):
            if pixel == 0:
                found[0, band] = bits.number(coder.depth)
                continue
            chosen = int(_chosen(sums[band], counts[pixel]))
            if chosen < 0:
                exponent = int(_exponents(sums[band], counts[pixel], coder.depth, 2))
                index = bits.golomb(exponent, coder.depth)
            else:
                code = codes[chosen]
                rest[chosen] = rest[chosen] or list(code.spelled[bits.word(code.read)])
                index = rest[chosen].pop()
                index += bits.golomb(0, coder.depth) if index > code.limit else 0
            odd = bits.number(1) if pixel in halved else 0
            sums[band] = (2 * sums[band] - odd if pixel in halved else sums[band]) - 4 * index
            found[pixel, band] = index
    return found


def block_adaptive(indices: Integers, depth: int, size: int = 32) -> int:
    """Return how many bits the block-adaptive coder needs, by blocks of a band, in intervals of 64 blocks."""
    blocks = -(-len(indices) // size)
    filled = np.zeros((blocks * size, indices.shape[1]), np.int64)
    filled[: len(indices)] = indices
    filled = filled.T.reshape(-1, size)
    label = 3 if depth <= 8 else 4
    exponents = np.arange(max(depth - 2, 1))
    split = np.stack([(filled >> k).sum(axis=1) + size * (k + 1) for k in exponents])
    pairs = filled[:, ::2] + filled[:, 1::2]
    second = (pairs * (pairs + 1) // 2 + filled[:, 1::2] + 1).sum(axis=1)
    best = np.minimum(np.minimum(split.min(axis=0), second + 1), size * depth) + label
    zero = filled.max(axis=1) == 0
    return int(best[~zero].sum()) + _zero_blocks(zero, label)


def _zero_blocks(zero: NDArray[np.bool_], label: int) -> int:
    """Return how many bits runs of blocks of zeros need."""
    bits = 0
    for start in range(0, len(zero), 64):
        part = np.concatenate([[False], zero[start : start + 64], [False]])
        edges = np.flatnonzero(np.diff(part.astype(np.int8)))
        for first, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            # Five or more that end a segment have a word of their own, between those for four and for five.
            length, last = end - first, end == len(part) - 2
            bits += label + 1 + (5 if last and length > 4 else length + (length > 4))
    return bits

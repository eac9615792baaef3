"""The settings of CCSDS 123.0-B-2 with which an image takes the fewest bits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.ccsds import Coded, Form, Integers, Sums, Tuning, depth_of, encode
from benchmarks.ccsds_coding import Adaptive, block_adaptive, hybrid, sample_adaptive
from benchmarks.multiband_rivals import Point

FORMS = (
    Form(3, full=False, sums=Sums.WIDE),
    Form(6, full=False, sums=Sums.WIDE),
    Form(10, full=False, sums=Sums.WIDE),
    Form(6, full=True, sums=Sums.WIDE),
)
PACES = ((2, 7, 6), (4, 7, 8), (4, 9, 8))
PULLS = ((0, 0), (3, 8), (4, 6), (6, 4), (8, 4), (12, 2))
"""What won on Jasper Ridge or on noisy spectra at some error, of some 400 settings; and no damping.

Column sums, narrow sums, one, two or fifteen bands before, faster changes of weights and fewer fractional
bits never did.
"""

COUNTS = ((1, 4), (1, 5), (1, 6), (5, 9))
"""γ0 and γ* of the entropy coders."""

HEADER = 24
"""Bytes of the header, without weights."""

TRIED, BLOCK = 16_000, 64


def ccsds123(cube: NDArray[Any], errors: Sequence[int]) -> list[Point]:
    """Return an image with every value within some errors, each with the best settings.

    These are chosen by the first lines of an image of more than 16,000 pixels, by the entropy of geometric
    distributions with the mean of each 64 indices of a band. Then bits are those of the best coder.
    """
    depth, found = depth_of(cube), dict[int, Point]()
    strip = cube[: max(2, TRIED // cube.shape[1])]
    chosen = best_settings(strip, errors)
    for form in FORMS:
        if not (tunings := [tuning for its_form, tuning in chosen if its_form is form]):
            continue
        for tuning, coded in zip(tunings, encode(cube, form, tunings, twice=True), strict=True):
            bits = fewest_bits(coded.indices, depth) + coded.header_bits
            point = Point.of(cube, coded.values.reshape(cube.shape), HEADER + bits / 8)
            assert point.error <= tuning.error
            found[tuning.error] = point
    return [found[error] for error in errors]


def best_settings(cube: NDArray[Any], errors: Sequence[int]) -> list[tuple[Form, Tuning]]:
    """Return the form and the other settings that suit an image best, for each error."""
    # How sample representatives are damped matters most, whatever the form.
    usual = [Tuning(error, 19, *PACES[0]) for error in errors]
    damped = [[replace(tuning, damping=pull[0], offset=pull[1]) for tuning in usual] for pull in PULLS]
    pulls = _least(_estimates(cube, [(FORMS[1], tunings) for tunings in damped]), len(errors))
    paced = [
        [replace(tuning, first=first, last=last, interval=interval) for _, tuning in pulls]
        for first, last, interval in PACES
    ]
    return _least(_estimates(cube, [(form, tunings) for form in FORMS for tunings in paced]), len(errors))


def _least(found: Iterable[tuple[float, int, Form, Tuning]], count: int) -> list[tuple[Form, Tuning]]:
    """Return for each place what takes the fewest bits."""
    best = dict[int, tuple[float, Form, Tuning]]()
    for bits, place, form, tuning in found:
        if place not in best or bits < best[place][0]:
            best[place] = bits, form, tuning
    return [best[place][1:] for place in range(count)]


def _estimates(
    cube: NDArray[Any], tried: Iterable[tuple[Form, list[Tuning]]]
) -> Iterator[tuple[float, int, Form, Tuning]]:
    """Yield bits and settings, with their places."""
    for form, tunings in tried:
        coded = encode(cube, form, tunings, twice=True)
        for place, (tuning, each) in enumerate(zip(tunings, coded, strict=True)):
            yield _estimate(each), place, form, tuning


def _estimate(coded: Coded) -> float:
    """Return about how many bits an adaptive coder needs."""
    indices = coded.indices[1:]
    starts = np.arange(0, len(indices), BLOCK)
    sizes = np.diff([*starts.tolist(), len(indices)])[:, None]
    mean = np.add.reduceat(indices, starts, axis=0) / sizes
    # An adaptive coder sees a mean that is never exactly nothing.
    mean += 0.5 / BLOCK
    bits = sizes * ((1 + mean) * np.log2(1 + mean) - mean * np.log2(mean))
    return float(bits.sum()) + coded.header_bits


def fewest_bits(indices: Integers, depth: int) -> int:
    """Return the bits of whichever entropy coder needs the fewest."""
    adaptive = [
        coder(indices, Adaptive(depth, *counts)).bits
        for counts in COUNTS
        for coder in (sample_adaptive, hybrid)
    ]
    return min(*adaptive, *(block_adaptive(indices, depth, size) for size in (16, 32, 64)))

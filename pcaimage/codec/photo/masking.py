"""The encoder's choice of steps by region and of weights, for the eye.

Errors are seen less where much else is to be seen: visual masking [1]_. So the step of a region grows with
its activity, and all errors are about equally visible. Fine and coloured patterns are seen less than coarse
ones in grey, as the contrast sensitivity of the eye falls.

References
----------
.. [1] A. B. Watson, "DCTune: a technique for visual optimization of DCT quantization matrices for individual
   images", Society for Information Display Digest 24, 1993.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import REGIONS, WEIGHTED, Header
from pcaimage.codec.step import Step
from pcaimage.core.library import DOUBLE, LONG, Array, function
from pcaimage.sampling.blocks import BLOCK

SIDE = 2  # blocks along the side of a region

T = TypeVar("T", bound=np.generic)


def regions(rows: int, columns: int) -> tuple[int, int]:
    """Return the number of rows and of columns of regions of some blocks."""
    return -(-rows // SIDE), -(-columns // SIDE)


def of_blocks(regional: NDArray[T], rows: int, columns: int) -> NDArray[T]:
    """Repeat the value of each region for its blocks: (rows, columns)."""
    return np.ascontiguousarray(regional.repeat(SIDE, axis=0).repeat(SIDE, axis=1)[:rows, :columns])


LEVELS, MIDDLE = 14, 8  # number of levels, and that of regions of usual activity

FREQUENCIES, ALL, COLOURS = (20, 32), 2, 5
"""Weights: the highest frequency has a step 3.4 times as large, all but the means one 1.1 times, and all but
the first channel one 1.2 times that. Coarse means change the hue of walls and skies at low rates. Where steps
are large, fine detail is lost anyway but for a few scores; bits are seen more in what is coarse: there the
highest frequency has a step seven times as large."""

FINE, COARSE = 27.0, 60.0
"""Steps, on a scale of 255, between which weights of frequencies grow with the logarithm of the step."""

STEEPNESS = 0.45  # levels for each doubling of the activity: the step grows with its power of 0.22

USUAL, LEAST = 100.0, 5.0
"""Usual activity, and an offset, as errors are seen in flat regions too: in squared grey levels."""

WORTH, LOUD = 0.17, 0.6
"""Bits that a squared level's distance from the wanted one is worth, for each score above so many steps.

From the slope of an ideal coder: half the second derivative of D + λR by the logarithm of the step.
"""

_RESOLUTION = 64  # wanted levels are rounded to so many parts, so that they are the same on all machines

Planes = NDArray[Any]
Floats = NDArray[np.float32]

_RESULTS = Array(np.float32, writable=True), Array(np.int32, writable=True)
_ACTIVITY = function("pcai_activity", None, Array(np.uint8), *(LONG,) * 6, DOUBLE, *_RESULTS)


def for_the_eye(header: Header) -> Header:
    """Return the header of a photo that has steps by region, and the weights for its step."""
    octaves = math.log2(float(header.step) * 255 / header.peak / FINE) / math.log2(COARSE / FINE)
    frequencies = round(float(np.interp(octaves, (0, 1), FREQUENCIES)))
    colours = (ALL + COLOURS,) * (header.shape[-1] - 1)
    return replace(
        header,
        tools=header.tools | REGIONS | WEIGHTED,
        levels=LEVELS,
        middle=MIDDLE,
        weights=(frequencies, ALL, *colours),
    )


def for_psnr(header: Header) -> Header:
    """Return the header of a photo that has one step everywhere, which makes the squared error least."""
    tools = header.tools & ~(REGIONS | WEIGHTED)
    return replace(header, tools=tools, levels=0, middle=0, weights=())


def with_step(header: Header, step: Step) -> Header:
    """Return the header of a photo with another step, which its weights follow if it has any."""
    header = replace(header, step=step)
    return for_the_eye(header) if header.weights else header


def levels(planes: Planes, header: Header, unit: float) -> NDArray[np.int8]:
    """Return the level that each block is to have for the eye, but for its bits: shape (rows, columns)."""
    local = for_the_eye(header)
    wanted, _ = masking(planes, local, unit)
    nearest = np.clip(np.rint(wanted), 0, local.levels - 1).astype(np.int8)
    return of_blocks(nearest, *planes.shape[1:])


def masking(planes: Planes, header: Header, unit: float, rows: slice | None = None) -> tuple[Floats, Floats]:
    """Return the wanted levels of the regions in some rows of blocks, and their worth in bits.

    Both are as for :meth:`.PhotoSliceCoder.encode`, of a header with levels. The unit is that of the scores,
    in grey levels.
    """
    count, height, columns = planes.shape
    start, stop = (0, height) if rows is None else (rows.start, rows.stop)
    squares, loud = np.zeros((stop - start, columns), np.float32), np.zeros((stop - start, columns), np.int32)
    threshold = LOUD * float(header.step) / unit
    part = planes.itemsize == 4, count, height, columns, start, stop - start
    _ACTIVITY(planes.view(np.uint8), *part, threshold, squares, loud)
    scale = (255 / header.peak * unit) ** 2 / (BLOCK**2 * header.shape[-1])
    octaves = np.log2((squares * scale + LEAST) / (USUAL + LEAST))
    wanted = header.middle + STEEPNESS * _pooled(octaves).mean(axis=(1, 3))
    worth = WORTH * (_pooled(loud).sum(axis=(1, 3)) + 0.5)
    return (np.rint(_RESOLUTION * wanted) / _RESOLUTION).astype(np.float32), worth.astype(np.float32)


def _pooled(blocks: NDArray[Any]) -> NDArray[Any]:
    """Group values of blocks by region, (rows, SIDE, columns, SIDE); the last ones are repeated."""
    rows, columns = regions(*blocks.shape)
    more = (0, SIDE * rows - blocks.shape[0]), (0, SIDE * columns - blocks.shape[1])
    return np.pad(blocks, more, mode="edge").reshape(rows, SIDE, columns, SIDE)

"""What one pass over a many-band image finds out: its moments, its range, and how it is going to be cut."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.bands.missing import Missing
from pcaimage.codec.bands.model import MOST_REAL, line_strips
from pcaimage.codec.bands.noise import NoiseSum
from pcaimage.codec.compressed import MAX_SLICES, Header
from pcaimage.codec.step import Step
from pcaimage.errors import DataError
from pcaimage.mapped import Footprint
from pcaimage.parallel import in_order
from pcaimage.pca import Moments
from pcaimage.progress import Progress

SLICE_PIXELS = 1 << 17
"""About how many pixels a slice has. Slices are coded side by side, and know nothing of each other."""

MAX_VALUE_BITS, LARGEST_REAL = 40, 2.0**30
"""Fractional bits of real numbers, and how large they may be."""


class _Seen(NamedTuple):
    """What some lines say: moments, smallest and largest number, and of noise where that is asked for."""

    moments: Moments | None
    low: float
    high: float
    noise: NoiseSum | None


def slice_rows(height: int, width: int) -> int:
    """Return how many lines a slice of an image has."""
    count = min(max(1, round(height * width / SLICE_PIXELS)), MAX_SLICES, height)
    return -(-height // count)


def moments_of(
    array: NDArray[Any],
    header: Header,
    missing: Missing | None,
    noise: NoiseSum | None,
    progress: Progress,
) -> tuple[Moments, float, float]:
    """Return the moments of what was measured, and its smallest and largest number.

    Parameters
    ----------
    array : ndarray, shape (H, W, C)
        The image.

    Returns
    -------
    (Moments, float, float)
        Of pixels that were measured in all bands.
    """
    parts, footprint = line_strips(header), Footprint(array)

    def look(number: int) -> _Seen:
        start, stop = parts[number]
        lines = np.asarray(array[start:stop])
        gone = None if missing is None else missing.touched[start:stop]
        found = _look(lines, gone, with_noise=noise is not None)
        footprint.walked(lines.nbytes)
        return found

    total, low, high = Moments.empty(array.shape[2]), math.inf, -math.inf
    for (_, stop), seen in zip(parts, in_order(look, len(parts)), strict=True):
        if noise is not None and seen.noise is not None:
            noise.take(seen.noise)
        if seen.moments is not None:
            total = total + seen.moments if total.count else seen.moments
            low, high = min(low, seen.low), max(high, seen.high)
        progress(stop, array.shape[0])
    footprint.let_go()
    if not total.count:
        raise DataError("No pixel of the image was measured in all bands, so there are no components.")
    return total, low, high


def _look(lines: NDArray[Any], gone: NDArray[np.bool_] | None, *, with_noise: bool) -> _Seen:
    """Return what some lines say."""
    noise = NoiseSum(lines.shape[2]) if with_noise else None
    if noise is not None:
        noise.add(lines, gone)
    samples = lines.reshape(-1, lines.shape[2])
    if gone is not None:
        samples = samples[~gone.ravel()]
    if not len(samples):
        return _Seen(None, math.inf, -math.inf, noise)
    return _Seen(Moments.of(samples), float(samples.min()), float(samples.max()), noise)


def described(plain: Header, low: float, high: float, precision: float | None, *, has_axis: bool) -> Header:
    """Return the header of an image whose numbers lie between two.

    Parameters
    ----------
    plain : Header
        Its shape and type.

    Returns
    -------
    Header
        With its slices, the unit of its values, and its peak.
    """
    if plain.dtype == "float32" and precision is not None and precision <= 0:
        raise DataError("Real numbers are not kept without loss; give an error above 0.")
    largest = max(abs(low), abs(high))
    peak = high if high > 0 else max(high - low, 1.0 if plain.dtype != "float32" else 0.0)
    bits = 0
    if plain.dtype == "float32":
        if largest > LARGEST_REAL:
            raise DataError(f"Numbers up to {largest:g} are too large; multiply them by something smaller.")
        peak = peak if peak > 0 else 1.0
        most = min(MAX_VALUE_BITS, math.floor(math.log2(MOST_REAL / max(largest, 2.0**-60))) - 1)
        bits = most
        if precision is not None:
            bits = min(most, math.ceil(-math.log2(2 * precision)) + 3)
            if 0.5 * 2.0**-bits > precision:
                raise DataError(
                    f"An error of {precision:g} is finer than 24 bits of numbers up to {largest:g} can be."
                )
    return Header(
        plain.shape,
        plain.dtype,
        plain.sampling,
        Step.nearest(1.0),
        has_channel_axis=has_axis,
        slice_rows=slice_rows(*plain.shape[:2]),
        value_bits=bits,
        largest=peak,
    )

"""Statistics of a many-band image from one pass over its lines: moments, range, and the header."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.linear.missing import Missing
from pcaimage.codec.linear.model import MOST_REAL, line_strips
from pcaimage.codec.linear.noise import NoiseSum
from pcaimage.codec.step import Step
from pcaimage.errors import DataError
from pcaimage.machine.mapped import Footprint
from pcaimage.machine.parallel import in_order
from pcaimage.pca import Moments
from pcaimage.progress import Progress
from pcaimage.quality import white_between

MAX_VALUE_BITS, LARGEST_REAL = 40, 2.0**30
"""Limits on the fractional bits and on the magnitude of real numbers."""


class _LineStatistics(NamedTuple):
    """Moments, range and, optionally, noise sums of some lines."""

    moments: Moments | None
    low: float
    high: float
    noise: NoiseSum | None


def spread_runs(header: Header, numbers: int, least: int, most: int) -> list[tuple[int, int]]:
    """Return the bounds of runs of lines, spread over an image, that represent all of it.

    There are at most `most` runs, each of at least `least` lines, with about `numbers` values in all.
    """
    height, width, bands = header.shape
    lines = max(least, numbers // (width * bands))
    if lines >= height:
        return [(0, height)]
    count = max(1, min(most, lines // least))
    each = lines // count
    gap = (height - count * each) / count
    starts = [round(gap * (number + 0.5)) + each * number for number in range(count)]
    return [(start, start + each) for start in starts]


def moments_of(
    array: NDArray[Any],
    header: Header,
    missing: Missing | None,
    noise: NoiseSum | None,
    progress: Progress,
) -> tuple[Moments, float, float]:
    """Return the moments of the pixels without missing bands, and the range of all known values.

    `noise` accumulates the same lines. Raises DataError if there are no such pixels.
    """
    parts, footprint = line_strips(header), Footprint(array)

    def examine(number: int) -> _LineStatistics:
        start, stop = parts[number]
        lines = np.asarray(array[start:stop])
        gone = None if missing is None else np.atleast_3d(missing.mask[start:stop])
        found = _statistics_of(lines, gone, with_noise=noise is not None)
        footprint.walked(lines.nbytes)
        return found

    total, low, high = Moments.empty(array.shape[2]), math.inf, -math.inf
    for (_, stop), found in zip(parts, in_order(examine, len(parts)), strict=True):
        if noise is not None and found.noise is not None:
            noise.take(found.noise)
        if found.moments is not None:
            total = total + found.moments if total.count else found.moments
        low, high = min(low, found.low), max(high, found.high)
        progress(stop, array.shape[0])
    footprint.let_go()
    if not total.count:
        raise DataError("No pixel of the image was measured in all bands, so there are no components.")
    return total, low, high


def _statistics_of(
    lines: NDArray[Any], gone: NDArray[np.bool_] | None, *, with_noise: bool
) -> _LineStatistics:
    """Return the statistics of some lines, whose values are missing in some pixels, or in some bands."""
    noise = NoiseSum(lines.shape[2]) if with_noise else None
    incomplete = None if gone is None else np.asarray(gone.any(axis=2))
    if noise is not None:
        noise.add(lines, incomplete)
    samples = lines if incomplete is None or gone is None else lines[~incomplete]
    known = lines if gone is None else lines[~np.broadcast_to(gone, lines.shape)]
    if not known.size:
        return _LineStatistics(None, math.inf, -math.inf, noise)
    moments = Moments.of(samples.reshape(-1, lines.shape[2])) if samples.size else None
    return _LineStatistics(moments, float(known.min()), float(known.max()), noise)


def header_in_range(
    plain: Header,
    low: float,
    high: float,
    precision: float | None,
    *,
    has_axis: bool,
    white: float | None = None,
) -> Header:
    """Complete the header of an image with a range of numbers: unit of values, peak.

    `precision` is the largest error allowed for real values. Raises DataError if they are too large for it,
    and SettingsError if values are above a given white.
    """
    if plain.dtype == "float32" and precision is not None and precision <= 0:
        raise DataError("Real numbers are not kept without loss; give an error above 0.")
    largest = max(abs(low), abs(high))
    bits = 0
    if plain.dtype == "float32":
        if largest > LARGEST_REAL:
            raise DataError(f"Numbers up to {largest:g} are too large; multiply them by something smaller.")
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
        value_bits=bits,
        largest=white_between(plain.dtype, low, high, white),
    )

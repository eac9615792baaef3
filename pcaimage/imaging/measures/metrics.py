"""Measures of the difference between a reconstruction and its original."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError
from pcaimage.imaging.image.pixels import Pixels, strips
from pcaimage.machine.folders import tables
from pcaimage.machine.mapped import Footprint
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import TYPES, differences, mean_squared_error, parts_of, psnr_of_mse, white_of

CHUNK = 1 << 20  # number of values converted to float64 at a time


@dataclass(frozen=True)
class Comparison:
    """The difference between two images."""

    psnr: float  # in decibels; infinite for equal images
    ssim: float  # 1 for equal images; NaN for arrays that are none
    mse: float  # in squared pixel values
    max_error: float  # of two values; an int for whole numbers
    peak: float  # what PSNR and SSIM are relative to


def _sides(pixels: Pixels) -> str:
    """Return the size as people give it: 768 × 512 pixels, with its images and channels if it has such."""
    if not 1 < pixels.ndim < 5:
        return f"shape {pixels.shape}"
    *frames, height, width, channels = pixels.shape if pixels.ndim > 2 else (*pixels.shape, 1)
    several = f" with {channels} channels" if channels > 1 else ""
    return "".join(f"{count} images of " for count in frames) + f"{width} × {height} pixels{several}"


def _check(a: Pixels, b: Pixels) -> None:
    if a.shape != b.shape:
        raise DataError(f"Images of {_sides(a)} and of {_sides(b)} cannot be compared.")
    if a.dtype != b.dtype:
        raise DataError(f"Images of {_sides(a)} of {a.dtype} and of {b.dtype} cannot be compared.")
    if not a.size:
        raise DataError(f"Images without pixels, of shapes {a.shape} and {b.shape}, cannot be compared.")


def mse(a: Pixels, b: Pixels) -> float:
    """Return the mean squared error of two images; DataError if shapes or dtypes differ.

    For whole numbers it is exact up to the final division. Two NaN count as equal.
    """
    _check(a, b)
    return mean_squared_error(a, b)


def psnr(a: Pixels, b: Pixels, peak: float | None = None) -> float:
    """Return the peak signal-to-noise ratio, 10 log10(peak² / MSE), in decibels; infinite for equal images.

    The peak is by default :func:`pcaimage.quality.white_of` `a`, the original. DataError if shapes or dtypes
    differ.
    """
    return psnr_of_mse(mse(a, b), white_of(a) if peak is None else peak)


def max_error(a: Pixels, b: Pixels) -> float:
    """Return the largest absolute difference of two values, an int for whole numbers.

    It is NaN if only one of two values is NaN. DataError if shapes or dtypes differ.
    """
    _check(a, b)
    found = list[float]()
    for (_, first), (_, second) in zip(*(strips(np.atleast_1d(each)) for each in (a, b)), strict=True):
        one, two = first.reshape(-1), second.reshape(-1)
        parts = [slice(start, start + CHUNK) for start in range(0, one.size, CHUNK)]
        found += [_largest(one[part], two[part]) for part in parts]
    return max(found)


def _largest(x: NDArray[Any], y: NDArray[Any]) -> float:
    if x.dtype.kind == "c":
        return float(np.hypot(differences(x.real, y.real), differences(x.imag, y.imag)).max())
    found = np.abs(differences(x, y)).max()
    return float(found) if x.dtype.kind == "f" else int(found)


def ssim(a: Pixels, b: Pixels, progress: Progress = no_progress, *, peak: float | None = None) -> float:
    """Return the mean structural similarity (Wang et al. 2004, doi:10.1109/TIP.2003.819861); 1 is equality.

    With means, variances and covariances over windows of 7 x 7 pixels, the peak of :func:`psnr`, C1 = (0.01
    peak)² and C2 = (0.03 peak)², the similarity of a window is

        (2 mean_a mean_b + C1) (2 cov_ab + C2) / ((mean_a² + mean_b² + C1) (var_a + var_b + C2)).

    Variances have the divisor n - 1. The mean is over all windows that lie inside of the image, and over
    channels and images of a stack. These are scikit-image's conventions. NaN and infinity count as zero; a
    side of fewer than 7 pixels is first extended to 7 by mirroring it at its end. DataError if shapes or
    dtypes differ.
    """
    _check(a, b)
    if a.ndim == 2:
        a, b = a[..., None], b[..., None]
    if a.ndim not in (3, 4) or a.dtype.name not in TYPES:
        raise DataError(f"Structural similarity needs images, not arrays of shape {a.shape} and {a.dtype}.")
    peak = white_of(a) if peak is None else peak
    a, b = (x.reshape(-1, *x.shape[-3:]) for x in (a, b))
    count, height, width, channels = a.shape
    inner = (count, max(1, height - WINDOW + 1), max(1, width - WINDOW + 1), channels)
    windows: int = math.prod(inner)
    footprint = Footprint(a, b)
    done, total = 0, 0.0
    for tile in _tiles(inner):
        x, y = _extended(a[tile]), _extended(b[tile])
        footprint.walked(x.nbytes + y.nbytes)
        similar = _similarities(x, y, peak)
        total += float(similar.sum())
        done += similar.size
        progress(done, windows)
    return total / windows


def bits_per_pixel(n_bytes: int, shape: Sequence[int]) -> float:
    """Return the size of a file in bits per pixel, of an image (H, W, C) or a stack (N, H, W, C).

    A pixel comprises all channels. DataError if the shape is not that of an image.
    """
    if len(shape) not in (3, 4) or min(shape) < 1:
        raise DataError(f"An image has the shape (H, W, C) or (N, H, W, C), not {tuple(shape)}.")
    return 8 * n_bytes / math.prod(shape[:-1])


def compare(
    a: Pixels, b: Pixels, progress: Progress = no_progress, *, peak: float | None = None
) -> Comparison:
    """Measure the difference between two images of the same shape and dtype, else DataError.

    The peak is that of :func:`psnr`. Arrays that are no images have no similarity, which is NaN; of complex
    numbers errors are distances, and the mean is that of both parts.
    """
    _check(a, b)
    error, peak = mean_squared_error(parts_of(a), parts_of(b)), white_of(a) if peak is None else peak
    image = a.ndim in (2, 3, 4) and a.dtype.name in TYPES
    similar = ssim(a, b, progress, peak=peak) if image else math.nan
    return Comparison(psnr_of_mse(error, peak), similar, error, max_error(a, b), peak)


WINDOW = 7  # side of the window in pixels
TILE = 1 << 15  # approximate number of windows in a tile, whose sums fit into the processor's cache
_ROWS = 64
_CHANNELS = 8
_PAIRS = WINDOW**2


def _tiles(inner: tuple[int, int, int, int]) -> Iterator[tuple[slice, ...]]:
    """Yield the part of the images under each tile of windows, of which there are `inner` along each axis."""
    count, height, width, channels = inner
    deep, rows = min(channels, _CHANNELS), min(height, _ROWS)
    columns = min(width, max(WINDOW, TILE // (rows * deep)))
    images = max(1, TILE // (rows * columns * deep))
    beyond = WINDOW - 1
    for image in range(0, count, images):
        for top in range(0, height, rows):
            for left in range(0, width, columns):
                for channel in range(0, channels, deep):
                    yield (
                        slice(image, image + images),
                        slice(top, min(top + rows, height) + beyond),
                        slice(left, min(left + columns, width) + beyond),
                        slice(channel, channel + deep),
                    )


def _extended(part: Pixels) -> Pixels:
    missing = [(0, 0), *((0, max(0, WINDOW - side)) for side in part.shape[1:3]), (0, 0)]
    return np.pad(part, missing, mode="symmetric") if any(n for _, n in missing) else part


def _similarities(x: Pixels, y: Pixels, peak: float) -> NDArray[np.float64]:
    """Return the similarity of each window.

    Means are multiplied by the n = 49 pixels of a window, and variances by n (n - 1). With S for the sum over
    a window, the formula is then made of S(a) S(b), S(a)² + S(b)², n S(ab) - S(a) S(b) and n S(a² + b²) -
    S(a)² - S(b)²: for 16-bit integers, numbers that float64 represents exactly.
    """
    one, two, offset = _values(x, y)
    products, squares = np.multiply(one, two, dtype=_wide(one)), np.multiply(one, one, dtype=_wide(one))
    squares += np.multiply(two, two, dtype=_wide(one))
    sum_one, sum_two = _sums(one).astype(np.float64), _sums(two).astype(np.float64)
    covariance, variance = _sums(products) * float(_PAIRS), _sums(squares) * float(_PAIRS)

    both, each = _pairs(sum_one, sum_two)
    covariance -= both
    variance -= each
    if offset:
        sum_one += _PAIRS * offset
        sum_two += _PAIRS * offset
        both, each = _pairs(sum_one, sum_two)
    similar = _ratio(both, each, (0.01 * _PAIRS * peak) ** 2)
    similar *= _ratio(covariance, variance, _PAIRS * (_PAIRS - 1) * (0.03 * peak) ** 2)
    return similar


def _values(x: Pixels, y: Pixels) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Return pixels as numbers whose sums are exact, and the offset subtracted from them.

    For real numbers it is the mean, which avoids cancellation in the variances.
    """
    if x.dtype == np.uint8:
        return x.astype(np.uint16), y.astype(np.uint16), 0.0
    one, two = x.astype(np.float64), y.astype(np.float64)
    if x.dtype.kind != "f":
        return one, two, 0.0
    for values in (one, two):
        np.nan_to_num(values, copy=False, posinf=0, neginf=0)
    offset = float(one.mean())
    one -= offset
    two -= offset
    return one, two, offset


def _wide(values: NDArray[Any]) -> type[np.uint32 | np.float64]:
    """Return the type of squares: the sum of 49 pairs of squares of 8 bits has 23 bits."""
    return np.uint32 if values.dtype == np.uint16 else np.float64


def _sums(values: NDArray[Any]) -> NDArray[Any]:
    """Return the sums over windows.

    Each is computed anew from sums of two and of four: a running sum would be as fast, but accumulate the
    rounding errors of all previous values.
    """
    for axis in (1, 2):
        values = np.moveaxis(values, axis, 0)
        two = values[:-1] + values[1:]
        sums = two[:-2] + two[2:]
        sums = sums[:-3] + two[4:-1]
        sums += values[6:]
        values = np.moveaxis(sums, 0, axis)
    return values


def _pairs(one: NDArray[np.float64], two: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Return a·b and a² + b²."""
    squares = one * one
    squares += two * two
    return one * two, squares


def _ratio(both: NDArray[np.float64], each: NDArray[np.float64], constant: float) -> NDArray[np.float64]:
    """Return (2 both + constant) / (each + constant), computed in place of `both`."""
    both *= 2
    both += constant
    each += constant
    both /= each
    return both


Plane = NDArray[np.float32]

_SMALLEST, _SCALES, _BLOCK = 8, 5, 64
_STABLE = 0.0009
_BIAS = 0.0037930732552754493
_READ = tables("scores.json")
_ABSORBED = np.array(_READ["cones"], np.float32)
"""How much of linear red, green and blue the three kinds of cones take in."""
_TAPS = np.array(_READ["taps"], np.float32)
"""The Gaussian of deviation 1.5, as the recursive filter of the reference has it."""

_WEIGHTS = {(scale, channel): maps for scale, channel, *maps in _READ["weights"]}
"""Weights of the mean and the 4-norm of three maps, by scale (1:1 to 1:16) and channel (X, Y, B).

The maps are dissimilarity, edges that only the second image has, and edges that it has lost. What is left out
weighs less than 0.01, and changes a score by less than 0.1.
"""


class Ssimulacra:
    """Scores of images against one original, whose own share of the work is done once.

    A score is 100 for equal images. From 90 on images are equal to the eye, at 80 if they lie side by side;
    70 is high quality, 50 medium, 30 low; it may be negative. It is that of J. Sneyers, SSIMULACRA 2.1,
    github.com/cloudinary/ssimulacra2. A side of fewer than 8 pixels is first extended to 8 by mirroring.
    """

    def __init__(self, original: Pixels) -> None:
        self._shape = original.shape
        self._known = {place: (plane, *_smooth(plane)) for place, plane in _planes(original)}

    def score(self, pixels: Pixels) -> float:
        """Return the score of an image of 8 bits, shape (H, W, 1 or 3) like the original."""
        if pixels.shape != self._shape:
            raise DataError(f"Images of shapes {self._shape} and {pixels.shape} cannot be compared.")
        total = 0.0
        for place, plane in _planes(pixels):
            for (mean, fourth), found in zip(_WEIGHTS[place], _maps(*self._known[place], plane), strict=True):
                total += mean * float(found.mean()) if mean else 0.0
                total += fourth * float(np.square(np.square(found)).mean()) ** 0.25 if fourth else 0.0
        error = 0.9562382616834844 * total
        error *= 2.326765642916932 - 0.020884521182843837 * error + 6.248496625763138e-05 * error * error
        return 100 - 10 * error**0.6276336467831387 if error > 0 else 100.0


def _planes(pixels: Pixels) -> Iterator[tuple[tuple[int, int], Plane]]:
    """Yield the planes of an image that count, in the colours XYB made positive, with scale and channel."""
    lacking = [(0, max(0, _SMALLEST - side)) for side in pixels.shape[:2]]
    pixels = np.pad(pixels, [*lacking, (0, 0)], mode="symmetric")
    values = np.arange(256) / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4).astype(np.float32)
    colours = np.broadcast_to(pixels, (*pixels.shape[:2], 3)).transpose(2, 0, 1)
    shown: Plane = linear.take(np.ascontiguousarray(colours, np.uint8), mode="clip")
    for scale in range(_SCALES):
        shown = _halved(shown) if scale else shown
        if min(shown.shape[1:]) < _SMALLEST:
            return
        wanted = [channel for channel in range(3) if (scale, channel) in _WEIGHTS]
        cones = np.tensordot(_ABSORBED[: 2 + (2 in wanted)], shown, 1)
        cones += np.float32(_BIAS)
        np.exp(np.log(cones, out=cones) / 3, out=cones)  # much quicker than the cube root
        cones -= np.float32(np.cbrt(_BIAS))
        red, green, *blue = cones
        luma = (red + green) / 2
        for channel in wanted:
            plane = (red - green) * 7 + 0.42 if channel == 0 else luma + 0.01
            yield (scale, channel), blue[0] - luma + 0.55 if channel == 2 else plane


def _halved(planes: Plane) -> Plane:
    odd = [(0, 0), *((0, side % 2) for side in planes.shape[1:])]
    even: Plane = np.pad(planes, odd, mode="edge")
    rows = even[:, ::2] + even[:, 1::2]
    return (rows[..., ::2] + rows[..., 1::2]) * np.float32(0.25)


def _blurred(planes: Plane) -> Plane:
    """Blur along both axes by products with banded matrices: quicker than a sum of shifted copies."""
    reach = len(_TAPS) // 2
    band = np.zeros((_BLOCK, _BLOCK + 2 * reach), np.float32)
    for row in range(_BLOCK):
        band[row, row : row + len(_TAPS)] = _TAPS
    for _ in range(2):
        size = planes.shape[-1]
        wide = np.pad(planes, [*[(0, 0)] * (planes.ndim - 1), (reach, reach + -size % _BLOCK)])
        blocks = [wide[..., at : at + band.shape[1]] @ band.T for at in range(0, size, _BLOCK)]
        planes = np.concatenate(blocks, -1)[..., :size].swapaxes(-1, -2)
    return planes


def _smooth(plane: Plane) -> tuple[Plane, Plane]:
    return _blurred(plane), _blurred(plane * plane)


def _maps(one: Plane, mean_one: Plane, square_one: Plane, two: Plane) -> Iterator[Plane]:
    """Yield the three maps of the differences of a plane."""
    mean_two, square_two = _smooth(two)
    similar = 2 * (_blurred(one * two) - mean_one * mean_two) + _STABLE
    similar /= square_one - mean_one * mean_one + (square_two - mean_two * mean_two) + _STABLE
    similar *= 1 - (mean_one - mean_two) ** 2
    yield np.maximum(1 - similar, 0)
    edges = (1 + np.abs(two - mean_two)) / (1 + np.abs(one - mean_one)) - 1
    yield np.maximum(edges, 0)
    yield np.maximum(-edges, 0)

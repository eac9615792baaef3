"""SSIMULACRA 2, a measure of what eyes see of compression, and opinions of people agree with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError
from pcaimage.imaging.image.pixels import Pixels

Plane = NDArray[np.float32]

_SMALLEST, _SCALES, _BLOCK = 8, 5, 64
_STABLE = 0.0009
_BIAS = 0.0037930732552754493
_ABSORBED = np.array(
    [
        [0.3, 0.622, 0.078],
        [0.23, 0.692, 0.078],
        [0.24342268924547819, 0.20476744424496821, 0.5518098665095536],
    ],
    np.float32,
)
"""How much of linear red, green and blue the three kinds of cones take in."""
_TAPS = np.array(
    [
        *(0.0094143678, 0.0360111147, 0.1093353728, 0.212928592),
        *(0.2646211055, 0.212928592, 0.1093353728, 0.0360111147, 0.0094143678),
    ],
    np.float32,
)
"""The Gaussian of deviation 1.5, as the recursive filter of the reference has it."""

_WEIGHTS = {
    (0, 1): ((0, 7.466890328), (0, 0), (0, 17.44583398)),
    (1, 0): ((0, 1.104172643), (0, 0), (0, 0)),
    (1, 1): ((0, 6.683678146), (0, 0), (0, 1.027889938)),
    (2, 0): ((0, 1.842245552), (0, 11.4411726), (0, 0)),
    (2, 1): ((225.205153, 19.21323819), (0, 0), (0, 0)),
    (3, 0): ((0, 1.878759498), (0, 10.94906991), (0, 0)),
    (3, 1): ((176.393176, 24.43301), (0, 0.2852080261), (0, 0)),
    (3, 2): ((0, 8.826982765), (0, 23.19243344), (0, 0)),
    (4, 0): ((0, 0), (0.9677937081, 0.9981766978), (0, 0)),
    (4, 1): ((0, 34.77906344), (0, 44.83562533), (0, 0)),
    (4, 2): ((95.10804988, 0), (0.9863978034, 171.2667256), (0.9834382792, 0.9807858872)),
}
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

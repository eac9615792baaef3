"""Rate–distortion curves of other codecs on an image, as references for comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import ImageError
from pcaimage.imaging import psnr, ssim
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.imaging.measures.mosaic import Mosaic, mosaic
from pcaimage.imaging.rivals.rivals import RIVALS, encode_at_quality, obstacle, rival_named
from pcaimage.insight.curve import SIMILARITY_PIXELS, to_eight_bits
from pcaimage.progress import Progress, no_progress

QUALITIES: dict[str, tuple[float, ...]] = {
    "jpeg": (5, 14, 28, 45, 65, 82, 91, 97),
    "webp": (1, 14, 45, 76, 93, 99),
    "avif": (8, 26, 45, 63, 80, 95),
    "jpeg2000": (0.1, 0.2, 0.4, 0.8, 1.6, 3.2),
    "jpegxl": (1, 20, 50, 76, 90, 97),
}
"""Qualities that take about 0.1 to 3 bits per pixel on photographs, as far as the codec allows."""

SAMPLE_PIXELS = 3 << 19  # pixels of the sample of a large image
LARGER = {"jpeg": 4, "jpegxl": 2}  # how many times as large the samples of some codecs are


@dataclass(frozen=True)
class Reference:
    """The curve of another codec, with the size of the file and its quality at each of some settings."""

    name: str  # in programs
    title: str  # in sentences
    qualities: tuple[float, ...]  # in the codec's own terms
    n_bytes: tuple[int, ...]
    psnr: tuple[float, ...]  # over all channels, in decibels; infinite without errors
    sampled: bool  # whether these are estimates from a sample of the image
    rough: bool = False  # whether the sample alone was encoded, not yet the whole image
    ssim: tuple[float, ...] = ()  # of a sample if the image is large; empty if not requested

    def at(self, n_bytes: float, measure: str = "psnr") -> float | None:
        """Return the quality at a size, interpolated over its logarithm; None outside the curve."""
        sizes, values = self.line(measure)
        if not sizes.size or not sizes[0] <= n_bytes <= sizes[-1]:
            return None
        return float(np.interp(np.log(n_bytes), np.log(sizes), values))

    def line(self, measure: str = "psnr") -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the curve for drawing: ascending sizes, and finite qualities in the given measure."""
        values = np.array(self.psnr if measure == "psnr" else self.ssim, np.float64)
        sizes = np.array(self.n_bytes[: len(values)], np.float64)
        order = np.argsort(sizes, kind="stable")
        order = order[np.isfinite(values[order])]
        return sizes[order], values[order]


def obstacles(shape: Sequence[int], dtype: np.dtype[Any] | type | str) -> dict[str, str]:
    """Return, for each codec that cannot encode an image, a sentence that says why."""
    reasons = {rival.name: obstacle(rival.name, shape, dtype) for rival in RIVALS}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def reference_curve(
    pixels: Pixels, name: str, progress: Progress = no_progress, *, white: float = 255
) -> Reference:
    """Encode an image, grey or RGB, with another codec at several qualities.

    Of a large image, a sample from all over it is encoded. Curves of photographs of 24 megapixels were within
    0.3 dB of those of the whole on average, and JPEG 2000's two thirds of a decibel too low. ImageError if
    the codec cannot encode the image, or is not installed. Errors are relative to `white`.
    """
    reason = obstacle(name, pixels.shape, pixels.dtype)
    if reason is not None:
        raise ImageError(reason)
    tiles = Mosaic.of(pixels.shape, SAMPLE_PIXELS * LARGER.get(name, 1))
    sample, qualities = tiles.cut(pixels), QUALITIES[name]
    inner, sizes, decibels = tiles.inner(sample), list[int](), list[float]()
    for done, quality in enumerate(qualities):
        asked = _cancel_only(progress, done, len(qualities))
        encoded = encode_at_quality(sample, name, quality, asked)
        sizes.append(round(encoded.n_bytes * pixels.size / sample.size))
        decibels.append(psnr(inner, tiles.inner(encoded.pixels), white))
    title = rival_named(name).title
    return Reference(name, title, qualities, tuple(sizes), tuple(decibels), sampled=not tiles.is_whole)


def with_similarity(
    pixels: Pixels, curve: Reference, progress: Progress = no_progress, *, white: float = 255
) -> Reference:
    """Add structural similarities to a curve, measured on a sample of a large image."""
    sample = mosaic(pixels, SIMILARITY_PIXELS)
    shown, found = to_eight_bits(sample, white), list[float]()
    for done, quality in enumerate(curve.qualities):
        asked = _cancel_only(progress, done, len(curve.qualities))
        encoded = encode_at_quality(sample, curve.name, quality, asked)
        found.append(ssim(shown, to_eight_bits(encoded.pixels, white)))
    return replace(curve, ssim=tuple(found))


def _cancel_only(progress: Progress, done: int, total: int) -> Progress:
    """Return a callback that reports constant progress during one step, so that it can only cancel."""
    return lambda _done, _total: progress(done, total)

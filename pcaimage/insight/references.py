"""Rate–distortion curves of other codecs on an image, as references for comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import ImageError
from pcaimage.imaging import psnr, ssim
from pcaimage.imaging.mosaic import mosaic
from pcaimage.imaging.rivals import RIVALS, encode_at_quality, obstacle, rival_named
from pcaimage.imaging.types import Pixels
from pcaimage.insight.similarity import SIMILARITY_PIXELS, to_eight_bits
from pcaimage.progress import Progress, no_progress, part

CODECS = tuple(rival for rival in RIVALS if rival.installed)
"""The codecs that have curves: JPEG XL only where its package is installed."""

QUALITIES: dict[str, tuple[float, ...]] = {
    "jpeg": (5, 14, 28, 45, 65, 82, 91, 97),
    "webp": (1, 8, 25, 50, 72, 86, 94, 99),
    "avif": (8, 22, 36, 49, 61, 74, 86, 95),
    "jpeg2000": (0.1, 0.17, 0.3, 0.5, 0.85, 1.4, 2.2, 3.2),
    "jpegxl": (1, 12, 32, 55, 74, 86, 93, 97),
}
"""Qualities that take about 0.1 to 3 bits per pixel on photographs, as far as the codec allows."""

ANCHORS: dict[str, tuple[int, ...]] = {
    "jpeg": (0, 1, 2, 3, 4, 5, 6, 7),
    "webp": (0, 3, 5, 7),
    "avif": (0, 3, 6),
    "jpeg2000": (0, 3, 6),
    "jpegxl": (0, 3, 6),
}
"""Indices of the qualities at which a large image is encoded as a whole, to correct its sample."""

SAMPLE_PIXELS, WHOLE_PIXELS = 3 << 19, 3 << 23
"""Pixels of the sample of a large image, and of the largest image that is encoded as a whole."""


@dataclass(frozen=True)
class Reference:
    """The curve of another codec.

    Parameters
    ----------
    name, title : str
        Name of the codec in programs and in sentences.
    qualities : tuple of float
        In the codec's own terms.
    n_bytes : tuple of int
        Size of the file for each quality.
    psnr : tuple of float
        Peak signal-to-noise ratio over all channels, in decibels; infinite without errors.
    sampled : bool
        Whether these are estimates from a sample of the image.
    rough : bool
        Whether the estimates come from the sample alone, not yet corrected by encodings of the whole image.
    ssim : tuple of float
        Structural similarity, of a sample if the image is large; empty if not requested.
    """

    name: str
    title: str
    qualities: tuple[float, ...]
    n_bytes: tuple[int, ...]
    psnr: tuple[float, ...]
    sampled: bool
    rough: bool = False
    ssim: tuple[float, ...] = ()

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
    reasons = {rival.name: obstacle(rival.name, shape, dtype) for rival in CODECS}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def reference_curve(pixels: Pixels, name: str, progress: Progress = no_progress) -> Reference:
    """Encode an image with another codec at several qualities.

    A large image is encoded as a whole only at a few of them; between these the curve follows a sample of the
    image, corrected by the few. JPEG is fast enough for all.

    Parameters
    ----------
    pixels : ndarray of uint8 or uint16, shape (H, W, C)
        Grey or RGB.
    name : str
        Name of the codec, such as ``"jpeg"``.

    Raises
    ------
    ImageError
        If the codec cannot encode the image, or is not installed.
    """
    return refined(pixels, quick_curve(pixels, name, part(progress, 0.0, 0.2)), part(progress, 0.2, 1.0))


def quick_curve(pixels: Pixels, name: str, progress: Progress = no_progress) -> Reference:
    """Return the first stage of :func:`reference_curve`: all of a small image, or a sample of a large one.

    A curve that is :attr:`Reference.rough` is to be :func:`refined`.
    """
    reason = obstacle(name, pixels.shape, pixels.dtype)
    if reason is not None:
        raise ImageError(reason)
    sample = mosaic(pixels, SAMPLE_PIXELS)
    points = _measure(sample, name, range(len(QUALITIES[name])), progress)
    points[:, 1] += np.log(pixels.size / sample.size)
    sampled = sample.size < pixels.size
    return _reference(name, points, sampled=sampled, rough=sampled)


def refined(pixels: Pixels, curve: Reference, progress: Progress = no_progress) -> Reference:
    """Return the second stage of :func:`reference_curve`, which corrects a rough curve."""
    if not curve.rough:
        return curve
    # Even the whole of a huge image is replaced by a larger sample.
    whole = mosaic(pixels, WHOLE_PIXELS, tile=1024)
    indices = ANCHORS[curve.name]
    anchors = _measure(whole, curve.name, indices, progress)
    anchors[:, 1] += np.log(pixels.size / whole.size)
    known = len(indices) == len(curve.qualities) and whole.size == pixels.size
    rough = np.column_stack((np.arange(len(curve.n_bytes)), np.log(curve.n_bytes), curve.psnr))
    return _reference(curve.name, _corrected(rough, anchors), sampled=not known, rough=False)


def with_similarity(pixels: Pixels, curve: Reference, progress: Progress = no_progress) -> Reference:
    """Add structural similarities to a curve, measured on a sample of a large image."""
    sample = mosaic(pixels, SIMILARITY_PIXELS)
    shown, found = to_eight_bits(sample), list[float]()
    for done, quality in enumerate(curve.qualities):
        asked = _cancel_only(progress, done, len(curve.qualities))
        encoded = encode_at_quality(sample, curve.name, quality, asked)
        found.append(ssim(shown, to_eight_bits(encoded.pixels)))
    return replace(curve, ssim=tuple(found))


_Points = NDArray[np.float64]
"""Rows of the index of a quality, the logarithm of the size, and decibels."""


def _measure(pixels: Pixels, name: str, indices: Sequence[int], progress: Progress) -> _Points:
    points = list[tuple[float, float, float]]()
    for done, index in enumerate(indices):
        asked = _cancel_only(progress, done, len(indices))
        encoded = encode_at_quality(pixels, name, QUALITIES[name][index], asked)
        points.append((index, float(np.log(encoded.n_bytes)), psnr(pixels, encoded.pixels)))
    return np.array(points)


def _cancel_only(progress: Progress, done: int, total: int) -> Progress:
    """Return a callback that reports constant progress during one step, so that it can only cancel."""
    return lambda _done, _total: progress(done, total)


def _corrected(rough: _Points, anchors: _Points) -> _Points:
    """Shift a sample's points by their errors at the anchors, interpolated between them."""
    lacking = anchors - rough[anchors[:, 0].astype(int)]
    lacking[~np.isfinite(lacking)] = 0.0
    moved = rough.copy()
    for column in (1, 2):
        moved[:, column] += np.interp(rough[:, 0], anchors[:, 0], lacking[:, column])
    return moved


def _reference(name: str, points: _Points, *, sampled: bool, rough: bool) -> Reference:
    sizes = tuple(round(float(np.exp(size))) for size in points[:, 1])
    decibels = tuple(float(value) for value in points[:, 2])
    title = rival_named(name).title
    return Reference(name, title, QUALITIES[name], sizes, decibels, sampled=sampled, rough=rough)

"""What other codecs make of an image, as curves of size and quality to judge one's own by."""

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

QUALITIES: dict[str, tuple[float, ...]] = {
    "jpeg": (5, 14, 28, 45, 65, 82, 91, 97),
    "webp": (1, 8, 25, 50, 72, 86, 94, 99),
    "avif": (8, 22, 36, 49, 61, 74, 86, 95),
    "jpeg2000": (0.1, 0.17, 0.3, 0.5, 0.85, 1.4, 2.2, 3.2),
}
"""Qualities whose files take from 0.1 to 3 bits per pixel on photographs, or as near as the codec gets."""

ANCHORS: dict[str, tuple[int, ...]] = {
    "jpeg": (0, 1, 2, 3, 4, 5, 6, 7),
    "webp": (0, 3, 5, 7),
    "avif": (0, 3, 6),
    "jpeg2000": (0, 3, 6),
}
"""At these qualities a large image is encoded whole, which tells what its sample is to it."""

SAMPLE_PIXELS, WHOLE_PIXELS = 3 << 19, 3 << 23
"""Pixels of the sample of a large image; images of more than the second are not encoded whole either."""


@dataclass(frozen=True)
class Reference:
    """The curve of another codec.

    Parameters
    ----------
    name, title : str
        What it is called in programs and in sentences.
    qualities : tuple of float
        In the codec's own terms.
    n_bytes : tuple of int
        Size of the file for each quality.
    psnr : tuple of float
        Peak signal-to-noise ratio over all channels, in decibels; infinite for no error.
    sampled : bool
        Whether these are estimates from a sample of the image.
    rough : bool
        Whether the sample alone says so, and nothing of it was compared with the whole yet.
    ssim : tuple of float
        Structural similarity, of a sample if the image is large; empty where it was not asked for.
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
        """Return the quality at a size.

        Parameters
        ----------
        n_bytes : float
            Size of the file.
        measure : {"psnr", "ssim"}
            In which terms.

        Returns
        -------
        float or None
            Interpolated over the logarithm of the size; None outside the curve.
        """
        sizes, values = self.line(measure)
        if not sizes.size or not sizes[0] <= n_bytes <= sizes[-1]:
            return None
        return float(np.interp(np.log(n_bytes), np.log(sizes), values))

    def line(self, measure: str = "psnr") -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the curve for drawing.

        Parameters
        ----------
        measure : {"psnr", "ssim"}
            In which terms.

        Returns
        -------
        (ndarray, ndarray)
            Sizes, ascending, and qualities, all finite; empty where they are not known.
        """
        values = np.array(self.psnr if measure == "psnr" else self.ssim, np.float64)
        sizes = np.array(self.n_bytes[: len(values)], np.float64)
        order = np.argsort(sizes, kind="stable")
        order = order[np.isfinite(values[order])]
        return sizes[order], values[order]


def obstacles(shape: Sequence[int], dtype: np.dtype[Any] | type | str) -> dict[str, str]:
    """Tell which codecs have no curve, and why.

    Parameters
    ----------
    shape : sequence of int
        Shape of the image's pixels.
    dtype : dtype
        Their type.

    Returns
    -------
    dict
        A sentence for each codec that cannot carry the image.
    """
    reasons = {rival.name: obstacle(rival.name, shape, dtype) for rival in RIVALS}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def reference_curve(pixels: Pixels, name: str, progress: Progress = no_progress) -> Reference:
    """Encode an image by another codec at some qualities.

    A large image is encoded whole at a few of them only; what lies between follows a sample of it, put right
    by what the few say. JPEG is fast enough for all.

    Parameters
    ----------
    pixels : ndarray of uint8 or uint16, shape (H, W, C)
        Grey or RGB.
    name : str
        Such as ``"jpeg"``.
    progress : Progress
        Told of the work done, and asked before each file.

    Returns
    -------
    Reference
        Its curve.

    Raises
    ------
    ImageError
        If the codec cannot carry the image, or is not installed.
    """
    return refined(pixels, quick_curve(pixels, name, part(progress, 0.0, 0.2)), part(progress, 0.2, 1.0))


def quick_curve(pixels: Pixels, name: str, progress: Progress = no_progress) -> Reference:
    """Do the first part of :func:`reference_curve`: all of a small image, or a sample of a large one.

    Parameters
    ----------
    pixels : ndarray of uint8 or uint16, shape (H, W, C)
        Grey or RGB.
    name : str
        Such as ``"jpeg"``.
    progress : Progress
        Told of the work done, and asked before each file.

    Returns
    -------
    Reference
        Its curve; :attr:`Reference.rough` if it is to be :func:`refined`.

    Raises
    ------
    ImageError
        If the codec cannot carry the image, or is not installed.
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
    """Do the second part of :func:`reference_curve`: put a rough curve right.

    Parameters
    ----------
    pixels : ndarray of uint8 or uint16, shape (H, W, C)
        The image.
    curve : Reference
        From :func:`quick_curve`.
    progress : Progress
        Told of the work done, and asked before each file.

    Returns
    -------
    Reference
        The curve itself where it is not rough.
    """
    if not curve.rough:
        return curve
    # Of a gigantic image, the whole is a larger sample.
    whole = mosaic(pixels, WHOLE_PIXELS, tile=1024)
    indices = ANCHORS[curve.name]
    anchors = _measure(whole, curve.name, indices, progress)
    anchors[:, 1] += np.log(pixels.size / whole.size)
    known = len(indices) == len(curve.qualities) and whole.size == pixels.size
    rough = np.column_stack((np.arange(len(curve.n_bytes)), np.log(curve.n_bytes), curve.psnr))
    return _reference(curve.name, _corrected(rough, anchors), sampled=not known, rough=False)


def with_similarity(pixels: Pixels, curve: Reference, progress: Progress = no_progress) -> Reference:
    """Find the structural similarities that belong to a curve.

    Parameters
    ----------
    pixels : ndarray of uint8 or uint16, shape (H, W, C)
        The image.
    curve : Reference
        Its curve.
    progress : Progress
        Told of the work done, and asked before each file.

    Returns
    -------
    Reference
        The curve with them, found on a sample of a large image.
    """
    sample = mosaic(pixels, SIMILARITY_PIXELS)
    shown, found = to_eight_bits(sample), list[float]()
    for done, quality in enumerate(curve.qualities):
        asked = _standing(progress, done, len(curve.qualities))
        encoded = encode_at_quality(sample, curve.name, quality, asked)
        found.append(ssim(shown, to_eight_bits(encoded.pixels)))
    return replace(curve, ssim=tuple(found))


_Points = NDArray[np.float64]
"""Number of a quality, logarithm of the size, and decibels, in rows."""


def _measure(pixels: Pixels, name: str, indices: Sequence[int], progress: Progress) -> _Points:
    points = list[tuple[float, float, float]]()
    for done, index in enumerate(indices):
        asked = _standing(progress, done, len(indices))
        encoded = encode_at_quality(pixels, name, QUALITIES[name][index], asked)
        points.append((index, float(np.log(encoded.n_bytes)), psnr(pixels, encoded.pixels)))
    return np.array(points)


def _standing(progress: Progress, done: int, total: int) -> Progress:
    """Let a step ask whether to go on; it is one step, however far it is."""
    return lambda _done, _total: progress(done, total)


def _corrected(rough: _Points, anchors: _Points) -> _Points:
    """Move a sample's points by what it lacks at the anchors, interpolated between them."""
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

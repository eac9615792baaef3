"""Rate–distortion curves of other codecs on an image, as references for comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.api import compress_array, size_of
from pcaimage.codec import Settings, Tune
from pcaimage.errors import ImageError
from pcaimage.imaging import psnr, ssim
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.imaging.measures.mosaic import Mosaic, mosaic
from pcaimage.imaging.rivals.rivals import RIVALS, encode_at_quality, obstacle, rival_named
from pcaimage.insight.curve import SIMILARITY_PIXELS, to_eight_bits
from pcaimage.machine.folders import tables
from pcaimage.progress import Progress, constant, no_progress, part
from pcaimage.sampling import sampling_named

QUALITIES: dict[str, tuple[float, ...]] = {
    key: (*each,) for key, each in tables("files.json")["qualities"].items()
}
"""Qualities that take about 0.1 to 3 bits per pixel on photographs, as far as the codec allows."""

OWN = "pcaimage"
STEPS = (110.0, 60.0, 32.0, 18.0, 10.0, 6.0, 3.5)
"""Steps of photos, on a scale of 255, that take as much."""

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
    rival = rival_named(name)

    def encoded(sample: Pixels, quality: float, asked: Progress) -> tuple[int, Pixels]:
        found = encode_at_quality(sample, name, quality, asked)
        return found.n_bytes, found.pixels

    return _measured(pixels, (name, rival.title, QUALITIES[name]), encoded, progress, white)


def reference_curves(pixels: Pixels, progress: Progress, white: float) -> list[Reference]:
    """Return the curves of all codecs that are installed and take an image; see :func:`reference_curve`."""
    cannot, found = obstacles(pixels.shape, pixels.dtype), list[Reference]()
    for index, name in enumerate(names := [each.name for each in RIVALS if each.name not in cannot]):
        asked = part(progress, index / len(names), (index + 1) / len(names))
        found.append(reference_curve(pixels, name, asked, white=white))
    return found


def own_curve(pixels: Pixels, progress: Progress = no_progress, *, white: float = 255) -> Reference:
    """Encode an image as a photo at several steps, tuned for the PSNR; else as :func:`reference_curve`."""
    known = int(white) if pixels.dtype == np.uint16 else None

    def encoded(sample: Pixels, step: float, asked: Progress) -> tuple[int, Pixels]:
        settings = Settings(sampling_named("photo"), step=step, tune=Tune.PSNR, white=known)
        encoding = compress_array(sample, settings, progress=asked)
        return size_of(encoding.compressed), encoding.decoded().reshape(sample.shape)

    return _measured(pixels, (OWN, OWN, STEPS), encoded, progress, white)


def _measured(
    pixels: Pixels,
    of: tuple[str, str, tuple[float, ...]],
    encoded: Callable[[Pixels, float, Progress], tuple[int, Pixels]],
    progress: Progress,
    white: float,
) -> Reference:
    """Return the curve of a codec's name, title and qualities, of what it makes of an image or its sample."""
    name, title, qualities = of
    tiles = Mosaic.of(pixels.shape, SAMPLE_PIXELS * LARGER.get(name, 1))
    sample = tiles.cut(pixels)
    inner, sizes, decibels = tiles.inner(sample), list[int](), list[float]()
    for done, quality in enumerate(qualities):
        n_bytes, shown = encoded(sample, quality, constant(progress, done, len(qualities)))
        sizes.append(round(n_bytes * pixels.size / sample.size))
        decibels.append(psnr(inner, tiles.inner(shown), white))
    return Reference(name, title, qualities, tuple(sizes), tuple(decibels), sampled=not tiles.is_whole)


def change_of_size(tested: Reference, anchor: Reference) -> float | None:
    """Return the mean relative change of the size at equal PSNR, such as −0.1 for 10 % less.

    Logarithms of the sizes, interpolated linearly between files, are averaged over the qualities that both
    have, as in G. Bjøntegaard, VCEG-M33, 2001; None if they have none in common.
    """
    curves = [(np.maximum.accumulate(psnr), np.log(sizes)) for sizes, psnr in (anchor.line(), tested.line())]
    if not all(len(quality) > 1 for quality, _ in curves):
        return None
    low, high = max(quality[0] for quality, _ in curves), min(quality[-1] for quality, _ in curves)
    if not low < high:
        return None
    grid = np.linspace(low, high, 200)
    first, second = (np.interp(grid, *curve).mean() for curve in curves)
    return float(np.expm1(second - first))


def mean_curve(curves: Sequence[Reference]) -> Reference:
    """Return the curve of one codec's means over images: geometric ones of sizes, arithmetic ones of PSNR."""
    sizes = np.exp(np.log([each.n_bytes for each in curves]).mean(0)).round().astype(int)
    decibels = np.array([each.psnr for each in curves]).mean(0)
    return replace(curves[0], n_bytes=tuple(sizes.tolist()), psnr=tuple(decibels.tolist()), ssim=())


def with_similarity(
    pixels: Pixels, curve: Reference, progress: Progress = no_progress, *, white: float = 255
) -> Reference:
    """Add structural similarities to a curve, measured on a sample of a large image."""
    sample = mosaic(pixels, SIMILARITY_PIXELS)
    shown, found = to_eight_bits(sample, white), list[float]()
    for done, quality in enumerate(curve.qualities):
        asked = constant(progress, done, len(curve.qualities))
        encoded = encode_at_quality(sample, curve.name, quality, asked)
        found.append(ssim(shown, to_eight_bits(encoded.pixels, white)))
    return replace(curve, ssim=tuple(found))

"""Curves of rate and distortion, measured on several processes."""

from __future__ import annotations

import math
import multiprocessing
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.progress import track

from benchmarks.bdrate import bd_rate, quality_at
from benchmarks.codecs import Codec
from benchmarks.timing import once
from pcaimage.errors import PcaImageError
from pcaimage.imaging import bits_per_pixel, psnr, read_image, ssim

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Point:
    """One file and what it decodes to.

    Parameters
    ----------
    codec, image : str
        Of what.
    quality : float
        In the codec's own terms.
    n_bytes : int
        The file's size.
    bpp, psnr, ssim : float
        Bits per pixel, and how good it is.
    encode_seconds, decode_seconds : float
        How long it took, in one process beside others.
    """

    codec: str
    image: str
    quality: float
    n_bytes: int
    bpp: float
    psnr: float
    ssim: float
    encode_seconds: float
    decode_seconds: float


@dataclass(frozen=True)
class Curve:
    """What a codec gives for an image at all of its qualities.

    Parameters
    ----------
    codec, image : str
        Of what.
    points : tuple of Point
        By rate.
    """

    codec: str
    image: str
    points: tuple[Point, ...]

    @property
    def by_psnr(self) -> tuple[list[float], list[float]]:
        """Rates, and decibels where they are finite."""
        lossy = [point for point in self.points if math.isfinite(point.psnr)]
        return [point.bpp for point in lossy], [point.psnr for point in lossy]

    @property
    def by_ssim(self) -> tuple[list[float], list[float]]:
        """Rates, and structural similarities."""
        return [point.bpp for point in self.points], [point.ssim for point in self.points]

    def at(self, bpp: float) -> tuple[float, float] | None:
        """Return PSNR and SSIM at some rate, interpolated.

        Parameters
        ----------
        bpp : float
            Bits per pixel.

        Returns
        -------
        (float, float) or None
            None outside of the curve.
        """
        decibels, similarity = quality_at(*self.by_psnr, bpp), quality_at(*self.by_ssim, bpp)
        return None if decibels is None or similarity is None else (decibels, similarity)

    def rate_against(self, anchor: Curve) -> float | None:
        """Return the mean change of the rate at equal PSNR.

        Parameters
        ----------
        anchor : Curve
            To compare with.

        Returns
        -------
        float or None
            −0.1 for 10 % less; None where the curves have no quality in common.
        """
        try:
            return bd_rate(anchor.by_psnr, self.by_psnr)
        except ValueError:
            return None


@dataclass(frozen=True)
class _Job:
    codec: Codec
    path: Path
    quality: float


def measure(images: Sequence[Path], codecs: Sequence[Codec], workers: int = 2) -> list[Curve]:
    """Measure all curves.

    Parameters
    ----------
    images : sequence of Path
        Colour or grey images of 8 bits.
    codecs : sequence of Codec
        The codecs, each with the qualities to try.
    workers : int
        How many processes; each has one thread for linear algebra.

    Returns
    -------
    list of Curve
        By image, then by codec.
    """
    jobs = [_Job(codec, path, quality) for path in images for codec in codecs for quality in codec.qualities]
    with _one_thread_each():
        pool = multiprocessing.get_context("spawn").Pool(workers)
    with pool:
        done: Iterable[Point | None] = track(pool.imap(_point, jobs), "Measuring", len(jobs), transient=True)
        points = [point for point in done if point is not None]
    curves = []
    for path in images:
        for codec in codecs:
            own = [point for point in points if (point.codec, point.image) == (codec.name, path.name)]
            curves.append(Curve(codec.name, path.name, tuple(sorted(own, key=lambda point: point.bpp))))
    return curves


def _point(job: _Job) -> Point | None:
    pixels = read_image(job.path).pixels
    if pixels.dtype != np.uint8:
        raise ValueError(f"{job.path.name} is not an image of 8 bits.")
    array = pixels.astype(np.uint8, copy=False)
    if array.shape[-1] == 1:
        array = array[..., 0]
    try:
        encoding, data = once(lambda: job.codec.encode(array, job.quality))
    except PcaImageError:
        return None  # the image has no such k, or cannot reach that quality
    decoding, decoded = once(lambda: job.codec.decode(data))
    return Point(
        codec=job.codec.name,
        image=job.path.name,
        quality=job.quality,
        n_bytes=len(data),
        bpp=bits_per_pixel(len(data), pixels.shape),
        psnr=psnr(array, decoded),
        ssim=ssim(array, decoded),
        encode_seconds=encoding,
        decode_seconds=decoding,
    )


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let processes that start now use one thread for linear algebra, so that they do not fight."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value

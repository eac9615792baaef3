"""Files of all codecs, made and measured in several processes."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from benchmarks.cache import PointCache
from benchmarks.codecs import Codec, Pixels
from benchmarks.curves import Curve, Point
from benchmarks.perceptual import MEASURES, Perceptual
from benchmarks.timing import once
from pcaimage.errors import PcaImageError
from pcaimage.imaging import bits_per_pixel, psnr, read_image, ssim
from pcaimage.machine.parallel import BLAS_VARIABLES

_CORNER = 64
"""Side in pixels of an untimed first image, so that libraries are loaded."""


@dataclass(frozen=True)
class Job:
    """Files of one codec for one image.

    Parameters
    ----------
    codec : Codec
        With the qualities to measure.
    image : Path
        An 8-bit colour or grey image.
    warm : bool, default False
        Whether to code a small image first, so that times exclude one-time initialisation.
    measures : tuple of {"ms-ssim", "ssimulacra2", "butteraugli"}, optional
        Measures beside PSNR and SSIM.
    """

    codec: Codec
    image: Path
    warm: bool = False
    measures: tuple[Perceptual, ...] = ()


def measure(
    images: Sequence[Path],
    codecs: Sequence[Codec],
    jobs: int = 2,
    cache: PointCache | None = None,
    measures: Sequence[Perceptual] = (),
) -> list[Curve]:
    """Measure all curves, with progress on stderr.

    Parameters
    ----------
    images : sequence of Path
        8-bit colour or grey images.
    codecs : sequence of Codec
        Each with the qualities to measure.
    jobs : int
        Number of processes, each with one thread for linear algebra. With one process times are meaningful,
        and the cache is not read.
    cache : PointCache, optional
        Cache of points.
    measures : sequence of {"ms-ssim", "ssimulacra2", "butteraugli"}, optional
        Measures beside PSNR and SSIM.

    Returns
    -------
    list of Curve
        By image, then by codec.
    """
    known = [
        cache.find(codec, image, measures) if cache is not None and jobs > 1 else []
        for image in images
        for codec in codecs
    ]
    asked = tuple(measures)
    work = [Job(codec, image, jobs == 1, asked) for image in images for codec in codecs]
    open_work = [_without(job, points) for job, points in zip(work, known, strict=True)]
    measured = iter(_run([job for job in open_work if job.codec.qualities], jobs, cache))
    curves = []
    for job, points in zip(open_work, known, strict=True):
        new = next(measured) if job.codec.qualities else []
        by_rate = sorted([*points, *new], key=lambda point: point.bpp)
        curves.append(Curve(job.codec.name, job.image.name, tuple(by_rate)))
    return curves


def points(job: Job) -> list[Point]:
    """Make and measure the files of a job, one for each quality that the image can have.

    Raises
    ------
    ValueError
        If the image does not have 8 bits.
    """
    pixels = read_image(job.image).pixels
    if pixels.dtype != np.uint8:
        raise ValueError(f"{job.image.name} is not an image of 8 bits.")
    array = pixels.astype(np.uint8, copy=False)
    if array.shape[-1] == 1:
        array = array[..., 0]
    if job.warm:
        corner = np.ascontiguousarray(array[:_CORNER, :_CORNER])
        _point(replace(job, image=Path(), measures=()), corner, job.codec.qualities[0])
    found = (_point(job, array, quality) for quality in job.codec.qualities)
    return [point for point in found if point is not None]


def _point(job: Job, array: Pixels, quality: float) -> Point | None:
    try:
        encoding, data = once(lambda: job.codec.encode(array, quality))
    except PcaImageError:
        return None  # the image has fewer components, or cannot reach that quality
    decoding, decoded = once(lambda: job.codec.decode(data))
    return Point(
        codec=job.codec.name,
        image=job.image.name,
        quality=quality,
        n_bytes=len(data),
        bpp=bits_per_pixel(len(data), (*array.shape[:2], 1)),
        psnr=psnr(array, decoded),
        ssim=ssim(array, decoded),
        encode_seconds=encoding,
        decode_seconds=decoding,
        **{name.replace("-", "_"): MEASURES[name](array, decoded) for name in job.measures},
    )


def _without(job: Job, known: Sequence[Point]) -> Job:
    """Return the qualities of a job that are not yet known."""
    settled = {point.quality for point in known}
    left = tuple(quality for quality in job.codec.qualities if quality not in settled)
    return replace(job, codec=replace(job.codec, qualities=left))


def _run(work: Sequence[Job], jobs: int, cache: PointCache | None) -> list[list[Point]]:
    if not work:
        return []
    results = []
    with ProcessPoolExecutor(min(jobs, len(work)), multiprocessing.get_context("spawn")) as pool:
        with _one_thread_each():  # processes start with their first job
            done = pool.map(points, work)
        try:
            for job, found in zip(work, _told(done, work), strict=True):
                results.append(found)
                if cache is not None:
                    cache.keep(job.codec, job.image, found, job.measures)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return results


def _told(done: Iterable[list[Point]], work: Sequence[Job]) -> Iterator[list[Point]]:
    """Show progress on stderr: a bar on a terminal, otherwise a line for each job."""
    screen = Console(stderr=True)
    if screen.is_terminal:
        yield from track(done, "Measuring", len(work), console=screen, transient=True)
        return
    for number, (job, found) in enumerate(zip(work, done, strict=True), 1):
        print(f"{number}/{len(work)} {job.image.name}: {job.codec.name}", file=sys.stderr, flush=True)
        yield found


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Limit processes started within the block to one linear algebra thread, so that they do not compete."""
    before = {name: os.environ.get(name) for name in BLAS_VARIABLES}
    os.environ.update(dict.fromkeys(BLAS_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                with contextlib.suppress(KeyError):
                    del os.environ[name]
            else:
                os.environ[name] = value

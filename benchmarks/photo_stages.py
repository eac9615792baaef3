"""The photo method and other codecs, timed at equal rates and at several sizes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image as Pillow

from benchmarks.codecs import Codec, avif, jpeg, jpeg2000, webp
from benchmarks.methods import pca_photo
from benchmarks.photographs import Bytes
from benchmarks.stages import VIEW
from benchmarks.timing import PATIENCE
from pcaimage.api import open_bytes
from pcaimage.codec import Drawing, Region, Tune
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import unpack
from pcaimage.codec.photo.screen.preview import PhotoPreview
from pcaimage.imaging import Limits, bits_per_pixel, psnr

WIDE = Limits(max_pixels=1 << 40, max_bytes=1 << 40)
"""Limits that allow larger files than the default."""

_TOLERANCE = 0.02
_TRIES = 5
_TILES, _TILE = 4, 256
"""Sample for other codecs' settings: squares along each direction, and pixels along their sides."""


@dataclass(frozen=True)
class Cost:
    """The least cost of a job.

    Parameters
    ----------
    wall : float
        Elapsed seconds.
    cpu : float
        Processor seconds of all cores together.
    """

    wall: float = math.inf
    cpu: float = math.inf

    def or_less(self, other: Cost) -> Cost:
        """Return the element-wise minimum."""
        return Cost(min(self.wall, other.wall), min(self.cpu, other.cpu))


@dataclass(frozen=True)
class Coded:
    """A file of one codec, and its cost.

    Parameters
    ----------
    name : str
        The codec.
    quality : float
        In its own terms.
    bpp : float
        Bits per pixel of the file.
    psnr : float
        Of the decoded image.
    encode, decode : Cost
        From the array to bytes, and back.
    """

    name: str
    quality: float
    bpp: float
    psnr: float
    encode: Cost
    decode: Cost


def in_turns(works: Mapping[str, Callable[[], Any]], runs: int) -> dict[str, tuple[Cost, Any]]:
    """Time functions alternately, so that a slow period of the machine affects all of them.

    Slow ones take part in fewer than `runs` rounds. The result has each function's least cost, and its last
    return value.
    """
    found: dict[str, tuple[Cost, Any]] = {}
    spent = dict.fromkeys(works, 0.0)
    for _ in range(runs):
        for name, work in works.items():
            if spent[name] < PATIENCE:
                clock, cpu = time.perf_counter(), time.process_time()
                result = work()
                cost = Cost(time.perf_counter() - clock, time.process_time() - cpu)
                found[name] = cost.or_less(found[name][0] if name in found else cost), result
                spent[name] += cost.wall
    return found


def step_for(array: Bytes, rate: float, guess: float = 8.0, tune: Tune = Tune.PSNR) -> tuple[float, bytes]:
    """Return a step whose file has about `rate` bits per pixel, and that file; `guess` is the first try."""
    step, slope, last = guess, -1.0, (0.0, 0.0)
    nearest, best = math.inf, (step, b"")
    for number in range(_TRIES):
        data = pca_photo(tune).encode(array, step)
        place = math.log(step), math.log(_rate(data, array))
        missed = abs(place[1] - math.log(rate))
        if missed < nearest:  # sizes of small images jump, so that the last try need not be the best
            nearest, best = missed, (step, data)
        if missed < _TOLERANCE:
            break
        if number and place[0] != last[0]:
            slope = min((place[1] - last[1]) / (place[0] - last[0]), -0.2)
        last = place
        step = math.exp(place[0] + (math.log(rate) - place[1]) / slope)
    return best


def equals(array: Bytes, data: bytes, step: float) -> dict[str, tuple[Codec, float]]:
    """Return the photo method at a step, and JPEG 2000 at its file's rate, with their qualities by name."""
    return {"PCA photo": (pca_photo(), step), "JPEG 2000": (jpeg2000(), _rate(data, array))}


def rivals(array: Bytes, step: float) -> dict[str, tuple[Codec, float]]:
    """Return other codecs, each with the quality at which its file is about as large as the photo method's.

    It is determined on squares spread over the image, put together, so the rate of the whole may differ
    slightly.
    """
    part = _sampled(array)
    wanted = len(pca_photo().encode(part, step))
    codecs = {"JPEG": jpeg(), "WebP, 6": webp(6)}
    codecs |= {f"AVIF, speed {speed}": avif(speed=speed) for speed in (6, 4)}
    return {name: (codec, _quality(codec, part, wanted)) for name, codec in codecs.items()}


def _sampled(array: Bytes) -> Bytes:
    """Return squares spread over an image, put together; all of a small image."""
    if min(array.shape[:2]) < _TILES * _TILE:
        return array
    rows, columns = (
        np.add.outer(np.linspace(0, extent - _TILE, _TILES).astype(int), np.arange(_TILE)).ravel()
        for extent in array.shape[:2]
    )
    return np.ascontiguousarray(array[rows][:, columns])


def _quality(codec: Codec, part: Bytes, wanted: int) -> int:
    """Return the lowest quality, from 0 to 100, whose file has at least `wanted` bytes."""
    low, high = 0, 100
    while low < high:
        middle = (low + high) // 2
        if len(codec.encode(part, middle)) < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def time_codecs(array: Bytes, codecs: Mapping[str, tuple[Codec, float]], runs: int) -> list[Coded]:
    """Time codecs, given with their qualities by name, alternately and in at most `runs` rounds."""

    def encoder(codec: Codec, quality: float) -> Callable[[], bytes]:
        return lambda: codec.encode(array, quality)

    def decoder(codec: Codec, data: bytes) -> Callable[[], Bytes]:
        # The default limit on pixels is below 200 megapixels.
        return lambda: codec.decode(data) if codec.library else _decoded(data)

    files = in_turns({name: encoder(*pair) for name, pair in codecs.items()}, runs)
    with any_size():
        pixels = in_turns({name: decoder(codecs[name][0], data) for name, (_, data) in files.items()}, runs)
    return [
        Coded(name, quality, _rate(files[name][1], array), psnr(array, pixels[name][1]), files[name][0], cost)
        for (name, (_, quality)), (cost, _) in zip(codecs.items(), pixels.values(), strict=True)
    ]


def time_first_pictures(array: Bytes, data: bytes, step: float, runs: int) -> dict[str, Cost]:
    """Time the steps before the first picture, by name, in at most `runs` rounds."""
    height, width, channels = array.shape
    whole, scale = Region(0, 0, width, height), min(VIEW[0] / width, VIEW[1] / height, 1.0)

    def of_image() -> object:
        analysis = PhotoAnalysis.fit(array)
        return PhotoPreview.of(analysis).render(whole, scale, analysis.k_for_step(step), Drawing(step=step))

    def of_file() -> object:
        model = unpack(open_bytes(data, limits=WIDE).compressed, channels)
        return PhotoPreview.of(model).render(whole, scale, channels)

    works = {
        "an image: its analysis, and a picture of 1600 × 1000": of_image,
        f"a file: {channels} components decoded, and a picture of 1600 × 1000": of_file,
        f"a file: {channels} components decoded to all pixels": lambda: _decoded(data, channels),
    }
    return {name: cost for name, (cost, _) in in_turns(works, runs).items()}


@contextmanager
def any_size() -> Iterator[None]:
    """Let Pillow open images within the block that it would consider decompression bombs."""
    limit, Pillow.MAX_IMAGE_PIXELS = Pillow.MAX_IMAGE_PIXELS, None
    try:
        yield
    finally:
        Pillow.MAX_IMAGE_PIXELS = limit


def _decoded(data: bytes, k: int | None = None) -> Any:
    return open_bytes(data, limits=WIDE).decode(k)


def _rate(data: bytes, array: Bytes) -> float:
    return bits_per_pixel(len(data), array.shape)

"""The photo method beside other codecs, timed at equal rates and over sizes."""

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
from pcaimage.codec import Region
from pcaimage.codec.photo import PhotoAnalysis, PhotoPreview, unpack
from pcaimage.imaging import Limits, bits_per_pixel, psnr

WIDE = Limits(max_pixels=1 << 40, max_bytes=1 << 40)
"""Limits that allow larger files than the default."""

_TOLERANCE = 0.02
_TRIES = 5
_TILES, _TILE = 4, 256
"""Other codecs' settings are found on so many squares in each direction, and of so many pixels a side."""


@dataclass(frozen=True)
class Cost:
    """The least cost of a job.

    Parameters
    ----------
    wall : float
        Seconds on the clock.
    cpu : float
        Seconds of all cores together.
    """

    wall: float = math.inf
    cpu: float = math.inf

    def or_less(self, other: Cost) -> Cost:
        """Return the smaller of each."""
        return Cost(min(self.wall, other.wall), min(self.cpu, other.cpu))


@dataclass(frozen=True)
class Coded:
    """A file of one codec, and what it cost.

    Parameters
    ----------
    name : str
        The codec.
    quality : float
        In its own terms.
    bpp : float
        Bits per pixel of the file.
    psnr : float
        Of what it decodes to.
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
    """Time several functions in turns, so that a slow minute of the machine affects all of them.

    Parameters
    ----------
    works : mapping of str to callable
        Each without arguments.
    runs : int
        How many turns at most; what takes long is left out of later ones.

    Returns
    -------
    dict of str to (Cost, object)
        The least that each took, and what it returned last.
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


def step_for(array: Bytes, rate: float, guess: float = 8.0) -> tuple[float, bytes]:
    """Return a step whose file has a rate, or nearly so, and that file.

    Parameters
    ----------
    array : ndarray of uint8, shape (H, W, 3)
        The image.
    rate : float
        Bits per pixel.
    guess : float
        Where to begin.

    Returns
    -------
    (float, bytes)
        The step, and the file.
    """
    step, slope, last = guess, -1.0, (0.0, 0.0)
    for number in range(_TRIES):
        data = pca_photo().encode(array, step)
        place = math.log(step), math.log(_rate(data, array))
        if number == _TRIES - 1 or abs(place[1] - math.log(rate)) < _TOLERANCE:
            break
        if number and place[0] != last[0]:
            slope = min((place[1] - last[1]) / (place[0] - last[0]), -0.2)
        last = place
        step = math.exp(place[0] + (math.log(rate) - place[1]) / slope)
    return step, data


def equals(array: Bytes, data: bytes, step: float) -> dict[str, tuple[Codec, float]]:
    """Return the photo method, and JPEG 2000 at the same rate.

    Parameters
    ----------
    array : ndarray of uint8, shape (H, W, 3)
        The image.
    data : bytes
        The photo method's file.
    step : float
        The file's.

    Returns
    -------
    dict of str to (Codec, float)
        Codecs with their qualities, by name.
    """
    return {"PCA photo": (pca_photo(), step), "JPEG 2000": (jpeg2000(), _rate(data, array))}


def rivals(array: Bytes, step: float) -> dict[str, tuple[Codec, float]]:
    """Return other codecs, each with the quality at which its file is about as large as the photo method's.

    It is found on squares spread over the image, put together: the rate of the whole may differ a little.

    Parameters
    ----------
    array : ndarray of uint8, shape (H, W, 3)
        The image.
    step : float
        The photo method's.

    Returns
    -------
    dict of str to (Codec, float)
        Codecs with their qualities, by name.
    """
    part = _sampled(array)
    wanted = len(pca_photo().encode(part, step))
    codecs = {"JPEG": jpeg(), "WebP, 6": webp(6)}
    codecs |= {f"AVIF, speed {speed}": avif(speed=speed) for speed in (6, 4)}
    return {name: (codec, _quality(codec, part, wanted)) for name, codec in codecs.items()}


def _sampled(array: Bytes) -> Bytes:
    """Return squares spread over an image, put together; all of a small one."""
    if min(array.shape[:2]) < _TILES * _TILE:
        return array
    rows, columns = (
        np.add.outer(np.linspace(0, extent - _TILE, _TILES).astype(int), np.arange(_TILE)).ravel()
        for extent in array.shape[:2]
    )
    return np.ascontiguousarray(array[rows][:, columns])


def _quality(codec: Codec, part: Bytes, wanted: int) -> int:
    """Return the lowest quality, from 0 to 100, whose file is not smaller than wanted."""
    low, high = 0, 100
    while low < high:
        middle = (low + high) // 2
        if len(codec.encode(part, middle)) < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def time_codecs(array: Bytes, codecs: Mapping[str, tuple[Codec, float]], runs: int) -> list[Coded]:
    """Time codecs in turns.

    Parameters
    ----------
    array : ndarray of uint8, shape (H, W, 3)
        The image.
    codecs : mapping of str to (Codec, float)
        Codecs with their qualities, by name.
    runs : int
        How many turns at most.

    Returns
    -------
    list of Coded
        In the same order.
    """

    def encoder(codec: Codec, quality: float) -> Callable[[], bytes]:
        return lambda: codec.encode(array, quality)

    def decoder(codec: Codec, data: bytes) -> Callable[[], Bytes]:
        # The photo method's own limit is below 200 megapixels.
        return lambda: codec.decode(data) if codec.library else _decoded(data)

    files = in_turns({name: encoder(*pair) for name, pair in codecs.items()}, runs)
    with any_size():
        pixels = in_turns({name: decoder(codecs[name][0], data) for name, (_, data) in files.items()}, runs)
    return [
        Coded(name, quality, _rate(files[name][1], array), psnr(array, pixels[name][1]), files[name][0], cost)
        for (name, (_, quality)), (cost, _) in zip(codecs.items(), pixels.values(), strict=True)
    ]


def time_first_pictures(array: Bytes, data: bytes, step: float, runs: int) -> dict[str, Cost]:
    """Time the steps before the first picture.

    Parameters
    ----------
    array : ndarray of uint8, shape (H, W, 3)
        The image.
    data : bytes
        Its file.
    step : float
        The file's.
    runs : int
        How many turns at most.

    Returns
    -------
    dict of str to Cost
        By what is done.
    """
    height, width, channels = array.shape
    whole, scale = Region(0, 0, width, height), min(VIEW[0] / width, VIEW[1] / height, 1.0)

    def of_image() -> object:
        analysis = PhotoAnalysis.fit(array)
        return PhotoPreview.of(analysis).render(whole, scale, analysis.k_for_step(step), step=step)

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
    """Let Pillow open images that it would take for a decompression bomb.

    Yields
    ------
    None
        Until the end of the block.
    """
    limit, Pillow.MAX_IMAGE_PIXELS = Pillow.MAX_IMAGE_PIXELS, None
    try:
        yield
    finally:
        Pillow.MAX_IMAGE_PIXELS = limit


def _decoded(data: bytes, k: int | None = None) -> Any:
    return open_bytes(data, limits=WIDE).decode(k)


def _rate(data: bytes, array: Bytes) -> float:
    return bits_per_pixel(len(data), array.shape)

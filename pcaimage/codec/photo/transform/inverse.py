"""The synthesis transform: from coefficients to pixels, with the same bits on every machine.

The core's ``inverse.c`` documents the steps and proves that all sums are exact. Intermediate rounding costs
less than 0.001 grey levels of an 8-bit image. Rounding the maps' entries, by at most 2^-17 each, costs 0.001
on average, and in photographs nowhere more than about 0.01.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.memory import Memories, Memory
from pcaimage.codec.photo.scores.shrinkage import Shrinkage
from pcaimage.codec.photo.transform.axes import INNER, SYNTHESIS_BITS
from pcaimage.codec.photo.transform.channels import ROTATION_BITS
from pcaimage.core.library import LONG, STRUCT, Array, function, function_of, held
from pcaimage.machine.parallel import cores, side_by_side
from pcaimage.progress import Progress, counted
from pcaimage.sampling.lapped import BLOCK

AnyArray = NDArray[Any]
Floats = NDArray[np.float64]
Coefficients = Callable[[int, int, Memory], NDArray[np.int32]]
"""Returns the coefficients of the rows of blocks from start to stop, shape (C*64, stop - start, columns).

They may be put in the memory, whose earlier ones nobody needs any more.
"""

MAX_SUM = 1 << 19
"""Exclusive bound on the sum of magnitudes in each row of a map; orthonormal maps stay within 2^18."""
FRACTION_BITS = {np.dtype(np.uint8): 17, np.dtype(np.uint16): 9}

_FETCHED = 16
"""Number of groups of lines whose coefficients a thread holds at once."""
_LARGE = 1 << 17
"""Number of values from which several threads are faster than one."""


_PARAMETERS = (STRUCT, Array(np.int32), LONG, LONG, LONG, LONG)
_PLANES = function("pcai_synthesise_planes", None, *_PARAMETERS, Array(np.float64, writable=True))
_PIXELS = np.uint8, np.uint16
_FINISH = function_of(
    "pcai_finish_planes",
    lambda kind: (STRUCT, Array(np.float64), LONG, LONG, Array(kind, writable=True)),
    _PIXELS,
)
_SYNTHESISE = function_of("pcai_synthesise", lambda kind: (*_PARAMETERS, Array(kind, writable=True)), _PIXELS)


class Synthesis(NamedTuple):
    """The synthesis maps of an image; mirrors the struct of the same name in the core.

    The maps are those of :func:`.axes.synthesis`, in units of 1. The butterfly form of
    the maps of inner groups, where they have mirror symmetry, is the weights of the two components' sum in
    the half sum of a pair of mirrored samples, and of their difference in the half difference.
    """

    vertical: Floats  # shape (3, 8, 16)
    horizontal: Floats
    vertical_halves: Floats  # shape (8, 8)
    horizontal_halves: Floats
    vertical_mirrored: bool  # whether the butterfly form may be used
    horizontal_mirrored: bool
    rotation: Floats  # rows are the channels' principal components, in units of 2^F
    mean: Floats  # in grey levels
    scale: float  # m 2^(e + F)
    half_place: float  # half of 2^(e + F) if that is below 1, else 0
    height: int
    width: int
    channels: int


def reconstruct(
    image: AnyArray,
    coefficients: Coefficients,
    unit: tuple[int, int],
    maps: tuple[Floats, Floats],
    channels: tuple[NDArray[np.int64], NDArray[np.int64]],
    progress: Progress,
    shrinkage: Shrinkage | None = None,
    memories: Memories | None = None,
) -> None:
    """Reconstruct all pixels of an image (H, W, C), which are written into it.

    `coefficients` is called from several threads, more than once for some rows; their unit is m 2^e. `maps`
    are the vertical and the horizontal one of :func:`.axes.synthesis`, `channels` their mean and rotation.
    """
    synthesis = held(_synthesis(image, unit, maps, channels))
    rows = -(-image.shape[0] // BLOCK)
    known, tick = memories or Memories(), counted(progress, rows)

    def find(first: int, last: int, memory: Memory) -> None:
        above = max(first - 1, 0)
        part = _coefficients(coefficients, image.shape, above, min(last, rows), memory)
        _SYNTHESISE[image.dtype](synthesis, part, part.shape[1], above, first, last, image)

    def shrunk(first: int, last: int, memory: Memory, shrinkage: Shrinkage) -> None:
        """Find the pixels of some groups from channels that reach a group farther, which is enough."""
        height, bits = image.shape[0], FRACTION_BITS[image.dtype]
        start, stop = max(BLOCK * first - BLOCK // 2, 0), min(BLOCK * last - BLOCK // 2, height)
        if start >= stop:
            return
        groups = max(first - 1, 0), min(last + 1, rows + 1)
        lines = channel_planes(image.shape, image.dtype, coefficients, unit, maps, channels, groups, memory)
        shift = max(BLOCK * groups[0] - BLOCK // 2, 0)
        done = shrinkage.apply(lines, start - shift, stop - shift, bits, shift, memory)
        _FINISH[image.dtype](synthesis, done, done[0].size, done[0].size, image[start:stop])

    workers = cores() if image.size > _LARGE else 1
    count = workers * -(-(rows + 1) // (workers * _FETCHED))

    def fetched(number: int) -> None:
        first, last = ((rows + 1) * end // count for end in (number, number + 1))
        with known.taken() as memory:
            if shrinkage is None:
                find(first, last, memory)
            else:
                shrunk(first, last, memory, shrinkage)
        tick(min(last, rows) - min(first, rows))

    if workers > 1:
        side_by_side(fetched, count)
    else:
        for number in range(count):
            fetched(number)


def channel_planes(
    image: tuple[int, ...],
    dtype: np.dtype[Any],
    coefficients: Coefficients,
    unit: tuple[int, int],
    maps: tuple[Floats, Floats],
    channels: tuple[NDArray[np.int64], NDArray[np.int64]],
    groups: tuple[int, int],
    memory: Memory | None = None,
) -> Floats:
    """Find the decoded channels of some groups of lines, before they are turned into pixels: (C, lines, W).

    `groups` are the first, and the one behind the last; group g begins with line 8 g - 4. The lines are those
    that are in the image, in whole numbers of 2^-F grey levels, F as of :data:`FRACTION_BITS`.
    """
    memory = memory or Memory()
    height, width, count = image
    synthesis = _synthesis(np.empty((0, width, count), dtype), unit, maps, channels)
    first, last = groups
    above, below = max(first - 1, 0), min(last, -(-height // BLOCK))
    part = _coefficients(coefficients, image, above, below, memory)
    start, stop = max(BLOCK * first - BLOCK // 2, 0), min(BLOCK * last - BLOCK // 2, height)
    planes: Floats = memory.array("channels", (count, max(stop - start, 0), width), np.float64)
    _PLANES(held(synthesis._replace(height=height)), part, part.shape[1], above, first, last, planes)
    return planes


def _coefficients(
    coefficients: Coefficients, image: tuple[int, ...], start: int, stop: int, memory: Memory
) -> NDArray[np.int32]:
    """Return the coefficients of some rows of blocks; ValueError if they are not of the image's shape."""
    found = np.ascontiguousarray(coefficients(start, stop, memory), np.int32)
    expected = image[2] * BLOCK**2, stop - start, -(-image[1] // BLOCK)
    if found.shape != expected:
        raise ValueError(f"Coefficients are of shape {expected}, not {found.shape}.")
    return found


def _synthesis(
    image: AnyArray,
    unit: tuple[int, int],
    maps: tuple[Floats, Floats],
    channels: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> Synthesis:
    vertical, horizontal = (np.ascontiguousarray(part) * 2.0**-SYNTHESIS_BITS for part in maps)
    (down, down_mirrored), (along, along_mirrored) = _halves(vertical[INNER]), _halves(horizontal[INNER])
    mean, rotation = channels
    bits = FRACTION_BITS[image.dtype]
    place = math.ldexp(1.0, unit[1] + bits)
    return Synthesis(
        vertical=vertical,
        horizontal=horizontal,
        vertical_halves=down,
        horizontal_halves=along,
        vertical_mirrored=down_mirrored,
        horizontal_mirrored=along_mirrored,
        rotation=np.ascontiguousarray(rotation, np.float64) * 2.0 ** (-bits - ROTATION_BITS),
        mean=mean.astype(np.float64),
        scale=unit[0] * place,
        half_place=place / 2 if place < 1 else 0.0,
        height=image.shape[0],
        width=image.shape[1],
        channels=image.shape[2],
    )


def _halves(inner: Floats) -> tuple[Floats, bool]:
    """Return the butterfly form of an inner group's map, and whether the map has mirror symmetry."""
    signs = np.where(np.arange(BLOCK) % 2, -1.0, 1.0)
    before, behind = inner[:, :BLOCK], inner[:, BLOCK:] * signs
    halves = np.concatenate([(before + behind)[: BLOCK // 2], (before - behind)[: BLOCK // 2]]) / 2
    return np.ascontiguousarray(halves.T), bool(np.array_equal(before[::-1], behind))

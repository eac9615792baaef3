"""Sampling of square blocks of pixels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import SettingsError
from pcaimage.machine.parallel import in_parallel
from pcaimage.sampling.base import Sampling, Shape

MIN_BLOCK = 2
MAX_BLOCK = 64

COLOUR_RUN = 24
"""Bytes in a row of an 8×8 block of 8-bit colour, the most common run, which is copied as three words."""

GROUP = 4  # number of rows of blocks that are copied at once
LARGE = 1 << 22  # size in bytes from which several threads are faster than one


class Squares(Sampling):
    """Samplings of squares of pixels, of a size, up to the last ones that the edges cut."""

    size: int

    def grid(self, shape: Shape) -> tuple[int, int]:  # noqa: D102 - inherited
        self._with_channels(shape)
        return -(-shape[0] // self.size), -(-shape[1] // self.size)

    def feature_grid(self, shape: Shape) -> tuple[int, int, int]:  # noqa: D102 - inherited
        return self.size, self.size, self._with_channels(shape)[2]

    def lines(self, shape: Shape, start: int, stop: int) -> slice:  # noqa: D102 - inherited
        return slice(start * self.size, min(stop * self.size, shape[0]))


@dataclass(frozen=True)
class Blocks(Squares):
    """Square blocks of pixels; features in the order row, column, channel.

    The right and lower edges are padded by replication to whole blocks, and cropped on the way back.

    Parameters
    ----------
    size : int
        Pixels along a block's side, from 2 to 64.

    Raises
    ------
    SettingsError
        If the size is out of range.
    """

    size: int = 8

    def __post_init__(self) -> None:
        if not MIN_BLOCK <= self.size <= MAX_BLOCK:
            raise SettingsError(
                f"Blocks are from {MIN_BLOCK} to {MAX_BLOCK} pixels wide; {self.size} is out of that range."
            )

    def _split(self, array: NDArray[Any]) -> NDArray[Any]:
        size, run = self.size, self.size * array.shape[2]
        rows, columns = self.grid(array.shape)
        samples = np.empty((rows, columns, size, run), array.dtype)
        for place, area in self._areas(array.shape):
            pixels = array[area]
            missing = [-length % size for length in pixels.shape[:2]]
            if any(missing):
                pixels = np.pad(pixels, ((0, missing[0]), (0, missing[1]), (0, 0)), mode="edge")
            target = samples[place]
            _transpose(pixels.reshape(target.shape[0], size, target.shape[1], run), target)
        return samples.reshape(rows * columns, -1)

    def _join(self, samples: NDArray[Any], shape: Shape) -> NDArray[Any]:
        size, run = self.size, self.size * shape[2]
        blocks = samples.reshape(*self.grid(shape), size, run)
        array = np.empty(shape, samples.dtype)
        for place, area in self._areas(shape):
            source, pixels = blocks[place], array[area]
            rows, columns = source.shape[:2]
            whole = pixels.shape[:2] == (rows * size, columns * size)
            target = pixels if whole else np.empty((rows * size, columns * size, shape[2]), array.dtype)
            _transpose(source, target.reshape(rows, size, columns, run))
            if not whole:
                pixels[...] = target[: pixels.shape[0], : pixels.shape[1]]
        return array

    def _areas(self, shape: Shape) -> Iterator[tuple[tuple[slice, slice], tuple[slice, slice]]]:
        """Yield slices of the grid and the image, first for whole blocks, then for those cut by an edge.

        Only the latter need padding.
        """
        height, width = shape[0] // self.size, shape[1] // self.size
        down, right = height * self.size, width * self.size
        for rows, lines in ((slice(height), slice(down)), (slice(height, None), slice(down, None))):
            for columns, dots in ((slice(width), slice(right)), (slice(width, None), slice(right, None))):
                if range(shape[0])[lines] and range(shape[1])[dots]:
                    yield (rows, columns), (lines, dots)


def _transpose(source: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy an (n, a, b, run) array into an (n, b, a, run) one, at the cost of copying it.

    Transposing number by number costs several times as much. Runs are moved as opaque items of their size,
    a few of the n at a time so that they stay in the processor's cache, and on all cores where it pays.
    """
    run = source.shape[3] * source.itemsize
    words = np.dtype(np.uint64)
    aligned = run == COLOUR_RUN and source.view(words).flags.aligned and target.view(words).flags.aligned
    kind = words if aligned else np.dtype((np.void, run))
    items, places = source.view(kind), target.view(kind)

    def move(first: int, last: int) -> None:
        for start in range(first, last, GROUP):
            part = slice(start, min(start + GROUP, last))
            for word in range(items.shape[3]):
                places[part, :, :, word] = items[part, :, :, word].transpose(0, 2, 1)

    in_parallel(move, len(source), worth=source.nbytes >= LARGE)


BLOCK = 8  # pixels along a block's side; as many are lapped across each border, half of them on either side

HALF = BLOCK // 2

TURN_BITS = 30

# V = J C2ᵀ C4 J of the orthonormal DCT-II and DCT-IV of size 4, in units of 2^-30. A table, for the last bit
# of a cosine may differ between machines.
TURN = (
    (866776872, 600616264, 154224415, 130745146),
    (-613916201, 750763410, 452493912, 87361113),
    (130745146, -477068992, 923460842, 235483465),
    (-87361113, -30677143, -267592354, 1035732970),
)

LAPPING_BITS = TURN_BITS + 1


def lapping() -> NDArray[np.int64]:
    """Return the orthonormal transform of the eight pixels across each border between blocks, in 2^-31.

    P = ½ W diag(I, V) W with W = [[I, J], [J, -I]]: the lapped orthogonal transform (H. S. Malvar and D. H.
    Staelin 1989, doi:10.1109/29.17536) in its time-domain form (T. D. Tran, J. Liang and C. Tu 2003,
    doi:10.1109/TSP.2003.811222). Each row yields one lapped pixel from the eight.
    """
    same = np.eye(HALF, dtype=np.int64)
    swap = same[::-1]
    butterflies = np.block([[same, swap], [swap, -same]])
    middle = np.zeros((BLOCK, BLOCK), np.int64)
    middle[:HALF, :HALF] = same << TURN_BITS
    middle[HALF:, HALF:] = TURN
    product: NDArray[np.int64] = butterflies @ middle @ butterflies
    return product


@dataclass(frozen=True)
class Lapped(Squares):
    """Blocks of 8×8 pixels that overlap, yet yield no more numbers than there are pixels.

    Along both axes, the four pixels on either side of each border between two blocks are replaced by an
    orthonormal combination of all eight, see :func:`lapping`; then the image is cut into blocks, with
    features in the order row, column, channel. A quantisation error in a block fades out into its neighbours,
    which avoids blocking artefacts.

    Unlike those of other samplings, samples are float64 whatever the dtype of the pixels, and lapping is
    inverted only up to rounding. The right and lower edges are padded by replication to whole blocks, and
    cropped on the way back; the image's own borders are not lapped. SettingsError for another size.
    """

    size: int = BLOCK

    def __post_init__(self) -> None:
        if self.size != BLOCK:
            raise SettingsError(f"Lapped blocks are {BLOCK} pixels wide; {self.size} is not possible.")

    def _split(self, array: NDArray[Any]) -> NDArray[Any]:
        missing = [-length % self.size for length in array.shape[:2]]
        pixels = np.pad(array, ((0, missing[0]), (0, missing[1]), (0, 0)), mode="edge").astype(np.float64)
        return Blocks(self.size).to_samples(_across_borders(pixels, lapping().T * 2.0**-LAPPING_BITS))

    def _join(self, samples: NDArray[Any], shape: Shape) -> NDArray[Any]:
        rows, columns = self.grid(shape)
        whole = (rows * self.size, columns * self.size, shape[2])
        lapped = Blocks(self.size).from_samples(samples.astype(np.float64), whole)
        pixels = _across_borders(lapped, lapping() * 2.0**-LAPPING_BITS)
        return np.ascontiguousarray(pixels[: shape[0], : shape[1]])


def _across_borders(pixels: NDArray[np.float64], weights: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Multiply the pixels across each border, as a row vector, by an (8, 8) matrix.

    The array, of shape (height, width, channels) in whole blocks, is overwritten.
    """
    for axis in (0, 1):
        moved = np.moveaxis(pixels, axis, -1)
        inner = moved[..., HALF:-HALF]
        groups = inner.reshape(*inner.shape[:-1], -1, BLOCK)
        moved[..., HALF:-HALF] = (groups @ weights).reshape(inner.shape)
    return pixels

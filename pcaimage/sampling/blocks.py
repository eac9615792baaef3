"""Each block of pixels is a sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import SettingsError
from pcaimage.sampling.base import Sampling, Shape

MIN_BLOCK = 2
MAX_BLOCK = 64

COLOUR_RUN = 24
"""Bytes in a row of an 8×8 block of 8-bit colour: the most common run, and faster in three words."""


@dataclass(frozen=True)
class Blocks(Sampling):
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

    def grid(self, shape: Shape) -> tuple[int, int]:  # noqa: D102 - inherited
        self._with_channels(shape)
        return -(-shape[0] // self.size), -(-shape[1] // self.size)

    def feature_grid(self, shape: Shape) -> tuple[int, int, int]:  # noqa: D102 - inherited
        return self.size, self.size, self._with_channels(shape)[2]

    def lines(self, shape: Shape, start: int, stop: int) -> slice:  # noqa: D102 - inherited
        return slice(start * self.size, min(stop * self.size, shape[0]))

    def _split(self, array: NDArray[Any]) -> NDArray[Any]:
        rows, columns = self.grid(array.shape)
        samples = np.empty((rows, columns, self.size, self.size * array.shape[2]), array.dtype)
        for index, strip in enumerate(self._padded_strips(array)):
            _transpose(strip, samples[index])
        return samples.reshape(rows * columns, -1)

    def _join(self, samples: NDArray[Any], shape: Shape) -> NDArray[Any]:
        (height, width, channels), size = shape, self.size
        rows, columns = self.grid(shape)
        blocks = samples.reshape(rows, columns, size, size * channels)
        array = np.empty((height, width, channels), samples.dtype)
        whole = array if width == columns * size else np.empty((size, columns * size, channels), array.dtype)
        for index in range(rows):
            top, lines = index * size, min(size, height - index * size)
            strip = array[top : top + lines] if whole is array else whole[:lines]
            target = strip.reshape(lines, columns, size * channels)
            _transpose(blocks[index][:, :lines], target)
            if whole is not array:
                array[top : top + lines] = strip[:, :width]
        return array

    def _padded_strips(self, array: NDArray[Any]) -> Iterator[NDArray[Any]]:
        """Yield each row of blocks as (size, columns, size * C), replicated at the edges.

        One strip at a time stays in the processor's cache, and only a strip is ever padded.
        """
        size, (height, width, channels) = self.size, array.shape
        rows, columns = self.grid(array.shape)
        for top in range(0, rows * size, size):
            strip = array[top : top + size]
            below, right = size - min(size, height - top), columns * size - width
            if below or right:
                strip = np.pad(strip, ((0, below), (0, right), (0, 0)), mode="edge")
            yield strip.reshape(size, columns, size * channels)


def _transpose(source: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy an (a, b, run) array into a (b, a, run) one, at little more than the cost of copying it.

    Transposing number by number costs several times as much. Runs are moved as opaque items of their size.
    """
    run = source.shape[2] * source.itemsize
    if run == COLOUR_RUN:
        from_words, to_words = source.view(np.uint64), target.view(np.uint64)
        for word in range(run // 8):
            to_words[:, :, word] = from_words[:, :, word].T
        return
    item = np.dtype((np.void, run))
    target.view(item)[..., 0] = source.view(item)[..., 0].T

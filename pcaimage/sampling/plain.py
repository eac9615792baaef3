"""Samplings whose samples are rows of a reshaped array: single pixels, and the images of a stack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from pcaimage.sampling.base import Sampling, Shape


@dataclass(frozen=True)
class Bands(Sampling):
    """Each pixel is a sample of its bands."""

    def grid(self, shape: Shape) -> tuple[int, int]:  # noqa: D102 - inherited
        self._with_channels(shape)
        return shape[0], shape[1]

    def feature_grid(self, shape: Shape) -> tuple[int, int, int]:  # noqa: D102 - inherited
        return 1, 1, self._with_channels(shape)[2]

    def _split(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.reshape(-1, array.shape[2])

    def _join(self, samples: NDArray[Any], shape: Shape) -> NDArray[Any]:
        return samples.reshape(shape)


@dataclass(frozen=True)
class Channels(Bands):
    """Another name for :class:`Bands`, where there are one to four: PCA is an adapted colour transform."""


@dataclass(frozen=True)
class Stack(Sampling):
    """Images of equal size, such as digits or faces; features in the order row, column, channel."""

    ndims = (3, 4)

    def grid(self, shape: Shape) -> tuple[int, int]:  # noqa: D102 - inherited
        self._with_channels(shape)
        return shape[0], 1

    def feature_grid(self, shape: Shape) -> tuple[int, int, int]:  # noqa: D102 - inherited
        _, height, width, channels = self._with_channels(shape)
        return height, width, channels

    def _split(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.reshape(array.shape[0], -1)

    def _join(self, samples: NDArray[Any], shape: Shape) -> NDArray[Any]:
        return samples.reshape(shape)

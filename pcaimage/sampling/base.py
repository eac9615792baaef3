"""Abstract base class of all samplings, and those whose samples are rows of a reshaped array."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError

Shape = tuple[int, ...]


class Sampling(ABC):
    """A mapping between an image and a matrix of samples, with its exact inverse."""

    ndims: tuple[int, ...] = (2, 3)  # allowed numbers of axes; the last axis, the channels, may be left out

    @abstractmethod
    def grid(self, shape: Shape) -> tuple[int, int]:
        """Return rows and columns of the samples in an image; samples are in row-major order."""

    @abstractmethod
    def feature_grid(self, shape: Shape) -> tuple[int, int, int]:
        """Return height, width and channels of a sample as a picture; features are in row-major order."""

    def lines(self, shape: Shape, start: int, stop: int) -> slice:
        """Return the slice of an array's first axis that rows of the grid, up to `stop`, cover."""
        return slice(start, min(stop, shape[0]))

    @abstractmethod
    def _split(self, array: NDArray[Any]) -> NDArray[Any]:
        """Cut a checked (..., C) array into a sample matrix."""

    @abstractmethod
    def _join(self, samples: NDArray[Any], shape: Shape) -> NDArray[Any]:
        """Put a checked sample matrix together into a (..., C) array."""

    def n_samples(self, shape: Shape) -> int:
        """Return the number of samples of an array of a shape."""
        rows, columns = self.grid(shape)
        return rows * columns

    def n_features(self, shape: Shape) -> int:
        """Return the number of features of each sample of an array of a shape."""
        height, width, channels = self.feature_grid(shape)
        return height * width * channels

    def to_samples(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the samples of an array, (n_samples, n_features), which may share its memory.

        DataError if the array has another number of axes, or an axis of length 0.
        """
        full = self._with_channels(array.shape)
        return self._split(np.ascontiguousarray(array).reshape(full))

    def from_samples(self, samples: NDArray[Any], shape: Shape) -> NDArray[Any]:
        """Return the array of given samples: the exact inverse of :meth:`to_samples`.

        DataError if the samples do not fit the shape.
        """
        full = self._with_channels(shape)
        expected = (self.n_samples(shape), self.n_features(shape))
        if samples.shape != expected:
            raise DataError(
                f"{samples.shape} samples do not make an image of shape {shape}; that takes {expected}."
            )
        return self._join(np.ascontiguousarray(samples), full).reshape(shape)

    def _with_channels(self, shape: Shape) -> Shape:
        """Check the shape, and return it with an axis of channels."""
        if len(shape) not in self.ndims or min(shape) < 1:
            raise DataError(
                f"{type(self).__name__} takes arrays of {' or '.join(map(str, self.ndims))} axes,"
                f" none of them empty; this one has the shape {shape}."
            )
        return shape if len(shape) == max(self.ndims) else (*shape, 1)


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

"""Abstract base class of all samplings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError

Shape = tuple[int, ...]


class Sampling(ABC):
    """A mapping between an image and a matrix of samples, with its exact inverse."""

    ndims: tuple[int, ...] = (2, 3)
    """Allowed numbers of axes; the last axis, the channels, may be left out."""

    @abstractmethod
    def grid(self, shape: Shape) -> tuple[int, int]:
        """Return the grid in which the samples lie in the image.

        Parameters
        ----------
        shape : tuple of int
            The array's shape.

        Returns
        -------
        (int, int)
            Rows and columns of samples; their product is the number of samples, in row-major order.
        """

    @abstractmethod
    def feature_grid(self, shape: Shape) -> tuple[int, int, int]:
        """Return the shape of one sample as a picture.

        Parameters
        ----------
        shape : tuple of int
            The array's shape.

        Returns
        -------
        (int, int, int)
            Height, width and channels; their product is the number of features, in row-major order.
        """

    def lines(self, shape: Shape, start: int, stop: int) -> slice:
        """Return the part of an array that some rows of the grid cover.

        Parameters
        ----------
        shape : tuple of int
            The array's shape.
        start, stop : int
            Rows of the grid; stop is excluded.

        Returns
        -------
        slice
            Slice of the array's first axis.
        """
        return slice(start, min(stop, shape[0]))

    @abstractmethod
    def _split(self, array: NDArray[Any]) -> NDArray[Any]:
        """Cut a checked (..., C) array into a sample matrix."""

    @abstractmethod
    def _join(self, samples: NDArray[Any], shape: Shape) -> NDArray[Any]:
        """Put a checked sample matrix together into a (..., C) array."""

    def n_samples(self, shape: Shape) -> int:
        """Return the number of samples of an array.

        Parameters
        ----------
        shape : tuple of int
            The array's shape.

        Returns
        -------
        int
            The number of rows of the sample matrix.
        """
        rows, columns = self.grid(shape)
        return rows * columns

    def n_features(self, shape: Shape) -> int:
        """Return the number of features of each sample.

        Parameters
        ----------
        shape : tuple of int
            The array's shape.

        Returns
        -------
        int
            The number of columns of the sample matrix.
        """
        height, width, channels = self.feature_grid(shape)
        return height * width * channels

    def to_samples(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return an array's samples.

        Parameters
        ----------
        array : ndarray
            (H, W) or (H, W, C), for a stack (N, H, W) or (N, H, W, C), of any dtype.

        Returns
        -------
        ndarray, shape (n_samples, n_features)
            The same numbers in the same dtype. It may share memory with the array.

        Raises
        ------
        DataError
            If the array has another number of axes, or an axis of length 0.
        """
        full = self._with_channels(array.shape)
        return self._split(np.ascontiguousarray(array).reshape(full))

    def from_samples(self, samples: NDArray[Any], shape: Shape) -> NDArray[Any]:
        """Return the array of given samples: the exact inverse of :meth:`to_samples`.

        Parameters
        ----------
        samples : ndarray, shape (n_samples, n_features)
            The samples, of any dtype.
        shape : tuple of int
            The array's shape.

        Returns
        -------
        ndarray
            Of the given shape and the samples' dtype. It may share memory with the samples.

        Raises
        ------
        DataError
            If the samples do not fit the shape.
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

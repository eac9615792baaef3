"""Quantised images: what all methods' models have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import Any, Self

from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import mean_squared_error


class Model(ABC):
    """A quantised image: the integers that a file holds, and the pixels that they stand for."""

    header: Header
    """The image's shape and step."""

    @property
    @abstractmethod
    def k(self) -> int:
        """How many components it has."""

    @abstractmethod
    def trimmed(self, k: int) -> Self:
        """Return the model of the first k components.

        Parameters
        ----------
        k : int
            From 0 to :attr:`k`.

        Returns
        -------
        Model
            It shares memory with this one.
        """

    @abstractmethod
    def same_as(self, other: object) -> bool:
        """Return whether another model decodes to the same pixels for every k.

        Parameters
        ----------
        other : object
            A model of any method.

        Returns
        -------
        bool
            Whether all integers are the same.
        """

    @abstractmethod
    def reconstruct(self, progress: Progress = no_progress) -> NDArray[Any]:
        """Reconstruct the image; every machine gets the same pixels.

        Parameters
        ----------
        progress : Progress, optional
            Told of the work done.

        Returns
        -------
        ndarray
            Of the header's output shape and type.

        Raises
        ------
        SettingsError
            If the integers are too large to be summed exactly.
        """

    @abstractmethod
    def strips(self, progress: Progress = no_progress) -> Generator[NDArray[Any]]:
        """Reconstruct the image from the top, some lines of it (or images of a stack) at a time.

        Parameters
        ----------
        progress : Progress, optional
            Told of the work done.

        Yields
        ------
        ndarray
            Of the image's type; in all, of the header's shape.

        Raises
        ------
        SettingsError
            If the integers are too large to be summed exactly.
        """

    def mean_squared_error(self, array: NDArray[Any], progress: Progress = no_progress) -> float:
        """Compare the reconstruction with an image.

        Parameters
        ----------
        array : ndarray
            The image.
        progress : Progress, optional
            Told of the work done.

        Returns
        -------
        float
            In squared units of a pixel's value.
        """
        return mean_squared_error(array, self.reconstruct(progress).reshape(array.shape))

"""What all quantised images can do once they can be reconstructed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import NDArray

from pcaimage.progress import Progress, no_progress
from pcaimage.quality import mean_squared_error


class Decodable(ABC):
    """A quantised image, which decodes to the same pixels everywhere."""

    @abstractmethod
    def reconstruct(self, progress: Progress = no_progress) -> NDArray[Any]:
        """Reconstruct the image.

        Parameters
        ----------
        progress : Progress, optional
            Told of the work done.

        Returns
        -------
        ndarray
            The pixels.
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

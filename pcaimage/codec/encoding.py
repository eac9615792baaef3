"""A compressed image together with what it must decode to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from pcaimage.codec.compressed import Compressed
from pcaimage.codec.model import Model
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import mean_squared_error


@dataclass(frozen=True, eq=False)
class Encoding:
    """A compressed image, and the integers that it must decode to.

    Parameters
    ----------
    compressed : Compressed
        What a file holds.
    model : Model
        The integers that were coded.
    corrected : ndarray, optional
        What components and residual decode to, where the file has a residual: the image itself, or one whose
        values are within the error that was allowed.
    """

    compressed: Compressed
    model: Model
    corrected: NDArray[Any] | None = None

    def decoded(self, progress: Progress = no_progress) -> NDArray[Any]:
        """Return what the file must decode to.

        Parameters
        ----------
        progress : Progress, optional
            Told of the work done.

        Returns
        -------
        ndarray of uint8, uint16, int16 or float32
            Of the shape that was compressed.
        """
        return self.model.reconstruct(progress) if self.corrected is None else self.corrected

    def mean_squared_error(self, array: NDArray[Any], progress: Progress = no_progress) -> float:
        """Return how far what the file must decode to is from the image.

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
        if self.corrected is None:
            return self.model.mean_squared_error(array, progress)
        same = self.corrected is array
        return 0.0 if same else mean_squared_error(self.corrected.reshape(array.shape), array)

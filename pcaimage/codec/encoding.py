"""A compressed image together with the integers that it must decode to."""

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
    """A compressed image, and the integers that it must decode to."""

    compressed: Compressed
    model: Model
    # What components and residual decode to, if the file has a residual: the original, or one within the
    # error bound
    corrected: NDArray[Any] | None = None

    def decoded(self, progress: Progress = no_progress) -> NDArray[Any]:
        """Return the pixels that the file must decode to, in the shape that was compressed."""
        return self.model.reconstruct(progress) if self.corrected is None else self.corrected

    def mean_squared_error(self, array: NDArray[Any], progress: Progress = no_progress) -> float:
        """Return the mean squared error of the decoded file against the image, in squared grey levels."""
        if self.corrected is None:
            return self.model.mean_squared_error(array, progress)
        same = self.corrected is array
        return 0.0 if same else mean_squared_error(self.corrected.reshape(array.shape), array)

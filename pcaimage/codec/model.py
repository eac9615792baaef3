"""The interface of quantised images, common to all methods, and what is coded of one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

from numpy.typing import NDArray

from pcaimage.codec.compressed import Compressed, Header
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import mean_squared_error


class Model(ABC):
    """A quantised image: the integers that a file holds, and the pixels that they stand for."""

    header: Header  # the image's shape and step

    @property
    @abstractmethod
    def k(self) -> int:
        """Number of components."""

    @abstractmethod
    def trimmed(self, k: int) -> Self:
        """Return the model of the first k components, which shares memory with this one."""

    @abstractmethod
    def same_as(self, other: object) -> bool:
        """Return whether another model decodes to the same pixels for every k."""

    @abstractmethod
    def reconstruct(self, progress: Progress = no_progress) -> NDArray[Any]:
        """Reconstruct the image in the header's output shape and type, identically on every machine.

        SettingsError if the integers are too large to be summed exactly.
        """

    def mean_squared_error(self, array: NDArray[Any], progress: Progress = no_progress) -> float:
        """Return the mean squared error of the reconstruction against an image, in squared grey levels."""
        return mean_squared_error(array, self.reconstruct(progress).reshape(array.shape))


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

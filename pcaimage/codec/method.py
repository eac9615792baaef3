"""The interface of a compression method and of its quantised images; each kind of samples has one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from pcaimage.choices import Basis, Effort
from pcaimage.codec.compressed import Compressed, Header, Metadata
from pcaimage.codec.estimates import Corrections, Rates
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.codec.view import Pictures
from pcaimage.errors import SettingsError
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import mean_squared_error
from pcaimage.sampling import Sampling

T = TypeVar("T")


@dataclass(frozen=True)
class AnalysisOptions:
    """Options of the analysis; a method ignores those that do not apply to it."""

    standardize: bool = False
    basis: Basis = Basis.BUILTIN
    nodata: float | None = None
    max_error: float | None = None
    mnf: bool = False
    for_the_eye: bool = False
    effort: Effort = Effort.STANDARD
    white: float | None = None


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
    seen: NDArray[Any] | None = None  # the original with other colours where it is not seen at all
    restore: Callable[[NDArray[Any]], NDArray[Any]] | None = (
        None  # makes the array of that, if it is no image
    )

    def decoded(self, progress: Progress = no_progress) -> NDArray[Any]:
        """Return the pixels that the file must decode to, in the shape that was compressed."""
        found = self.model.reconstruct(progress) if self.corrected is None else self.corrected
        return found if self.restore is None else self.restore(found)

    def mean_squared_error(self, array: NDArray[Any], progress: Progress = no_progress) -> float:
        """Return the mean squared error of the decoded file against the image, in squared grey levels.

        Of an array that is no image, infinite and missing numbers, which are kept, do not count.
        """
        if self.restore is not None:
            one, two = (each.reshape(-1).view(each.real.dtype) for each in (self.decoded(progress), array))
            known = np.isfinite(two)
            return mean_squared_error(one[known], two[known]) if known.any() else 0.0
        array = array if self.seen is None else self.seen
        if self.corrected is None:
            return self.model.mean_squared_error(array, progress)
        same = self.corrected is array
        return 0.0 if same else mean_squared_error(self.corrected.reshape(array.shape), array)


class Near(NamedTuple):
    """A mean squared error from an original to be met, within a tolerance in decibels."""

    original: NDArray[Any]
    mse: float
    tolerance: float
    proven: bool = False  # whether slices are also decoded while a core has nothing else to do


class Sized(NamedTuple):
    """A size of the file to be met, without metadata and opacity."""

    n_bytes: float
    tolerance: float  # share of it by which the file may be larger or smaller
    proven: bool = False  # as for Near


class Method(ABC):
    """Compresses images of one kind of samples.

    An implementation accepts only the spectra and models that it made itself, and raises TypeError for
    others.
    """

    @abstractmethod
    def analyse(
        self, array: NDArray[Any], sampling: Sampling, options: AnalysisOptions, progress: Progress
    ) -> Spectrum:
        """Compute the components of an image."""

    @abstractmethod
    def quantize(self, spectrum: Spectrum, k: int, step: Step, progress: Progress) -> Model:
        """Quantise the first k components and their scores to the integers of a file."""

    def quantize_checked(
        self,
        spectrum: Spectrum,
        k: int,
        step: Step,
        original: NDArray[Any],  # noqa: ARG002 - most methods check afterwards
        progress: Progress,
        *,
        proven: bool,  # noqa: ARG002 - as above
    ) -> Model:
        """Quantise, and meanwhile measure the error against the original.

        If the result is to be `proven`, coded slices are also decoded, so that :meth:`holds` need not do so
        again. A method whose quantisation does not code leaves both for later.
        """
        return self.quantize(spectrum, k, step, progress)

    def steered(
        self, spectrum: Spectrum, k: int, step: Step, goal: Near | Sized, progress: Progress
    ) -> Model:
        """Quantise so that error or size are as wanted, as far as that is possible without other steps.

        Most methods have nothing but the step.
        """
        if isinstance(goal, Sized):
            return self.quantize(spectrum, k, step, progress)
        return self.quantize_checked(spectrum, k, step, goal.original, progress, proven=False)

    def checked(
        self,
        model: Model,
        original: NDArray[Any],  # noqa: ARG002 - most methods check afterwards
        progress: Progress,
    ) -> Model:
        """Return a quantised image, measured and proven as by :meth:`quantize_checked`."""
        progress(1, 1)
        return model

    def holds(self, compressed: Compressed, model: Model, progress: Progress) -> bool:
        """Return whether a file's components decode to exactly a quantised image."""
        return self.unpack(compressed, None, progress).same_as(model)

    @abstractmethod
    def pack(
        self, model: Model, spectrum: Spectrum, metadata: Metadata | None, progress: Progress
    ) -> Compressed:
        """Code a quantised image."""

    @abstractmethod
    def unpack(self, compressed: Compressed, k: int | None, progress: Progress) -> Model:
        """Decode the first k components, or all, to integers."""

    @abstractmethod
    def estimates(self, spectrum: Spectrum) -> Rates:
        """Return an estimator of size and quality."""

    def corrections(
        self,
        spectrum: Spectrum,
        k: int,  # noqa: ARG002 - most methods have none
        step: float,  # noqa: ARG002 - as above
        max_error: float,  # noqa: ARG002 - as above
        progress: Progress,  # noqa: ARG002 - as above
    ) -> Corrections:
        """Estimate the corrections that keep values within an error bound."""
        raise SettingsError(f"Files of {type(spectrum.header.sampling).__name__} have no corrections.")

    @abstractmethod
    def pictures(self, source: Spectrum | Model, progress: Progress) -> Pictures:
        """Return a renderer of an analysed or a decoded image."""

    @abstractmethod
    def complete(
        self,
        array: NDArray[Any],
        model: Model,
        spectrum: Spectrum,
        metadata: Metadata | None,
        max_error: float | None,
        progress: Progress,
    ) -> Encoding:
        """Code a quantised image with everything in its file: components, and a thumbnail or a residual.

        `max_error` bounds the error of every value, 0 for a lossless file; None for no bound. `metadata` is
        stored unchanged.
        """


def require(thing: object, kind: type[T]) -> T:
    """Return a spectrum or model as the type of its method; raise TypeError if another method made it."""
    if not isinstance(thing, kind):
        raise TypeError(f"A {type(thing).__name__} was made by another method than a {kind.__name__}.")
    return thing

"""What is done differently for each kind of components: the one place that knows all kinds.

The photo method compiles its loops, so it is loaded only where a photo is at hand.
"""

from __future__ import annotations

from typing import Any, Protocol, Self, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import pack as integers
from pcaimage.codec.analysis import Analysis
from pcaimage.codec.compressed import Compressed, Header, Metadata
from pcaimage.codec.estimates import Estimate, Similarity
from pcaimage.codec.integers import IntegerModel
from pcaimage.codec.parts import MOST_PICTURE, MOST_PLANE
from pcaimage.codec.preview import Preview
from pcaimage.codec.quantizer import Quantizer
from pcaimage.codec.rate import RateModel
from pcaimage.codec.settings import Basis
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.codec.view import Region, Screen, View
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Bands, Lapped, Sampling


class Model(Protocol):
    """A quantised image: integers, and the pixels that they stand for."""

    @property
    def header(self) -> Header:
        """The image's shape and step."""

    @property
    def k(self) -> int:
        """How many components it has."""

    def trimmed(self, k: int) -> Self:
        """Return the model of the first k components."""

    def same_as(self, other: object) -> bool:
        """Return whether another model has the same integers."""

    def reconstruct(self, progress: Progress = no_progress) -> NDArray[Any]:
        """Return the image, the same on every machine."""

    def mean_squared_error(self, array: NDArray[Any], progress: Progress = no_progress) -> float:
        """Return how far the reconstruction is from an image, in squared units of a pixel's value."""


class Rates(Protocol):
    """Size and quality without encoding. It may be asked from several threads."""

    def estimate(self, k: int, step: float | None = None) -> Estimate:
        """Return what some k and step would give."""

    def knows(self, step: float) -> bool:
        """Tell whether an estimate at a step takes no time."""

    def curve(self, progress: Progress = no_progress) -> list[Estimate]:
        """Return what every k would give at its own step."""


@runtime_checkable
class SimilarityRates(Protocol):
    """Estimates that know what pixels become."""

    def similarity(self, step: float, measure: Similarity) -> float:
        """Return about how similar the reconstruction from all components is to the image."""


class Pictures(Protocol):
    """Pictures of part of a reconstruction, for every k. They may be asked for from several threads."""

    @property
    def header(self) -> Header:
        """The image's shape and step."""

    @property
    def variances(self) -> NDArray[np.float64]:
        """Mean squares of the scores, in units of the planes."""

    def render(
        self,
        region: Region,
        scale: float,
        k: int,
        *,
        step: float | None = None,
        zone: float = 0.0,
        bands: tuple[int, ...] | None = None,
        white: float | None = None,
        screen: Screen | None = None,
        frame: int = 0,
        left_out: frozenset[int] = frozenset(),
    ) -> View:
        """Return a picture of a part; components that are left out, counted from 1, are zero."""

    @property
    def sample_size(self) -> int:
        """Pixels along a block's side; 1 where pixels are samples, 0 where images are."""

    def component_picture(self, number: int, most: int = MOST_PICTURE) -> NDArray[np.float32]:
        """Return what a score of one on a component, counted from 1, adds to the pixels: (h, w, C)."""

    def score_plane(self, number: int, most: int = MOST_PLANE) -> NDArray[np.float32]:
        """Return the scores of a component, counted from 1, where they are: (rows, columns)."""

    def scores_at(self, row: int, column: int) -> NDArray[np.float32]:
        """Return all scores of a sample: (n_components,)."""


def _photo() -> Any:
    from pcaimage.codec import photo  # noqa: PLC0415 - loaded where it is needed

    return photo


def _bands() -> Any:
    from pcaimage.codec import bands  # noqa: PLC0415 - loaded where it is needed

    return bands


def analyse(
    array: NDArray[Any],
    sampling: Sampling,
    *,
    standardize: bool = False,
    basis: Basis = Basis.BUILTIN,
    nodata: float | None = None,
    max_error: float | None = None,
    mnf: bool = False,
    progress: Progress = no_progress,
) -> Spectrum:
    """Find the components of an image.

    Parameters
    ----------
    array : ndarray of uint8 or uint16
        (H, W) or (H, W, C); for a stack (N, H, W) or (N, H, W, C). With ``Bands()`` also of int16 or float32.
    sampling : Sampling
        What a sample is.
    standardize : bool, default False
        Whether to divide each feature by its standard deviation.
    basis : Basis, default Basis.BUILTIN
        Whose components a photo's blocks have.
    nodata : float, optional
        What stands where nothing was measured; for many bands only.
    max_error : float, optional
        How far real numbers of many bands may be off in the end.
    mnf : bool, default False
        Whether to whiten the noise of many bands first.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    Spectrum
        An :class:`Analysis`, for lapped blocks a ``PhotoAnalysis``, for many bands a ``BandsAnalysis``.

    Raises
    ------
    DataError
        If the array's type or shape is not supported.
    """
    if isinstance(sampling, Lapped):
        return cast("Spectrum", _photo().analyse(array, basis, progress))
    if isinstance(sampling, Bands):
        found = _bands().BandsAnalysis.fit_bands(
            array,
            sampling,
            standardize=standardize,
            mnf=mnf,
            nodata=nodata,
            precision=max_error,
            progress=progress,
        )
        return cast("Spectrum", found)
    return Analysis.fit(array, sampling, standardize=standardize, progress=progress)


def quantize(spectrum: Spectrum, k: int, step: Step, progress: Progress = no_progress) -> Model:
    """Round the first k components and their scores to what a file stores.

    Parameters
    ----------
    spectrum : Spectrum
        From :func:`analyse`.
    k : int
        How many components.
    step : Step
        Δ.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    Model
        What decoding will give.

    Raises
    ------
    SettingsError
        If k is out of range, or the step too small for the range of the image.
    """
    if spectrum.header.is_bands:
        return cast("Model", _bands().quantize(spectrum, k, step, progress))
    if isinstance(spectrum, Analysis):
        return Quantizer(spectrum).quantize(k, step, progress)
    return cast("Model", _photo().quantize(spectrum, k, step, progress))


def pack(
    model: Model, spectrum: Spectrum, metadata: Metadata | None = None, progress: Progress = no_progress
) -> Compressed:
    """Code a quantised image.

    Parameters
    ----------
    model : Model
        From :func:`quantize`.
    spectrum : Spectrum
        From :func:`analyse`.
    metadata : Metadata, optional
        What is carried along.
    progress : Progress, optional
        Told of components done.

    Returns
    -------
    Compressed
        It decodes to the same integers.

    Raises
    ------
    SettingsError
        If the integers are too large to be summed exactly.
    """
    if model.header.is_bands:
        progress(1, 1)
        return cast("Compressed", _bands().pack(model, spectrum.variances, metadata))
    if isinstance(model, IntegerModel):
        given = spectrum.given if isinstance(spectrum, Analysis) else None
        if given is None:
            return integers.pack(model, spectrum.variances, metadata, progress)
        return given.signed(integers.pack(model, np.zeros(0), metadata, progress, given.source))
    return cast("Compressed", _photo().pack(model, metadata))


def unpack(compressed: Compressed, k: int | None = None, progress: Progress = no_progress) -> Model:
    """Decode a compressed image to its integers.

    Parameters
    ----------
    compressed : Compressed
        The image.
    k : int, optional
        How many components to decode; all of them by default.
    progress : Progress, optional
        Told of components done.

    Returns
    -------
    Model
        It reconstructs the image.

    Raises
    ------
    FormatError
        If the coded bytes are damaged, or decode to integers that no encoder writes.
    SettingsError
        If there are fewer than k components.
    """
    if compressed.header.is_photo:
        return cast("Model", _photo().unpack(compressed, k, progress))
    if compressed.header.is_bands:
        return cast("Model", _bands().unpack(compressed, k, progress))
    return integers.unpack(compressed, k, progress)


def estimates(spectrum: Spectrum) -> Rates:
    """Return what tells size and quality of every k.

    Parameters
    ----------
    spectrum : Spectrum
        From :func:`analyse`.

    Returns
    -------
    Rates
        It works where it is asked.
    """
    if spectrum.header.is_bands:
        return cast("Rates", _bands().BandsRates(spectrum))
    if isinstance(spectrum, Analysis):
        return RateModel(spectrum)
    return cast("Rates", _photo().PhotoRates(spectrum))


def pictures(source: Spectrum | Model, progress: Progress = no_progress) -> Pictures:
    """Return what shows every k.

    Parameters
    ----------
    source : Spectrum or Model
        An image that was analysed, or a file that was decoded.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    Pictures
        Made from its scores.
    """
    if isinstance(source, Analysis):
        return Preview.of_analysis(source, progress)
    if isinstance(source, IntegerModel):
        return Preview.of_model(source)
    return cast("Pictures", _photo().PhotoPreview.of(source))


def warm_up(progress: Progress = no_progress) -> None:
    """Make everything ready that would keep the first photo waiting.

    Parameters
    ----------
    progress : Progress, optional
        Told of the work done, and asked whether to go on.
    """
    _photo().warm_up(progress)

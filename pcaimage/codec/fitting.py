"""Finding the components that settings ask for."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from pcaimage.codec import methods
from pcaimage.codec.blocks.projection import project
from pcaimage.codec.compressed import Compressed
from pcaimage.codec.settings import Settings
from pcaimage.codec.spectrum import Spectrum
from pcaimage.errors import SettingsError
from pcaimage.progress import Progress, no_progress


def analyse_for(
    array: NDArray[Any],
    settings: Settings,
    progress: Progress = no_progress,
    *,
    model: Compressed | None = None,
) -> Spectrum:
    """Find the components of an image that settings ask for.

    Parameters
    ----------
    array : ndarray
        As for :func:`compress`.
    settings : Settings
        How.
    progress : Progress, optional
        Told of the work done.
    model : Compressed, optional
        Whose components to use instead of the image's own.

    Returns
    -------
    Spectrum
        Without the components that are left out.

    Raises
    ------
    DataError, SettingsError
        If the settings do not fit the image.
    """
    found: Spectrum
    if model is not None:
        found = project(array, model, settings, progress)
    else:
        sampling = settings.sampling_for(array.shape, array.dtype.name)
        if settings.lossless and array.dtype.kind == "f":
            raise SettingsError(
                "Real numbers are not kept without loss; give max_error, how far they may be off."
            )
        found = methods.analyse(
            array,
            sampling,
            standardize=settings.standardize,
            basis=settings.basis,
            nodata=settings.nodata,
            max_error=settings.max_error,
            mnf=settings.mnf,
            progress=progress,
        )
    return found.without(frozenset(settings.leave_out)) if settings.leave_out else found

"""The components that were chosen. No Qt here."""

from __future__ import annotations

from dataclasses import replace

from pcaimage.codec import Preparation, Settings, Spectrum, analyse, analyse_for
from pcaimage.gui.session.choice import Choice
from pcaimage.imaging import Image
from pcaimage.progress import Progress
from pcaimage.sampling import Stack


def as_sampled(image: Image, choice: Choice) -> Image:
    """Return an image as its components see it.

    Parameters
    ----------
    image : Image
        The image.
    choice : Choice
        How it is fitted.

    Returns
    -------
    Image
        A stack of one, where a model of a stack is used for a single image.
    """
    model = choice.model
    if model is None or not isinstance(model.sampling, Stack) or image.is_stack:
        return image
    return replace(image, pixels=image.pixels[None], alpha=None if image.alpha is None else image.alpha[None])


def analysed(image: Image, choice: Choice, progress: Progress) -> Spectrum:
    """Find the components of an image, or project it on those of a model.

    Parameters
    ----------
    image : Image
        The image.
    choice : Choice
        How.
    progress : Progress
        Told of the work done.

    Returns
    -------
    Spectrum
        All components.

    Raises
    ------
    DataError, SettingsError
        If the image does not fit what was chosen.
    """
    if choice.model is not None:
        settings = Settings(sampling=choice.model.sampling)
        pixels = as_sampled(image, choice).pixels
        return analyse_for(pixels, settings, progress, model=choice.model.file.compressed)
    return analyse(
        image.pixels,
        choice.sampling(),
        standardize=choice.prepared is Preparation.STANDARDIZED,
        basis=choice.basis,
        nodata=choice.nodata_of(image.bands.nodata),
        max_error=choice.bound,
        mnf=choice.whitens,
        progress=progress,
    )

"""The components that were chosen. No Qt here."""

from __future__ import annotations

from pcaimage.codec import Preparation, Settings, Spectrum, analyse, analyse_for
from pcaimage.gui.session.choice import Choice
from pcaimage.imaging import Image
from pcaimage.progress import Progress


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
        return analyse_for(image.pixels, settings, progress, model=choice.model.file.compressed)
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

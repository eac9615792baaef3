"""How alike original and reconstruction look. No Qt here."""

from __future__ import annotations

from pcaimage.gui.session.document import Document
from pcaimage.gui.session.state import Settled, Similarity
from pcaimage.imaging import ssim
from pcaimage.progress import Progress


def similarity(document: Document, settled: Settled, progress: Progress) -> Similarity:
    """Compare original and reconstruction by their structure.

    Parameters
    ----------
    document : Document
        With its original.
    settled : Settled
        The reconstruction.
    progress : Progress
        Told of the work done.

    Returns
    -------
    Similarity
        The mean over all channels.
    """
    image = document.image
    if image is None:
        raise ValueError("Without the original there is nothing to compare with.")
    return Similarity(settled.setting, ssim(image.pixels, settled.pixels, progress))

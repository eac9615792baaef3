"""Adapting an image to those who get it: its size, its colour space and its metadata."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pcaimage.imaging.privacy import Strip, strip_metadata
from pcaimage.imaging.resize import Resize, resize_image
from pcaimage.imaging.srgb import to_srgb
from pcaimage.progress import Progress, no_progress

if TYPE_CHECKING:
    from pcaimage.imaging.image import Image


@dataclass(frozen=True)
class Adaptation:
    """What is changed in an image before it is written.

    Parameters
    ----------
    resize : Resize
        The size.
    srgb : bool
        Whether colours are converted to sRGB; otherwise the profile is kept.
    strip : {"nothing", "place", "all"}
        The metadata that are removed.
    """

    resize: Resize = field(default_factory=Resize)
    srgb: bool = False
    strip: Strip = "nothing"

    @property
    def keeps_pixels(self) -> bool:
        """Whether only metadata change."""
        return self.resize == Resize() and not self.srgb

    def apply(self, image: Image, progress: Progress = no_progress) -> Image:
        """Return an image with all changes made; itself if there are none.

        Parameters
        ----------
        image : Image
            The image.
        progress : Progress, optional
            Called with the work done; raising from it stops the work.

        Raises
        ------
        ImageError
            If the image cannot be resized or converted.
        """
        image = resize_image(image, self.resize, progress)
        if self.srgb:
            image = to_srgb(image)
        return strip_metadata(image, self.strip)

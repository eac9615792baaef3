"""Adapting an image for its recipients: size, colour space and metadata."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pcaimage.imaging.writing.privacy import Strip, strip_metadata
from pcaimage.imaging.writing.resize import Resize, resize_image
from pcaimage.imaging.writing.srgb import to_srgb
from pcaimage.progress import Progress, no_progress

if TYPE_CHECKING:
    from pcaimage.imaging.image.image import Image


@dataclass(frozen=True)
class Adaptation:
    """The changes to an image before it is written.

    Parameters
    ----------
    resize : Resize
        The size.
    srgb : bool
        Whether to convert colours to sRGB; otherwise the profile is kept.
    strip : {"nothing", "place", "all"}
        The metadata to remove.
    """

    resize: Resize = field(default_factory=Resize)
    srgb: bool = False
    strip: Strip = "nothing"

    @property
    def keeps_pixels(self) -> bool:
        """Whether only metadata change."""
        return self.resize == Resize() and not self.srgb

    def apply(self, image: Image, progress: Progress = no_progress) -> Image:
        """Return an image with all changes made, or the image itself if there are none.

        Raises
        ------
        ImageError
            If the image cannot be resized or converted.
        """
        image = resize_image(image, self.resize, progress)
        if self.srgb:
            image = to_srgb(image)
        return strip_metadata(image, self.strip)

"""Reading animated images: GIF, PNG and WebP frame by frame; AVIF is left to Pillow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from PIL import ImageFile

from pcaimage.errors import ImageError
from pcaimage.imaging.image.pixels import ImageHeader
from pcaimage.imaging.moving.animation import Animation, DamagedAnimationError, Layer
from pcaimage.imaging.moving.apng import png_animation
from pcaimage.imaging.moving.gif import SIGNATURES as GIF
from pcaimage.imaging.moving.gif import gif_animation
from pcaimage.imaging.moving.webp import webp_animation
from pcaimage.imaging.still.pillow import open_pillow
from pcaimage.imaging.still.png import SIGNATURE as PNG


def animation_of(file: BinaryIO, name: str) -> Animation | None:
    """Find the frames of an animated GIF, PNG or WebP, without decoding them; None for other files.

    ImageError if none of its frames is intact.
    """
    file.seek(0)
    start = file.read(16)
    found = None
    if start.startswith(GIF):
        found = gif_animation(file)
    elif start.startswith(PNG):
        found = png_animation(file)
    elif start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        found = webp_animation(file)
    file.seek(0)
    if found is None or found.announced < 2:
        return None
    if not found.timing.durations:
        raise ImageError(f"{name} is damaged or cut short: none of its frames is intact.")
    return found


def open_image(file: BinaryIO, name: str, animation: Animation | None) -> ImageFile.ImageFile:
    """Open a file with Pillow, as far as it is intact if it is an animation."""
    return open_pillow(file if animation is None else animation.file, name)


def animated_header(header: ImageHeader, animation: Animation) -> ImageHeader:
    """Return the header of an image with that of its animation: its frames are as many as are intact."""
    channels, frames = 3 if header.format == "GIF" else header.channels, len(animation.timing.durations)
    return replace(header, channels=channels, has_alpha=animation.has_alpha, frames=frames)


def layers(animation: Animation, width: int, height: int, name: str, *, salvage: bool) -> Iterator[Layer]:
    """Yield the frames of an animation as a viewer shows them.

    With `salvage` they end before the first that is damaged; otherwise that is a DamagedAnimationError.
    """
    done = 0
    frames = animation.frames(width, height)
    while done < animation.announced:
        try:
            layer = next(frames)
        except StopIteration:
            break
        except Exception as error:  # decoders raise almost anything
            if not done or isinstance(error, MemoryError):
                raise
            if salvage:
                return
            raise DamagedAnimationError(name, done) from error
        yield layer
        done += 1
    if done < animation.announced and not salvage:
        raise DamagedAnimationError(name, done)

"""Animated images: their frames as the files have them, and as viewers show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Literal, NamedTuple

import numpy as np

from pcaimage.errors import ImageError
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.imaging.image.timing import Timing

ANIMATED = ("GIF", "PNG", "WEBP", "AVIF")  # formats whose files of several images are animations

Disposal = Literal["keep", "clear", "restore"]
"""Ways to dispose of a frame's area before the next: it stays, becomes transparent, or as it was before."""

Area = tuple[int, int, int, int]  # left, top, width and height in pixels


class Layer(NamedTuple):
    """The part of the image that a frame changes, or all of it."""

    pixels: Pixels  # shape (h, w, C)
    alpha: Pixels | None  # opacity, shape (h, w); None if all of it is opaque


@dataclass(frozen=True)
class Part:
    """A frame in a file: the area that it changes, and its treatment."""

    left: int
    top: int
    width: int
    height: int
    duration: float  # milliseconds for which it is shown
    disposal: Disposal = "keep"  # treatment of the area afterwards
    blends: bool = True  # whether it is drawn over what is there, and does not replace it
    stored: bytes = field(default=b"", repr=False)  # a complete file of its format

    def is_within(self, width: int, height: int) -> bool:
        """Return whether it has pixels, all of them within an image: for others, decoders would make room."""
        inside = self.left + self.width <= width and self.top + self.height <= height
        return inside and self.width > 0 and self.height > 0


class Animation(NamedTuple):
    """An animated file, as far as its frames are intact."""

    timing: Timing  # of the intact frames
    announced: int  # frames that the file says it has, or that begin in it
    has_alpha: bool
    frames: Callable[[int, int], Iterator[Layer]]
    """Decodes the intact frames, as a viewer shows them, of an image of some width and height."""
    file: BinaryIO
    """What Pillow opens: the file, or if a decoder refuses it as a whole, one of the intact frames."""


class DamagedAnimationError(ImageError):
    """An animation that is cut short or damaged, some of whose first frames are intact."""

    def __init__(self, name: str, intact: int) -> None:
        which = f"only its first {intact:,} frames are" if intact > 1 else "only its first frame is"
        super().__init__(f"{name} is damaged or cut short: {which} intact.")
        self.intact = intact


def composed(
    parts: Iterable[Part], decode: Callable[[Part], Layer], width: int, height: int
) -> Iterator[Layer]:
    """Yield the frames as a viewer shows them, each of the size of the image.

    Disposal and blending are those of PNG (third edition, W3C 2025, section 11.3.6.2), and of GIF, too. The
    image is transparent at first, and where a frame was cleared: viewers agree to ignore the background
    colour of a GIF.
    """
    canvas: Pixels | None = None
    opacity: Pixels | None = None
    for part in parts:
        pixels, alpha = decode(part)
        if canvas is None or opacity is None:
            canvas = np.zeros((height, width, pixels.shape[-1]), pixels.dtype)
            opacity = np.zeros((height, width), pixels.dtype)
        area = np.s_[part.top : part.top + part.height, part.left : part.left + part.width]
        before = (canvas[area].copy(), opacity[area].copy())
        peak = np.iinfo(opacity.dtype.name).max
        if alpha is None:
            canvas[area] = pixels
            opacity[area] = peak
        elif part.blends:
            canvas[area], opacity[area] = _over(pixels, alpha, canvas[area], opacity[area])
        else:
            canvas[area] = pixels
            opacity[area] = alpha
        yield Layer(canvas.copy(), None if (opacity == peak).all() else opacity.copy())
        if part.disposal == "restore":
            canvas[area], opacity[area] = before
        elif part.disposal == "clear":
            canvas[area], opacity[area] = 0, 0


def _over(pixels: Pixels, alpha: Pixels, below: Pixels, opacity: Pixels) -> tuple[Pixels, Pixels]:
    """Return a layer drawn over what is below it, with colours that are not multiplied by their opacity."""
    peak = np.int64(np.iinfo(alpha.dtype.name).max)
    hidden = alpha == 0
    if (hidden | (alpha == peak)).all():
        return np.where(hidden[..., None], below, pixels), np.where(hidden, opacity, alpha)
    mine = alpha.astype(np.int64) * peak
    theirs = (peak - alpha) * opacity.astype(np.int64)
    both = mine + theirs
    shares = np.maximum(both, 1)[..., None]
    colours = (pixels * mine[..., None] + below * theirs[..., None] + shares // 2) // shares
    drawn = np.where(hidden[..., None], below, colours).astype(below.dtype)
    return drawn, ((both + peak // 2) // peak).astype(alpha.dtype)


def changed_area(before: Pixels | None, frame: Pixels) -> Area:
    """Return the smallest area in which frames, shape (H, W, S), differ.

    It has at least one pixel, as a frame of a file must; before the first frame, everything is different.
    """
    height, width = frame.shape[:2]
    if before is None:
        return 0, 0, width, height
    differ = (before != frame).any(axis=-1)
    rows, columns = np.flatnonzero(differ.any(axis=1)), np.flatnonzero(differ.any(axis=0))
    if not rows.size:
        return 0, 0, 1, 1
    left, top = int(columns[0]), int(rows[0])
    return left, top, int(columns[-1]) + 1 - left, int(rows[-1]) + 1 - top

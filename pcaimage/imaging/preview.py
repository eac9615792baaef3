"""Small pictures of JPEG files that are there long before the image is decoded."""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Final

import numpy as np
from PIL import ExifTags, JpegImagePlugin
from PIL import Image as PillowImage

from pcaimage.imaging.limits import Limits

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_OFFSET, _LENGTH = 0x0201, 0x0202  # JPEGInterchangeFormat and its length, in Exif 2.3
_HEADER: Final = 6  # bytes before the TIFF header to which offsets in Exif data refer
_LARGEST_EMBEDDED: Final = 1 << 20  # pixels


def preview_of(path: Path, side: int, limits: Limits | None = None) -> NDArray[np.uint8] | None:
    """Return a small picture of a JPEG file: the one that a camera embedded, or the image decoded coarsely.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    side : int
        About how many pixels its longer side should have.
    limits : Limits, optional
        The largest image of which one is made.

    Returns
    -------
    ndarray of uint8, shape (h, w, 1 or 3), or None
        Upright; None for a file in another format or colour space, a damaged one, or one that cannot be
        read: the image itself will tell.
    """
    # Pillow raises errors of many types for damaged files.
    with suppress(Exception), path.open("rb") as file:
        image = JpegImagePlugin.JpegImageFile(file, "")
        if image.width * image.height > (limits or Limits.default()).max_pixels:
            return None
        turned = image.getexif().get(ExifTags.Base.Orientation)
        small = _embedded(image, side) or _coarse(image, side)
        return None if small is None else _upright(small, turned)
    return None


def _embedded(image: JpegImagePlugin.JpegImageFile, side: int) -> PillowImage.Image | None:
    """Return the thumbnail in a file's Exif data, unless it is far too small or of another shape."""
    entries = image.getexif().get_ifd(ExifTags.IFD.IFD1)
    data = image.info.get("exif", b"")
    start = _HEADER + int(entries.get(_OFFSET, 0))
    piece = data[start : start + int(entries.get(_LENGTH, 0))]
    if start == _HEADER or not piece:
        return None
    found = JpegImagePlugin.JpegImageFile(BytesIO(piece), "")
    alike = abs(found.width / found.height - image.width / image.height) < 0.05 * image.width / image.height
    if not alike or found.width * found.height > _LARGEST_EMBEDDED or 2 * max(found.size) < side:
        return None
    return found if found.mode in {"L", "RGB"} else None


def _coarse(image: JpegImagePlugin.JpegImageFile, side: int) -> PillowImage.Image | None:
    """Return the image decoded to an eighth of its size or more, which takes a fraction of the time."""
    if image.mode not in {"L", "RGB"}:
        return None
    image.draft(image.mode, (side, side))
    return image


def _upright(image: PillowImage.Image, orientation: object) -> NDArray[np.uint8]:
    """Return an image as an array, turned as its Exif orientation asks."""
    transpose = PillowImage.Transpose
    turns = {
        2: transpose.FLIP_LEFT_RIGHT,
        3: transpose.ROTATE_180,
        4: transpose.FLIP_TOP_BOTTOM,
        5: transpose.TRANSPOSE,
        6: transpose.ROTATE_270,
        7: transpose.TRANSVERSE,
        8: transpose.ROTATE_90,
    }
    turn = turns.get(orientation) if isinstance(orientation, int) else None
    array = np.asarray(image if turn is None else image.transpose(turn))
    return np.ascontiguousarray(array if array.ndim == 3 else array[..., None])

"""AVIF files of 10 and 12 bits per channel, of which Pillow returns 8 and the package imagecodecs all."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from pcaimage.errors import ImageError
from pcaimage.imaging.image.source import Source, open_source
from pcaimage.imaging.image.types import Pixels, split_alpha

if TYPE_CHECKING:
    from collections.abc import Callable

    from PIL import ImageFile

_SEARCHED = 1 << 16
"""Number of bytes from the start of a file in which the image's properties are searched."""
_DEEP, _TWELVE = 0x40, 0x20
_PEAK = 65535


def avif_bits(source: Source) -> int:
    """Return the bits per channel of an AVIF: 8, 10 or 12; 8 if the file does not say or cannot be read.

    References
    ----------
    AV1 Codec ISO Media File Format Binding, v1.2.0, section 2.3: AV1 Codec Configuration Box.
    """
    try:
        with open_source(source) as (file, _):
            return _bits_of(file)
    except ImageError:
        return 8


def _bits_of(file: BinaryIO) -> int:
    position = file.tell()
    file.seek(0)
    start = file.read(_SEARCHED)
    file.seek(position)
    place = start.find(b"av1C")
    # After the box type: marker and version, profile and level, and then the flags.
    flags = start[place + 6] if place >= 0 and place + 6 < len(start) else 0
    if not flags & _DEEP:
        return 8
    return 12 if flags & _TWELVE else 10


def lost_bits_text(name: str, bits: int) -> str:
    """Return the sentence that tells the user of an image of which only eight of its `bits` were read."""
    if not name.lower().endswith(".avif"):
        return f"{name} has {bits} bits a channel, of which 8 are read."
    return (
        f"{name} has {bits} bits a channel, of which 8 are read; "
        "install imagecodecs (pcaimage[avif]) to read all of them."
    )


def stored_bits(image: ImageFile.ImageFile, file: BinaryIO) -> int:
    """Return the bits of a channel of an opened image if it is an AVIF; 8 otherwise."""
    return _bits_of(file) if image.format == "AVIF" else 8


def is_read_deep(image: ImageFile.ImageFile, file: BinaryIO) -> bool:
    """Return whether an opened image has more than eight bits, and :func:`decode_deep` can read them."""
    single = getattr(image, "n_frames", 1) == 1
    return single and stored_bits(image, file) > 8 and _decoder() is not None


def decode_deep(image: ImageFile.ImageFile, file: BinaryIO) -> tuple[Pixels, Pixels | None]:
    """Decode all bits of an opened AVIF: colours, and opacity if it has any.

    Both are scaled so that white is 65535, as in other files of 16 bits; exactly invertible.
    """
    decode = _decoder()
    if decode is None:
        raise ImageError("AVIF of more than eight bits needs the package imagecodecs.")
    peak = (1 << _bits_of(file)) - 1
    file.seek(0)
    values = decode(file.read())
    values = values.reshape(*values.shape[:2], -1)
    scale = np.arange(peak + 1, dtype=np.uint32) * _PEAK
    scaled: Pixels = ((scale + peak // 2) // peak).astype(np.uint16)[values]
    colour, alpha = split_alpha(scaled) if scaled.shape[-1] in (2, 4) else (scaled, None)
    if colour.shape[-1] == 1 and not image.mode.startswith("L"):
        colour = np.repeat(colour, 3, axis=-1)
    return colour, alpha


def _decoder() -> Callable[[bytes], Any] | None:
    try:
        codecs = importlib.import_module("imagecodecs")
    except ImportError:
        return None
    return codecs.avif_decode if codecs.AVIF.available else None

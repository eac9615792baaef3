"""More than eight bits per channel, for which Pillow has no mode in colour.

Pillow unpacks 48 or 64 bits per pixel into 8-bit modes by keeping one byte of each value; the raw mode
selects which (``RGB;16B`` the first, ``RGB;16L`` the second). Decoding twice, once for each byte, recovers
all 16 bits exactly, with Pillow's own decoder and its checks. It takes twice the time, which is better than
dropping eight bits or maintaining another PNG decoder. Of 10 or 12 bits in an AVIF it returns 8, and the
package imagecodecs all.

References
----------
AV1 Codec ISO Media File Format Binding, v1.2.0, section 2.3: AV1 Codec Configuration Box.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import ImageFile

from pcaimage.errors import ImageError
from pcaimage.imaging.image.pixels import Pixels, split_alpha

_SEARCHED = 1 << 16  # number of bytes from the start of a file in which the image's properties are searched
_DEEP, _TWELVE = 0x40, 0x20  # flags of an AVIF
_PEAK = 65535


@dataclass(frozen=True)
class ValueLayout:
    """Layout of 16-bit values in a file."""

    channels: int  # without alpha, which may follow them
    has_alpha: bool
    raw_modes: tuple[str, ...]  # unpack the high bytes, then the low; a single one both side by side


def _layouts() -> dict[str, ValueLayout]:
    layouts = {
        "RGB;16B": ValueLayout(3, False, ("RGB;16B", "RGB;16L")),
        "RGBA;16B": ValueLayout(3, True, ("RGBA;16B", "RGBA;16L")),
        # Grey with alpha has 32 bits per pixel, which RGBA holds unchanged.
        "LA;16B": ValueLayout(1, True, ("RGBA",)),
        "RGB;16L": ValueLayout(3, False, ("RGB;16L", "RGB;16B")),
        "RGBA;16L": ValueLayout(3, True, ("RGBA;16L", "RGBA;16B")),
    }
    native = "L" if sys.byteorder == "little" else "B"
    return layouts | {f"{mode};16N": layouts[f"{mode};16{native}"] for mode in ("RGB", "RGBA")}


def raw_mode(image: ImageFile.ImageFile) -> str:
    """Return Pillow's raw mode of an image that is not yet decoded; empty if there is none or several."""
    modes = {tile.args[0] if isinstance(tile.args, tuple) else tile.args for tile in image.tile}
    mode = modes.pop() if len(modes) == 1 else None
    return mode if isinstance(mode, str) else ""


def is_deep(image: ImageFile.ImageFile) -> bool:
    """Return whether an image has several channels of 16 bits each, which needs :func:`decode`."""
    return raw_mode(image) in _layouts()


def layout_of(image: ImageFile.ImageFile) -> ValueLayout:
    """Return the layout of an image for which :func:`is_deep` holds."""
    return _layouts()[raw_mode(image)]


def decode(image: ImageFile.ImageFile, file: BinaryIO) -> tuple[Pixels, Pixels | None]:
    """Decode all 16 bits: pixels, uint16 of shape (H, W, C), and alpha, shape (H, W), if there is any."""
    layout = layout_of(image)
    first = _unpack(image, layout.raw_modes[0])
    if len(layout.raw_modes) == 1:
        values = first.view(">u2").astype(np.uint16)
    else:
        values = first.astype(np.uint16)
        values <<= 8
        file.seek(0)
        values |= _unpack(type(image)(file, ""), layout.raw_modes[1])
    if layout.has_alpha:
        return split_alpha(values)
    key = image.info.get("transparency")
    return values, None if key is None else keyed_alpha(values, key)


def _unpack(image: ImageFile.ImageFile, mode: str) -> NDArray[np.uint8]:
    def with_mode(args: Any) -> Any:
        return (mode, *args[1:]) if isinstance(args, tuple) else mode

    image.tile = [tile._replace(args=with_mode(tile.args)) for tile in image.tile]
    image.load()
    return np.ascontiguousarray(np.asarray(image))


def keyed_alpha(pixels: Pixels, key: ArrayLike) -> Pixels:
    """Return an alpha plane that is zero where pixels, shape (H, W, C), have the key colour, else full."""
    peak = np.iinfo(pixels.dtype.name).max
    transparent = (pixels == np.atleast_1d(np.asarray(key))).all(axis=-1)
    return np.where(transparent, pixels.dtype.type(0), pixels.dtype.type(peak))


def refuse_lossy(image: ImageFile.ImageFile, file: BinaryIO, name: str) -> None:
    """Refuse a file whose values have more bits than Pillow returns.

    AVIF of ten or twelve bits is the exception: without a decoder of all of them it is read with eight.
    """
    bits = 0
    if image.format == "JPEG2000" and not image.mode.startswith("I"):
        depth = _byte_after(b"\xff\x4f\xff\x51", 42, file)  # of the first channel (ISO 15444-1, A.5.1)
        bits = 0 if depth is None else (depth & 0x7F) + 1
    elif image.format == "PPM" and image.mode == "RGB" and image.tile[0].codec_name != "raw":
        args = image.tile[0].args
        bits = int(args[-1]).bit_length() if isinstance(args, tuple) else 0
    elif image.format == "TIFF" and not is_deep(image) and image.mode[:1] not in "IF":
        bits = max(getattr(image, "tag_v2", {}).get(258, (1,)))
    if bits > 8:
        raise ImageError(
            f"{name} has {bits} bits a channel in a form that would be cut to eight; "
            "convert it to PNG or to an uncompressed RGB TIFF first."
        )


def _avif_bits(file: BinaryIO) -> int:
    # After the box type: marker and version, profile and level, and then the flags.
    flags = _byte_after(b"av1C", 6, file) or 0
    if not flags & _DEEP:
        return 8
    return 12 if flags & _TWELVE else 10


def _byte_after(mark: bytes, offset: int, file: BinaryIO) -> int | None:
    """Return the byte so far behind a mark's beginning; None if the start of the file does not have it."""
    position = file.tell()
    file.seek(0)
    start = file.read(_SEARCHED)
    file.seek(position)
    at = start.find(mark)
    return start[at + offset] if 0 <= at < len(start) - offset else None


def stored_bits(image: ImageFile.ImageFile, file: BinaryIO) -> int:
    """Return the bits of a channel of an opened image if it is an AVIF; 8 otherwise."""
    return _avif_bits(file) if image.format == "AVIF" else 8


def is_deep_avif(image: ImageFile.ImageFile, file: BinaryIO) -> bool:
    """Return whether an opened image has more than eight bits, and :func:`decode_avif` can read them."""
    single = getattr(image, "n_frames", 1) == 1
    return single and stored_bits(image, file) > 8 and _decoder() is not None


def decode_avif(image: ImageFile.ImageFile, file: BinaryIO) -> tuple[Pixels, Pixels | None]:
    """Decode all bits of an opened AVIF: colours, and opacity if it has any.

    Both are scaled so that white is 65535, as in other files of 16 bits; exactly invertible.
    """
    decode = _decoder()
    if decode is None:
        raise ImageError("AVIF of more than eight bits needs the package imagecodecs.")
    peak = (1 << _avif_bits(file)) - 1
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

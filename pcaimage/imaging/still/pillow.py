"""Images that Pillow decodes and encodes."""

from __future__ import annotations

import errno
import importlib
import io
import math
import os
import struct
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any, BinaryIO

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageFile

from pcaimage.choices import READABLE, listed
from pcaimage.errors import ImageError
from pcaimage.imaging.image import conversion
from pcaimage.imaging.image.image import RAW, Image
from pcaimage.imaging.image.limits import Limits
from pcaimage.imaging.image.pixels import IPTC_RESOURCE, ImageHeader, Pixels, split_alpha
from pcaimage.imaging.image.source import file_size, head_of
from pcaimage.imaging.still import deep
from pcaimage.imaging.still.png import declared_white
from pcaimage.machine.folders import tables

_HEIC = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx")
"""Brands of HEIF files whose images are coded as HEVC."""

_PALETTE = 256  # most colours of a palette
STRIP = 1 << 18  # approximate number of pixels converted at once, which fit into the cache


_SIGNATURES = {start.encode("latin-1"): kind for start, kind in tables("files.json")["pictures"].items()}
"""File signatures, with the name of Pillow's module and class."""
_MODULES = {"Heif": "pi_heif", "JXL": "pillow_jxl.JpegXLImagePlugin"}
"""Modules of other packages with such a class."""


FUJI = b"FUJIFILMCCD-RAW "  # the signature of raws that are no TIFF, and begin with where their JPEG is


class CameraPicture(io.BytesIO):
    """The JPEG that a camera put into a raw."""


def open_pillow(file: BinaryIO, name: str, limits: Limits | None = None) -> ImageFile.ImageFile:
    """Recognise a file by its signature and read its header.

    ``PIL.Image.open`` is not used. Its guard against decompression bombs is a global variable that a library
    must not change behind its caller's back (nor is it, or silencing its warning, safe when several threads
    read images); opening with the format's own class leaves the guard to :class:`~pcaimage.imaging.Limits`,
    image by image. It also excludes formats that run other programs (EPS) or have no signature, and
    multi-picture JPEGs yield their first picture. JPEG XL is decoded at once, so the `limits`, by default
    :meth:`Limits.default`, are asked here. Pillow's own errors for a damaged header pass through.
    """
    start = head_of(file, 16)
    kind = recognise(start)
    if kind is None:
        raise unrecognised(name, start)
    if getattr(kind, "format", "") == "JXL":
        (limits or Limits.default()).check(*jxl_size(file), name=name)
    return kind(file, "")


def unrecognised(name: str, start: bytes = b"") -> ImageError:
    """Return the error for a file of no known format, by its name and its first bytes."""
    if name.lower().endswith((".csv", ".tsv")):
        return ImageError(
            f"{name} is a table, not an image; 'pcaimage table {name}' analyses it on the command line."
        )
    if start[4:12] == b"ftypcrx " or name.lower().endswith((".cr3", ".orf", ".rw2", ".x3f", ".mrw")):
        return ImageError(
            f"{name} is a camera raw of a kind whose picture is not found; save it as DNG or JPEG by the "
            "camera's program, and open that."
        )
    if start.startswith(b"%PDF") or name.lower().endswith((".svg", ".svgz", ".ai", ".eps")):
        return ImageError(
            f"{name} is a document of pages or lines rather than pixels; export what is to be seen as PNG or "
            "TIFF, a file for each page, and open those."
        )
    return ImageError(f"{name} is not an image of a kind that can be read: {listed(READABLE)}.")


def recognise(start: bytes) -> Callable[[BinaryIO, str], ImageFile.ImageFile] | None:
    """Return Pillow's class for a file that begins with 16 bytes; None if there is none."""
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return _opener("WebP")
    if start[4:8] == b"ftyp" and start[8:12] in _HEIC:
        return _opener("Heif")
    if start[4:8] == b"ftyp" and start[8:12] in (b"avif", b"avis", b"mif1", b"msf1"):
        return _opener("Avif")
    return next((_opener(kind) for begin, kind in _SIGNATURES.items() if start.startswith(begin)), None)


@lru_cache(maxsize=16)
def _opener(kind: str) -> Callable[[BinaryIO, str], ImageFile.ImageFile]:
    """Return the class of a kind of files, whose module is loaded with the first of them."""
    module = importlib.import_module(_MODULES.get(kind, f"PIL.{kind}ImagePlugin"))
    found: type[ImageFile.ImageFile] = getattr(module, f"{kind}ImageFile")
    if kind != "Jpeg":
        return found
    # Pillow would warn about harmless damage in the EXIF block.
    return type("_JpegFile", (found,), {"_read_dpi_from_exif": lambda _: None})


def orientation_of(image: ImageFile.ImageFile) -> tuple[int, bytes | None]:
    """Return the orientation, 1 to 8, and the EXIF block of an opened image."""
    if image.format == "TIFF":
        return 1, None  # Pillow turns it upright itself; its EXIF entries are tags of the file
    exif = (image.info.get("exif") or b"").removeprefix(conversion.EXIF_PREFIX) or None
    return conversion.find_orientation(exif)[0], exif


def header_of(image: ImageFile.ImageFile, file: BinaryIO) -> ImageHeader:
    """Return the header of an image that is opened but not decoded."""
    channels, has_alpha, bits = _layout(image)
    bits = 16 if deep.is_deep_avif(image, file) else bits
    width, height = image.size
    if orientation_of(image)[0] >= 5:
        width, height = height, width
    position = file.tell()
    size = file_size(file)
    file.seek(position)
    frames = int(getattr(image, "n_frames", 1))
    form = RAW if isinstance(file, CameraPicture) else image.format or ""
    return ImageHeader(width, height, channels, has_alpha, bits, form, frames, size)


def _layout(image: ImageFile.ImageFile) -> tuple[int, bool, int]:
    """Return the number of channels, whether there is alpha, and the bits of a value."""
    mode = image.mode
    keyed = "transparency" in image.info
    if deep.is_deep(image):
        layout = deep.layout_of(image)
        return layout.channels, layout.has_alpha or keyed, 16
    bits = 16 if mode.startswith("I") else 8
    if mode.startswith(("1", "L", "I", "F")) and mode != "LAB":
        return 1, mode in ("LA", "La") or keyed, bits
    return 3, mode in ("PA", "RGBA", "RGBa") or keyed or _has_palette_alpha(image), bits


def _has_palette_alpha(image: PillowImage.Image) -> bool:
    return image.palette is not None and image.palette.mode == "RGBA"


def decode_pillow(image: ImageFile.ImageFile, file: BinaryIO, name: str) -> Image:
    """Decode an opened image, or raise an ImageError if bits would be lost; Pillow's own errors pass."""
    deep.refuse_lossy(image, file, name)
    if deep.is_deep(image):
        pixels, alpha = deep.decode(image, file)
    elif deep.is_deep_avif(image, file):
        pixels, alpha = deep.decode_avif(image, file)
    else:
        # Pillow scales two and four bits to eight in the pixels, but not in the transparent colour.
        key_scale = {"L;2": 85, "L;4": 17}.get(deep.raw_mode(image), 1)
        image.load()
        pixels, alpha = arrays_of(image, name, key_scale)
    # In a PNG, the EXIF block and the key colour may follow the pixels.
    orientation, exif = orientation_of(image)
    icc = image.info.get("icc_profile") or None
    if image.mode in ("CMYK", "LAB", "YCbCr", "HSV"):
        icc = None  # the pixels have been converted out of its colour space
    xmp, iptc = described(image)
    bits = int(image.info.get("bit_depth", 8)) if image.format == "HEIF" else deep.stored_bits(image, file)
    lost = bits if bits > 8 and pixels.dtype == np.uint8 else None
    white = declared_white(file) if image.format == "PNG" and pixels.dtype == np.uint16 else None
    beside: dict[str, Any] = {"icc_profile": icc, "exif": exif, "xmp": xmp, "iptc": iptc, "white": white}
    return conversion.turned(Image(pixels, alpha, stored_bits=lost, **beside), orientation)


def described(image: ImageFile.ImageFile) -> tuple[bytes | None, bytes | None]:
    """Return the XMP packet and the IPTC records of a decoded image, which are None where it has none.

    In JPEGs, IPTC records are one of Photoshop's resources. Those of a TIFF are tags of the file.
    """
    if image.format == "TIFF":
        return None, None
    xmp, resources = image.info.get("xmp"), image.info.get("photoshop")
    iptc = resources.get(IPTC_RESOURCE) if isinstance(resources, dict) else None
    return (xmp or None) if isinstance(xmp, bytes) else None, iptc if isinstance(iptc, bytes) else None


def _array_of(image: PillowImage.Image) -> Pixels:
    """Convert a decoded image to an array strip by strip.

    Converting it whole, Pillow first makes many small pieces, and then joins them holding the interpreter's
    lock, which takes as long as decoding.
    """
    width, height = image.size
    lines = STRIP // max(width, 1)
    if not 0 < lines < height:
        return np.asarray(image)

    def strip(top: int) -> Pixels:
        return np.asarray(image.crop((0, top, width, min(top + lines, height))))

    first = strip(0)
    found = np.empty((height, *first.shape[1:]), first.dtype)
    found[:lines] = first
    for top in range(lines, height, lines):
        found[top : top + lines] = strip(top)
    return found


def arrays_of(image: PillowImage.Image, name: str, key_scale: int = 1) -> tuple[Pixels, Pixels | None]:
    """Return a decoded image's pixels, shape (H, W, 1 or 3), and its alpha, shape (H, W).

    `image` may be a frame of an animation; the colour that stands for transparent is multiplied by
    `key_scale`.
    """
    mode = image.mode
    if mode in ("P", "PA"):
        has_alpha = mode == "PA" or "transparency" in image.info or _has_palette_alpha(image)
        image = image.convert("RGBA" if has_alpha else "RGB")
    elif mode in ("CMYK", "LAB", "YCbCr", "HSV"):
        image = conversion.to_rgb(image, image.info.get("icc_profile"))
    elif mode == "RGBX":
        image = image.convert("RGB")
    array = conversion.narrow(_array_of(image), name)
    if array.ndim == 2:
        array = array[..., None]
    if image.mode in ("LA", "RGBA", "La", "RGBa"):
        pixels, alpha = split_alpha(array)
        return (conversion.unpremultiply(pixels, alpha) if image.mode.endswith("a") else pixels), alpha
    pixels = np.ascontiguousarray(array)
    key = image.info.get("transparency")
    return pixels, None if key is None else deep.keyed_alpha(pixels, np.multiply(key, key_scale))


REDUCTION, LARGEST = 8, 1 << 24
"""Largest factor by which JPEGs are decoded smaller, and most pixels of a small picture."""


def upright_jpeg(image: ImageFile.ImageFile, name: str, side: int, orientation: int) -> Pixels:
    """Decode an opened JPEG at up to an eighth of its size, with at least `side` pixels on each side."""
    image.draft(None, (side, side))
    image.load()
    pixels, _ = arrays_of(image, name)
    return np.ascontiguousarray(conversion.orient(pixels, orientation))


def embedded_jpeg(data: bytes, name: str, side: int, orientation: int) -> Pixels | None:
    """Decode a small JPEG inside another file, turned like its image; None if it is none, or is not small."""
    image = open_pillow(io.BytesIO(data), name)
    if math.prod(image.size) > LARGEST or image.format != "JPEG":
        return None
    return upright_jpeg(image, name, side, orientation)


def few_colours(picture: PillowImage.Image) -> PillowImage.Image:
    """Return a picture with a palette of 256 colours at most, and the same pixels if it has no more."""
    if not picture.mode.startswith("RGB"):
        return picture  # grey needs no palette
    known = picture.getcolors(_PALETTE)  # it stops at once where there are more
    if known is None:
        return picture.quantize(_PALETTE, PillowImage.Quantize.FASTOCTREE if picture.mode == "RGBA" else None)
    values = np.asarray(picture.convert("RGBA")).view(np.uint32)[..., 0]
    colours = np.full((len(known), 4), 255, np.uint8)
    colours[:, : len(picture.mode)] = [each for _, each in known]
    found = np.sort(colours.view(np.uint32)[:, 0])
    result = PillowImage.fromarray(np.searchsorted(found, values).astype(np.uint8), "P")
    colours = found.view(np.uint8).reshape(-1, 4)[:, : len(picture.mode)]
    result.putpalette(colours.tobytes(), picture.mode)
    return result


class _Plain:
    """A file without a descriptor: encoders write through Python, which reports partial writes."""

    def __init__(self, file: BinaryIO) -> None:
        self.write, self.flush = file.write, file.flush
        self.seek, self.tell, self.read = file.seek, file.tell, file.read


_JPEG_END = b"\xff\xd9"  # the marker at the end of an image


def save(picture: PillowImage.Image, file: BinaryIO, name: str, **options: Any) -> None:
    """Write a picture in Pillow's format `name`; raises OSError if the disk is full.

    Given a real file, Pillow hands its descriptor to encoders that take a partial write for a complete one:
    on a full disk, JPEG and others are truncated without an error. So encoders get no descriptor here, and
    that of JPEG one of memory: where a picture does not fit into the buffer that Pillow sets aside for its
    scans, as noise does not, it is written in a single one.
    """
    if name != "JPEG":
        picture.save(_Plain(file), name, **options)  # type: ignore[arg-type]  # it has all that Pillow uses
        return
    # A real file where there are such in memory: Pillow keeps the interpreter's lock for any other.
    real = sys.platform == "linux"
    with os.fdopen(os.memfd_create("picture"), "w+b") if real else io.BytesIO() as encoded:
        try:
            picture.save(encoded, name, **options)
        except OSError:
            if not options.get("progressive"):
                raise
            save(picture, file, name, **options | {"optimize": False, "progressive": False})
            return
        encoded.seek(0)
        data = encoded.read()
    if not data.endswith(_JPEG_END):  # where no file may grow as long, nor may one of memory
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    file.write(data)


_CODESTREAM, _RATIOS = b"\xff\x0a", ((1, 1), (6, 5), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1))
_BITS, _START = (9, 13, 18, 30), 14  # of a side; bytes that hold signature and sizes


def jxl_size(file: BinaryIO) -> tuple[int, int]:
    """Return width and height as stored, not yet turned upright; ValueError or struct.error if damaged."""
    file.seek(0)
    start = file.read(_START)
    if not start.startswith(_CODESTREAM):
        file.seek(0)
        start = _boxed(file)
    file.seek(0)
    if not start.startswith(_CODESTREAM):
        raise ValueError("there is no codestream")
    bits = int.from_bytes(start[len(_CODESTREAM) :], "little")

    def take(count: int) -> int:
        nonlocal bits
        found, bits = bits & ((1 << count) - 1), bits >> count
        return found

    small = take(1)

    def side() -> int:
        return 8 * (take(5) + 1) if small else take(_BITS[take(2)]) + 1

    height = side()
    ratio = take(3)
    if not ratio:
        return side(), height
    wide, high = _RATIOS[ratio - 1]
    return height * wide // high, height


def _boxed(file: BinaryIO) -> bytes:
    """Return the start of the codestream in a file of boxes."""
    while True:
        length, kind = struct.unpack(">I4s", file.read(8))
        begun = 8
        if length == 1:
            (length,) = struct.unpack(">Q", file.read(8))
            begun = 16
        if kind in (b"jxlc", b"jxlp"):
            return file.read(4 * (kind == b"jxlp") + _START)[4 * (kind == b"jxlp") :]
        if length < begun:
            raise ValueError("there is no codestream")
        file.seek(length - begun, 1)

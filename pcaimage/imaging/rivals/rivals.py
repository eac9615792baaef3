"""Other codecs, with carefully chosen settings, for comparison at equal size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from PIL import Image as PillowImage
from PIL import features

from pcaimage.errors import ImageError, SettingsError
from pcaimage.imaging.image import formats
from pcaimage.imaging.image.formats import OPTIONAL, Format, format_named
from pcaimage.imaging.image.image import Image
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.imaging.rivals.alternatives import Trials, decoded
from pcaimage.imaging.still import jpeg2000
from pcaimage.imaging.still.jpeg2000 import Ask
from pcaimage.imaging.writing.write import encode_image
from pcaimage.progress import Progress, no_progress

SAMPLE_PIXELS = 1 << 19
"""Pixels of the sample on which the search starts, for images larger than four thirds of it."""

_MOST_TRIALS = 6
_LEAST_BITS, _MOST_BITS = 0.005, 48.0  # range of the JPEG 2000 quality, in bits per pixel


@dataclass(frozen=True)
class RivalCodec:
    """A codec to compare with."""

    name: str  # in programs
    format: Format  # how its files are written; those of JPEG 2000 at a rate rather than a PSNR
    note: str  # description of its settings

    @property
    def title(self) -> str:
        """The name in sentences."""
        return format_named(self.format.kind).title


RIVALS: tuple[RivalCodec, ...] = (
    RivalCodec("jpeg", format_named("JPEG"), "4:2:0, optimised, progressive"),
    RivalCodec("webp", format_named("WEBP"), "method 6"),
    RivalCodec("avif", format_named("AVIF-444"), "4:4:4, speed 6"),
    RivalCodec("jpeg2000", format_named("JPEG2000"), "9/7 wavelet"),
    RivalCodec("jpegxl", format_named("JXL"), "effort 7"),
)
"""All codecs to compare with, in display order."""


def rival_named(name: str) -> RivalCodec:
    """Return the codec of a name, such as ``"jpeg"``."""
    for rival in RIVALS:
        if rival.name == name:
            return rival
    names = ", ".join(rival.name for rival in RIVALS)
    raise SettingsError(f"There is no codec {name!r} to compare with; there are {names}.")


def obstacle(name: str, shape: Sequence[int], dtype: np.dtype[Any] | type | str) -> str | None:
    """Return a sentence that tells why a codec cannot encode an image; None if it can."""
    rival, kind = rival_named(name), np.dtype(dtype)
    if OPTIONAL.get(rival.title) and not features.check(OPTIONAL[rival.title]):
        return f"{rival.title} is not part of this installation (Pillow lacks it)."
    if name == "jpeg2000" and kind == np.uint16 and len(shape) == 3 and shape[-1] == 1:
        kind = np.dtype(np.uint8)  # it holds grey of either depth at a rate
    found = formats.obstacle(rival.format, shape, kind, alpha=False)
    return None if found is None else f"{rival.title}{found.split(';')[0].removeprefix(rival.format.name)}."


@dataclass(frozen=True, eq=False)
class Encoded:
    """An image encoded by another codec, and decoded again."""

    name: str
    quality: float  # that was requested; bits per pixel for ``"jpeg2000"``
    n_bytes: int  # of the file, which has neither metadata nor alpha
    pixels: Pixels

    @property
    def setting(self) -> str:
        """The requested quality in words."""
        return f"{self.quality:.2g} bit/pixel" if self.name == "jpeg2000" else f"quality {self.quality:.0f}"


def encode_at_quality(pixels: Pixels, name: str, quality: float, progress: Progress = no_progress) -> Encoded:
    """Encode an image, grey or RGB, with another codec at a quality in its own terms.

    ImageError if the codec cannot encode the image, or is not installed.
    """
    rival, ask = _fitting(pixels, name), partial(progress, 0, 2)
    if name == "jpeg2000":
        return _jpeg2000(pixels, quality, ask)
    ask()
    image = Image(np.ascontiguousarray(pixels))
    data = encode_image(image, rival.format.name, round(quality))
    progress(1, 2)
    return Encoded(name, quality, len(data), decoded(data, image, rival.format).pixels)


def encode_at_size(pixels: Pixels, name: str, n_bytes: int, progress: Progress = no_progress) -> Encoded:
    """Encode an image, grey or RGB, with another codec at the best quality within a number of bytes.

    If none fits, the result is the smallest, which is larger. The search of a large image starts on a sample,
    so that rarely more than three files of the whole are made. ImageError if the codec cannot encode the
    image, or is not installed.
    """
    rival = _fitting(pixels, name)
    if name == "jpeg2000":
        return _at_bits(pixels, n_bytes, progress)
    trials = Trials(Image(np.ascontiguousarray(pixels)), SAMPLE_PIXELS)
    quality, data = trials.fitted(
        rival.format, n_bytes, (1, rival.format.max_quality - (name == "jpegxl")), progress
    )
    return Encoded(name, quality, len(data), decoded(data, trials.image, rival.format).pixels)


def _fitting(pixels: Pixels, name: str) -> RivalCodec:
    reason = obstacle(name, pixels.shape, pixels.dtype)
    if reason is not None:
        raise ImageError(reason)
    return rival_named(name)


def _at_bits(pixels: Pixels, n_bytes: int, progress: Progress) -> Encoded:
    """Return the JPEG 2000 that fits; the smallest if none does."""
    quality = min(max(8 * n_bytes / (pixels.shape[0] * pixels.shape[1]), _LEAST_BITS), _MOST_BITS)
    for trial in range(_MOST_TRIALS):
        found = _jpeg2000(pixels, quality, partial(progress, trial, _MOST_TRIALS + 1))
        if found.n_bytes <= n_bytes or quality <= _LEAST_BITS:
            break
        # Neither headers nor the last pass of a block count towards the requested rate.
        quality = max(quality * 0.998 * n_bytes / found.n_bytes, _LEAST_BITS)
    return found


def _jpeg2000(pixels: Pixels, quality: float, ask: Ask) -> Encoded:
    """Return a JPEG 2000 of a number of bits per pixel, without a header of the file."""
    channels = pixels.shape[-1]
    rate = max(channels * 8 * pixels.dtype.itemsize / quality, 1.0)
    options = {"irreversible": True, "no_jp2": True, "quality_mode": "rates"}
    options |= {"quality_layers": [rate], "mct": int(channels == 3)}
    picture = PillowImage.fromarray(np.ascontiguousarray(pixels[..., 0] if channels == 1 else pixels))
    data = jpeg2000.encode(picture, options, ask)
    return Encoded("jpeg2000", quality, len(data), jpeg2000.decode(data, pixels.shape, pixels.dtype, ask))

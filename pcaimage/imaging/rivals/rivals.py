"""Other codecs, with carefully chosen settings, for comparison at equal size.

Functions that use Pillow import it themselves, as the codecs' names are needed more often.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from itertools import count
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

from pcaimage.errors import ImageError, SettingsError
from pcaimage.imaging.image.formats import JXL_MODULE
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.imaging.measures.mosaic import mosaic
from pcaimage.imaging.still import jpeg2000
from pcaimage.imaging.still.jpeg2000 import Ask
from pcaimage.progress import Progress, no_progress

if TYPE_CHECKING:
    from PIL import Image as PillowImage

SAMPLE_PIXELS = 1 << 19
"""Pixels of the sample on which the search starts, for images larger than four thirds of it."""

_MOST_TRIALS = 6  # largest number of encodings of a large image once a file fits
_MOST_INTERPOLATED = 5  # trials of a search after which it halves what is left

_TOLERANCE = 1.01
"""A quality is skipped if its corrected forecast exceeds the wanted size by more than this factor."""

_LEAST_BITS, _MOST_BITS = 0.005, 48.0  # range of the JPEG 2000 quality, in bits per pixel


@dataclass(frozen=True)
class RivalCodec:
    """A codec to compare with."""

    name: str  # in programs
    title: str  # in sentences
    form: str  # Pillow's name of the format
    feature: str  # Pillow's name of what it requires; empty for none
    qualities: tuple[float, float]  # the worst and the best
    max_side: int  # in pixels
    note: str  # description of its settings
    options: dict[str, Any] = field(repr=False)  # its settings for Pillow
    whole: bool = True  # whether qualities are whole numbers; otherwise they are bits per pixel
    deep: bool = False  # whether it stores grey of 16 bits
    module: str = ""  # registers the format with Pillow; empty if Pillow supports it

    @property
    def installed(self) -> bool:
        """Whether its optional module is installed, if it needs one."""
        return not self.module or find_spec(self.module) is not None


_JPEG = {"subsampling": "4:2:0", "optimize": True, "progressive": True}

RIVALS: tuple[RivalCodec, ...] = (
    RivalCodec("jpeg", "JPEG", "JPEG", "jpg", (1, 100), 65_500, "4:2:0, optimised, progressive", _JPEG),
    RivalCodec("webp", "WebP", "WEBP", "webp", (0, 100), 16_383, "method 6", {"method": 6}),
    RivalCodec("avif", "AVIF", "AVIF", "avif", (0, 100), 65_536, "4:4:4, speed 6", {"speed": 6}),
    RivalCodec(
        "jpeg2000",
        "JPEG 2000",
        "JPEG2000",
        "jpg_2000",
        (_LEAST_BITS, _MOST_BITS),
        2**31 - 1,
        "9/7 wavelet",
        {"irreversible": True, "no_jp2": True, "quality_mode": "rates"},
        whole=False,
        deep=True,
    ),
    # At quality 100 the plug-in requests lossless coding, which fails for colour.
    RivalCodec("jpegxl", "JPEG XL", "JXL", "", (1, 99), 2**18, "effort 7", {"effort": 7}, module=JXL_MODULE),
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
    from PIL import features

    rival, kind = rival_named(name), np.dtype(dtype)
    deep = kind.itemsize > 1
    title, channels = rival.title, shape[-1]
    hurdles = (
        (len(shape) != 3, f"{title} holds one image, not a stack."),
        (channels not in (1, 3), f"{title} holds grey or RGB, not {channels} bands."),
        (kind.kind != "u", f"{title} holds whole numbers without sign, not {kind.name}."),
        (deep and not rival.deep, f"{title} holds 8 bits a channel here, not 16."),
        (deep and channels != 1, f"{title} with 16 bits is written in grey only here, not in colour."),
        (max(shape[:2]) > rival.max_side, f"{title} holds at most {rival.max_side:,} pixels a side."),
        (not rival.installed, f"{title} needs the package pillow-jxl-plugin, which is not installed."),
        (
            bool(rival.feature) and not features.check(rival.feature),
            f"{title} is not part of this installation (Pillow lacks it).",
        ),
    )
    return next((sentence for stands, sentence in hurdles if stands), None)


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
        if rival_named(self.name).whole:
            return f"quality {self.quality:.0f}"
        return f"{self.quality:.2g} bit/pixel"


def encode_at_quality(pixels: Pixels, name: str, quality: float, progress: Progress = no_progress) -> Encoded:
    """Encode an image, grey or RGB, with another codec at a quality in its own terms.

    ImageError if the codec cannot encode the image, or is not installed.
    """
    encoder = _Encoder.of(pixels, name)
    data = encoder.encode(quality, partial(progress, 0, 2))
    return Encoded(name, quality, len(data), encoder.decode(data, partial(progress, 1, 2)))


def encode_at_size(pixels: Pixels, name: str, n_bytes: int, progress: Progress = no_progress) -> Encoded:
    """Encode an image, grey or RGB, with another codec at the best quality within a number of bytes.

    If none fits, the result is the smallest, which is larger. There are up to eight trials for a small image,
    and rarely more than three for a large one, whose search starts on a sample. ImageError if the codec
    cannot encode the image, or is not installed.
    """
    encoder = _Encoder.of(pixels, name)
    search = _search if encoder.rival.whole else _search_bits
    quality, data = search(encoder, pixels, n_bytes, progress)
    last = partial(progress, _MOST_TRIALS, _MOST_TRIALS + 1)
    return Encoded(name, quality, len(data), encoder.decode(data, last))


@dataclass(frozen=True, eq=False)
class _Encoder:
    """A codec set up for one image."""

    rival: RivalCodec
    pixels: Pixels

    @classmethod
    def of(cls, pixels: Pixels, name: str) -> _Encoder:
        reason = obstacle(name, pixels.shape, pixels.dtype)
        if reason is not None:
            raise ImageError(reason)
        return cls(rival_named(name), np.ascontiguousarray(pixels))

    @cached_property
    def image(self) -> PillowImage.Image:
        """The pixels as Pillow's image."""
        from PIL import Image as PillowImage

        return PillowImage.fromarray(self.pixels[..., 0] if self.shape[-1] == 1 else self.pixels)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.pixels.shape

    @property
    def mode(self) -> str:
        if self.pixels.dtype.itemsize > 1:
            return "I;16"
        return "L" if self.shape[-1] == 1 else "RGB"

    def encode(self, quality: float, ask: Ask = lambda: None) -> bytes:
        rival, channels = self.rival, self.shape[-1]
        options = dict(rival.options)
        if rival.whole:
            options["quality"] = round(quality)
        else:
            bits = channels * 8 * self.pixels.dtype.itemsize
            options |= {"quality_layers": [max(bits / quality, 1.0)], "mct": int(channels == 3)}
        if rival.name == "avif":
            options["subsampling"] = "4:0:0" if channels == 1 else "4:4:4"
        self._introduce()
        ask()
        if self._in_subprocess:
            size = self.shape[1], self.shape[0]
            return jpeg2000.encode(self.pixels.data.cast("B"), self.mode, size, options, ask)
        try:
            # Pillow releases the interpreter lock for a file on disk, but not for one in memory.
            with TemporaryFile() as file:
                self.image.save(file, rival.form, **options)
                file.seek(0)
                return file.read()
        except (OSError, ValueError, RuntimeError, SyntaxError) as error:
            raise ImageError(f"The image cannot be encoded as {rival.title}.") from error

    def decode(self, data: bytes, ask: Ask = lambda: None) -> Pixels:
        ask()
        if self._in_subprocess:
            raw: Pixels = np.frombuffer(jpeg2000.decode(data, ask), self.pixels.dtype)
            return raw.reshape(self.shape)
        image = self._open(data)
        wanted = self.mode
        if image.mode != wanted and wanted in ("L", "RGB"):  # WebP and AVIF store RGB only
            image = image.convert(wanted)
        decoded: Pixels = np.asarray(image)
        return np.ascontiguousarray(decoded).reshape(self.shape)

    def _open(self, data: bytes) -> PillowImage.Image:
        if self.rival.module:
            from PIL import Image as PillowImage

            self._introduce()
            return PillowImage.open(BytesIO(data))  # our own reader refuses formats of plug-ins
        from pcaimage.imaging.still.pillow import open_pillow

        return open_pillow(BytesIO(data), self.rival.title)

    def _introduce(self) -> None:
        """Register a plug-in's format with Pillow."""
        if self.rival.module:
            import_module(self.rival.module)

    @property
    def _in_subprocess(self) -> bool:
        height, width = self.shape[:2]
        return self.rival.name == "jpeg2000" and height * width > jpeg2000.SUBPROCESS_PIXELS


def _search(encoder: _Encoder, pixels: Pixels, n_bytes: int, progress: Progress) -> tuple[float, bytes]:
    """Return the highest quality whose file fits, and that file; the lowest if none does.

    Sizes are forecast by those of a sample, and scaled by the last file.
    """
    first, last = (int(quality) for quality in encoder.rival.qualities)
    sample, ask = mosaic(pixels, SAMPLE_PIXELS), partial(progress, 0, _MOST_TRIALS + 1)
    made = cache(partial(encoder.encode, ask=ask))
    tried = made if sample.size == pixels.size else cache(_Encoder.of(sample, encoder.rival.name).encode)
    weight, below, above = pixels.size / sample.size, first - 1, last + 1
    best = smallest = b""
    for trial in count():
        progress(min(trial, _MOST_TRIALS), _MOST_TRIALS + 1)
        goal = math.log(n_bytes / weight)
        fitting, _ = crossing(lambda quality: math.log(len(tried(quality))), goal, (below, above))
        quality = max(fitting, below + 1)
        too_large = weight * len(tried(quality)) > _TOLERANCE * n_bytes
        if best and (trial >= _MOST_TRIALS or too_large):
            break
        data = made(quality)
        weight = len(data) / len(tried(quality))
        if len(data) <= n_bytes:
            below, best = quality, data
        else:
            above, smallest = quality, data
        if above - below <= 1 or tried is made:  # of a small image the forecast is the file
            break
    return (below, best) if best else (above, smallest)


def crossing(
    value: Callable[[int], float],
    goal: float,
    bounds: tuple[int, int],
    slacks: tuple[float, float] = (0.0, 0.0),
) -> tuple[int, int]:
    """Return adjacent qualities between two bounds whose values are at most a goal, and above it.

    Values grow about linearly with the quality, so the search interpolates between known ones. It ends early
    with a value within `slacks` below or above the goal. If all are below or all above, one of the two is a
    bound, which is not tried.
    """
    low, high = bounds
    known: dict[int, float] = {}
    while high - low > 1:
        middle = (low + high) // 2
        if low in known and high in known and len(known) < _MOST_INTERPOLATED:
            share = (goal - known[low]) / max(known[high] - known[low], 1e-9)
            middle = min(max(round(low + share * (high - low)), low + 1), high - 1)
        found = known[middle] = value(middle)
        low, high = (middle, high) if found <= goal else (low, middle)
        if -slacks[0] < found - goal < slacks[1]:
            break
    return low, high


def _search_bits(encoder: _Encoder, pixels: Pixels, n_bytes: int, progress: Progress) -> tuple[float, bytes]:
    """Return the bits per pixel whose file fits, and that file; the smallest if none does."""
    least, most = encoder.rival.qualities
    wanted = 8 * n_bytes / (pixels.shape[0] * pixels.shape[1])
    quality = min(max(wanted, least), most)
    for trial in range(_MOST_TRIALS):
        data = encoder.encode(quality, partial(progress, trial, _MOST_TRIALS + 1))
        if len(data) <= n_bytes or quality <= least:
            return quality, data
        # Neither headers nor the last pass of a block count towards the requested rate.
        quality = max(quality * 0.998 * n_bytes / len(data), least)
    return least, encoder.encode(least)

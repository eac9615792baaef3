"""Other codecs, set as a careful user sets them, to compare with at the same number of bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from io import BytesIO
from tempfile import TemporaryFile

import numpy as np
from PIL import Image as PillowImage

from pcaimage.errors import ImageError
from pcaimage.imaging import apart
from pcaimage.imaging.apart import Ask
from pcaimage.imaging.mosaic import mosaic
from pcaimage.imaging.pillow import open_pillow
from pcaimage.imaging.rival_table import RIVALS, Rival, obstacle, rival_named
from pcaimage.imaging.types import Pixels
from pcaimage.progress import Progress, no_progress

__all__ = ["RIVALS", "Encoded", "Rival", "encode_at_quality", "encode_at_size", "obstacle", "rival_named"]

_SAMPLE = 1 << 19
"""Pixels of the sample on which the search begins, for images of more than four thirds of it."""

_MOST_TRIALS = 6
"""A large image is not encoded more often than this, if one of the files fits."""

_APART_FROM = 150_000
"""JPEG 2000 of so many pixels is another process's work."""

_SURELY = 1.01
"""A quality is not tried if the forecast, put right by the last trial, lies so far above what is wanted."""


@dataclass(frozen=True, eq=False)
class Encoded:
    """What another codec made of an image.

    Parameters
    ----------
    name : str
        Which codec, such as ``"jpeg"``.
    quality : float
        The quality that it was asked for; bits per pixel for ``"jpeg2000"``.
    n_bytes : int
        Size of the file. It has neither metadata nor opacity.
    pixels : ndarray of uint8 or uint16, shape (H, W, C)
        What the file decodes to.
    """

    name: str
    quality: float
    n_bytes: int
    pixels: Pixels

    @property
    def setting(self) -> str:
        """What it was asked for, in words."""
        if rival_named(self.name).whole:
            return f"quality {self.quality:.0f}"
        return f"{self.quality:.2g} bit/pixel"


def encode_at_quality(pixels: Pixels, name: str, quality: float, progress: Progress = no_progress) -> Encoded:
    """Encode an image by another codec.

    Parameters
    ----------
    pixels : ndarray of uint8 or uint16, shape (H, W, C)
        Grey or RGB.
    name : str
        Such as ``"jpeg"``.
    quality : float
        In the codec's own terms; for ``"jpeg2000"``, bits per pixel.
    progress : Progress
        Told of the work done.

    Returns
    -------
    Encoded
        The file's size and its pixels.

    Raises
    ------
    ImageError
        If it cannot carry the image, or is not installed.
    """
    codec = _Codec.of(pixels, name)
    data = codec.encode(quality, partial(progress, 0, 2))
    return Encoded(name, quality, len(data), codec.decode(data, partial(progress, 1, 2)))


def encode_at_size(pixels: Pixels, name: str, n_bytes: int, progress: Progress = no_progress) -> Encoded:
    """Encode an image as well as another codec can within a number of bytes.

    Parameters
    ----------
    pixels : ndarray of uint8 or uint16, shape (H, W, C)
        Grey or RGB.
    name : str
        Such as ``"jpeg"``.
    n_bytes : int
        The largest size.
    progress : Progress
        Told of the work done; asked before each trial, of which there are up to eight on a small image
        and rarely more than three on a large one, where a sample tells where to begin.

    Returns
    -------
    Encoded
        The best that fits; where none does, the smallest, whose size is larger than `n_bytes`.

    Raises
    ------
    ImageError
        If the codec cannot carry the image, or is not installed.
    """
    codec = _Codec.of(pixels, name)
    search = _search if codec.rival.whole else _search_bits
    quality, data = search(codec, pixels, n_bytes, progress)
    last = partial(progress, _MOST_TRIALS, _MOST_TRIALS + 1)
    return Encoded(name, quality, len(data), codec.decode(data, last))


@dataclass(frozen=True, eq=False)
class _Codec:
    """A codec with an image in it."""

    rival: Rival
    pixels: Pixels

    @classmethod
    def of(cls, pixels: Pixels, name: str) -> _Codec:
        reason = obstacle(name, pixels.shape, pixels.dtype)
        if reason is not None:
            raise ImageError(reason)
        return cls(rival_named(name), np.ascontiguousarray(pixels))

    @cached_property
    def image(self) -> PillowImage.Image:
        """The pixels in Pillow's hands."""
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
        ask()
        if self._apart:
            size = self.shape[1], self.shape[0]
            return apart.encode(self.pixels.data.cast("B"), self.mode, size, options, ask)
        try:
            # A file of the system's lets other threads run meanwhile, which one in memory does not.
            with TemporaryFile() as file:
                self.image.save(file, rival.form, **options)
                file.seek(0)
                return file.read()
        except (OSError, ValueError, RuntimeError, SyntaxError) as error:
            raise ImageError(f"The image cannot be encoded as {rival.title}.") from error

    def decode(self, data: bytes, ask: Ask = lambda: None) -> Pixels:
        ask()
        if self._apart:
            raw: Pixels = np.frombuffer(apart.decode(data, ask), self.pixels.dtype)
            return raw.reshape(self.shape)
        image: PillowImage.Image = open_pillow(BytesIO(data), self.rival.title)
        wanted = self.mode
        if image.mode != wanted and wanted in ("L", "RGB"):  # WebP and AVIF know RGB only
            image = image.convert(wanted)
        decoded: Pixels = np.asarray(image)
        return np.ascontiguousarray(decoded).reshape(self.shape)

    @property
    def _apart(self) -> bool:
        height, width = self.shape[:2]
        return self.rival.name == "jpeg2000" and height * width > _APART_FROM


@dataclass(frozen=True, eq=False)
class _Forecast:
    """About what an image's files take, from a sample of it."""

    sample: _Codec
    weight: float
    _sizes: dict[int, float] = field(default_factory=dict, init=False, repr=False)

    def size(self, quality: int) -> float:
        if quality not in self._sizes:
            self._sizes[quality] = self.weight * len(self.sample.encode(quality))
        return self._sizes[quality]

    def best_within(self, n_bytes: float, below: int, above: int) -> int:
        """Return the highest quality between two that probably fits, or the lowest there is between them."""
        while above - below > 1:
            middle = (below + above) // 2
            if self.size(middle) <= n_bytes:
                below = middle
            else:
                above = middle
        return below


def _forecast(codec: _Codec, pixels: Pixels) -> _Forecast | None:
    """Return a forecast for an image so large that it is worth one."""
    sample = mosaic(pixels, _SAMPLE)
    if sample.size == pixels.size:
        return None
    return _Forecast(_Codec.of(sample, codec.rival.name), pixels.size / sample.size)


def _search(codec: _Codec, pixels: Pixels, n_bytes: int, progress: Progress) -> tuple[float, bytes]:
    """Return the highest quality whose file fits, and that file; the lowest where none does."""
    first, last = (int(quality) for quality in codec.rival.qualities)
    progress(0, _MOST_TRIALS + 1)
    forecast, correction = _forecast(codec, pixels), 1.0
    below, above, trials = first - 1, last + 1, 0
    best = smallest = b""
    while above - below > 1:
        quality = (below + above) // 2
        if forecast is not None:
            quality = max(forecast.best_within(n_bytes / correction, below, above), below + 1)
            surely_above = correction * forecast.size(quality) > _SURELY * n_bytes
            if best and (trials >= _MOST_TRIALS or surely_above):
                break
        data = codec.encode(quality, partial(progress, min(trials, _MOST_TRIALS), _MOST_TRIALS + 1))
        trials += 1
        if forecast is not None:
            correction = len(data) / forecast.size(quality)
        if len(data) <= n_bytes:
            below, best = quality, data
        else:
            above, smallest = quality, data
    return (below, best) if best else (above, smallest)


def _search_bits(codec: _Codec, pixels: Pixels, n_bytes: int, progress: Progress) -> tuple[float, bytes]:
    """Return the size to ask for so that the file fits, and that file; the smallest where none does."""
    least, most = codec.rival.qualities
    wanted = 8 * n_bytes / (pixels.shape[0] * pixels.shape[1])
    quality = min(max(wanted, least), most)
    for trial in range(_MOST_TRIALS):
        data = codec.encode(quality, partial(progress, trial, _MOST_TRIALS + 1))
        if len(data) <= n_bytes or quality <= least:
            return quality, data
        # Headers are not counted as they are told, nor is the last pass of a block.
        quality = max(quality * 0.998 * n_bytes / len(data), least)
    return least, codec.encode(least)

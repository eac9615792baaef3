"""Trial files of one picture in several formats, at equal size or equal quality, to choose between them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from io import BytesIO
from itertools import count
from typing import NamedTuple

import numpy as np
from PIL import Image as PillowImage

from pcaimage.imaging.image.bands import BandInfo
from pcaimage.imaging.image.formats import ARRAY_FORMATS, JXL_MODULE, Format, resolve_quality
from pcaimage.imaging.image.image import Image
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.imaging.image.timing import Timing
from pcaimage.imaging.measures.metrics import psnr, ssim
from pcaimage.imaging.measures.mosaic import Mosaic
from pcaimage.imaging.rivals.rivals import crossing
from pcaimage.imaging.still.pillow import arrays_of, open_pillow
from pcaimage.imaging.writing.write import encode_image
from pcaimage.progress import Progress, no_progress

_SIZE_SLACK, _PSNR_SLACK = 0.03, 0.1
"""Tolerances of the search: share of the bytes left unused, and PSNR above the target in decibels."""
_MOST_TRIALS = 8  # usual number of trials, by which their progress is told
_MOST_PSNR = 120.0  # PSNR in decibels that represents equality


@dataclass(frozen=True)
class Alternative:
    """A picture in one format at one quality."""

    format: Format
    quality: int | None  # in the format's own terms; None for a lossless format
    n_bytes: int
    psnr: float  # in decibels; infinite if nothing is lost
    ssim: float
    exact: bool  # whether the figures are those of the whole file, rather than estimates


class _File(NamedTuple):
    n_bytes: int
    pixels: Pixels
    psnr: float


@dataclass(eq=False)
class Trials:
    """Files of one picture in several formats, each made once; a sample represents a large picture.

    The picture is grey or RGB of 8 bits, and no stack.
    """

    image: Image
    _sample: Image = field(init=False, repr=False)
    _mosaic: Mosaic = field(init=False, repr=False)
    _compared: Pixels = field(init=False, repr=False)
    _weight: float = field(default=1.0, init=False)
    _weights: dict[str, float] = field(default_factory=dict, init=False)
    _known: dict[tuple[str, int | None], _File] = field(default_factory=dict, init=False)
    _measured: dict[tuple[str, int | None], Alternative] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        sample, self._mosaic = _sample(self.image)
        self._sample = without_metadata(sample)
        self._compared = self._mosaic.inner(sample.pixels)

    def alternative(self, target: Format, quality: int | None) -> Alternative:
        """Return the picture in a format at a quality: as it was measured, or else estimated."""
        known = self._measured.get((target.name, quality))
        if known is not None:
            return known
        file, carried = self._try(target, quality), carried_bytes(self.image, target)
        n_bytes = round(file.n_bytes * self._weight_of(target)) + carried
        similar = ssim(self._compared, file.pixels)
        whole = self._sample.pixels.size == self.image.pixels.size
        return Alternative(target, quality, n_bytes, file.psnr, similar, whole and not carried)

    def measure(self, target: Format, quality: int | None) -> Alternative:
        """Make the whole file, by which the estimates of its format are scaled, and at first all others."""
        before = self.alternative(target, quality)
        if before.exact:
            return before
        n_bytes, pixels = written_and_read(self.image, target, quality)
        whole = self.image.pixels
        found = Alternative(target, quality, n_bytes, psnr(whole, pixels), ssim(whole, pixels), exact=True)
        carried = carried_bytes(self.image, target)
        weight = max(n_bytes - carried, 1) / max(self._try(target, quality).n_bytes, 1)
        self._weights[target.name] = weight
        self._weight = weight if self._weight == 1.0 else self._weight
        self._measured[target.name, quality] = found
        return found

    def _weight_of(self, target: Format) -> float:
        return self._weights.get(target.name, self._weight)

    def at_size(
        self, target: Format, n_bytes: int, qualities: tuple[int, int], progress: Progress = no_progress
    ) -> Alternative:
        """Return the best picture in a format within a number of bytes, metadata included.

        If no file fits, it has the lowest of the qualities, which are the lowest and the highest to try.
        """
        room = n_bytes - carried_bytes(self.image, target)
        goal = math.log(max(room / self._weight_of(target), 1))
        fits, _ = self._search(
            target, qualities, lambda file: math.log(file.n_bytes), goal, (_SIZE_SLACK, 0.0), progress
        )
        return self.alternative(target, max(qualities[0], fits))

    def at_psnr(
        self, target: Format, decibels: float, qualities: tuple[int, int], progress: Progress = no_progress
    ) -> Alternative:
        """Return the smallest file in a format with at least a PSNR, else that of the best quality."""
        _, good = self._search(
            target, qualities, lambda file: min(file.psnr, _MOST_PSNR), decibels, (0.0, _PSNR_SLACK), progress
        )
        return self.alternative(target, min(good, qualities[1]))

    def _search(
        self,
        target: Format,
        qualities: tuple[int, int],
        value: Callable[[_File], float],
        goal: float,
        slacks: tuple[float, float],
        progress: Progress,
    ) -> tuple[int, int]:
        """Return adjacent qualities whose values are at most the goal, and above it."""
        asked = count()

        def measured(quality: int) -> float:
            progress(min(next(asked), _MOST_TRIALS - 1), _MOST_TRIALS)
            return value(self._try(target, quality))

        return crossing(measured, goal, (qualities[0] - 1, qualities[1] + 1), slacks)

    def _try(self, target: Format, quality: int | None) -> _File:
        """Return the file of the sample, with its size scaled to that of the whole picture."""
        key = target.name, quality
        if key not in self._known:
            n_bytes, pixels = written_and_read(self._sample, target, quality)
            scaled = round(n_bytes * self.image.pixels.size / self._sample.pixels.size)
            pixels = self._mosaic.inner(pixels)
            self._known[key] = _File(scaled, pixels, psnr(self._compared, pixels))
        return self._known[key]


SAMPLE_PIXELS = 3 << 19
"""Pixels of the sample that represents a large picture; a third of it was wrong by up to 45 %."""
_COLOURS = 3


def estimate_size(
    image: Image, target: Format, quality: int | None = None, progress: Progress = no_progress
) -> tuple[int, bool]:
    """Estimate the bytes of an image's file in another format from a sample of the image.

    The flag says whether the sample was the whole image, so that the size is exact.
    """
    if target in ARRAY_FORMATS:
        return image.raw_bytes, False
    sample, _ = _sample(image)
    n_bytes = len(encode_image(sample, target.name, quality, progress=progress))
    if sample is image:
        return n_bytes, True
    return round(n_bytes * image.pixels.size / sample.pixels.size) + carried_bytes(image, target), False


def without_metadata(image: Image) -> Image:
    """Return an image with only its pixels and its opacity."""
    bare = replace(image, icc_profile=None, exif=None, xmp=None, iptc=None, bands=BandInfo(), labels=None)
    return replace(bare, timing=None)


def carried_bytes(image: Image, target: Format) -> int:
    """Return an upper bound on the bytes of metadata that a format stores."""
    carried = len(image.icc_profile or b"") * target.profile + len(image.exif or b"") * target.exif
    return carried + (len(image.xmp or b"") + len(image.iptc or b"")) * target.exif


def _sample(image: Image) -> tuple[Image, Mosaic]:
    """Return an image of tiles from all over an image, or the image itself, and where the tiles are."""
    frames, values = 1, _COLOURS * SAMPLE_PIXELS
    if image.is_stack:
        frames = max(1, min(image.frames, values * image.frames // image.pixels.size))
    mosaic = Mosaic.of(image.pixels.shape[-3:], values // max(image.channels, _COLOURS))
    if mosaic.is_whole and frames == image.frames:
        return image, mosaic
    places = np.linspace(0, image.frames - 1, frames).astype(int) if image.is_stack else None
    pixels = image.pixels if places is None else image.pixels[places]
    alpha = image.alpha if image.alpha is None or places is None else image.alpha[places]
    if places is None:
        pixels = np.ascontiguousarray(mosaic.cut(pixels))
        alpha = None if alpha is None else mosaic.cut(alpha)
    sample = replace(without_metadata(image), pixels=pixels, alpha=alpha)
    if image.timing is None or places is None:
        return sample, mosaic
    durations = tuple(image.timing.durations[place] for place in places)
    return replace(sample, timing=Timing(durations, image.timing.plays)), mosaic


def as_written(image: Image, target: Format, quality: int | None = None) -> Pixels:
    """Return the pixels (H, W, C) of a grey or RGB picture as stored in another format, without alpha."""
    if resolve_quality(target, quality) is None:
        return image.pixels
    return written_and_read(image, target, quality)[1]


def written_and_read(image: Image, target: Format, quality: int | None = None) -> tuple[int, Pixels]:
    """Write a grey or RGB picture in another format; return the file's size and its pixels.

    The pixels (H, W, C) are those that reading the file gives, without alpha.
    """
    encoded = encode_image(image, target.name, quality)
    if resolve_quality(target, quality) is None:
        return len(encoded), image.pixels
    data = BytesIO(encoded)
    if target.name == "JXL":
        import_module(JXL_MODULE)  # registers the format with Pillow
        read: PillowImage.Image = PillowImage.open(data)
    else:
        read = open_pillow(data, target.title)
    pixels, _ = arrays_of(read, target.title)
    # Formats without grey return it as three equal channels.
    shown = pixels[..., : image.channels]
    if math.prod(shown.shape) != image.pixels.size:
        raise ValueError(f"{target.title} gave back pixels of shape {pixels.shape}.")
    return len(encoded), shown

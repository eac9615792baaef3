"""Files of one picture in several formats, as large as wanted or as good to the eye, to choose from."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import BytesIO
from itertools import count
from typing import NamedTuple

import numpy as np

from pcaimage.imaging.image.bands import BandInfo
from pcaimage.imaging.image.formats import ARRAY_FORMATS, Format, resolve_quality
from pcaimage.imaging.image.image import Image
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.imaging.image.timing import Timing
from pcaimage.imaging.measures.metrics import Ssimulacra, psnr
from pcaimage.imaging.measures.mosaic import Mosaic
from pcaimage.imaging.still.pillow import arrays_of, open_pillow
from pcaimage.imaging.writing.write import encode_image
from pcaimage.progress import Progress, no_progress, part

SAMPLE_PIXELS = 3 << 19
"""Pixels of the sample that represents a large picture; a third of it was wrong by up to 45 %."""
INVISIBLE = 80.0  # the score from which a picture is not told from its original beside it
PROPOSED = ("JPEG", "JPEG-444", "WEBP", "AVIF", "AVIF-444", "WEBP-LOSSLESS", "PNG-256", "PNG")
"""Formats to choose the smallest file from: those that browsers and phones open."""

_TILE_SHARES = {"JXL": 0.97, "PNG-256": 0.94}
"""Shares of their bytes that tiles take within their picture, by formats that pay for seams and palettes."""
_RAMPED = "JXL"
"""The format that pays most for steps between tiles, up to 17 %, as it sharpens what it encodes."""
_FORECAST = 1.01  # a quality is not tried if its forecast exceeds the wanted size by this factor
_SIZE_SLACK, _SCORE_SLACK = 0.03, 0.1
"""Tolerances of the search: share of the bytes left unused, and score above what is wanted."""
_EFFORT = 6  # of PNG and TIFF
_MOST_WHOLE = 6  # largest number of files made of a whole image for one size
_MOST_INTERPOLATED = 5  # trials of a search after which it halves what is left
_MOST_TRIALS = 8  # usual number of trials, by which their progress is told
_KEPT_BYTES = 64_000_000  # size of whole files above which they are made again where they are wanted again
_COLOURS = 3
_BACKGROUND = 128  # the grey behind transparent pictures, as the measure has it


@dataclass(frozen=True)
class Alternative:
    """A picture in one format at one quality."""

    format: Format
    quality: int | None  # in the format's own terms; None for a lossless format
    n_bytes: int
    psnr: float  # in decibels; infinite if nothing is lost
    score: float  # SSIMULACRA 2: 100 if nothing is lost, from 80 on not told from the original beside it
    exact: bool  # whether the size is that of the whole file, rather than an estimate


class _Key(NamedTuple):
    target: Format
    quality: int | None


@dataclass(eq=False)
class Trials:
    """Files of one picture in several formats, each made once; a sample represents a large picture.

    Sizes are estimated for every image, figures for grey and RGB of 8 bits. Estimates are scaled by whole
    files as they become known: by that of their format, or else by the first of another.
    """

    image: Image
    most: int = SAMPLE_PIXELS  # pixels of the sample, of which figures take about 0.3 s a million
    _weights: dict[str, float] = field(default_factory=dict, init=False)
    _last: tuple[_Key, bytes] | None = field(default=None, init=False, repr=False)  # the whole file made last
    _files: dict[_Key, bytes] = field(default_factory=dict, init=False, repr=False)
    _figures: dict[_Key, tuple[float, float]] = field(default_factory=dict, init=False)
    _known: dict[_Key, Alternative] = field(default_factory=dict, init=False)

    def size(
        self, target: Format, quality: int | None = None, progress: Progress = no_progress
    ) -> tuple[int, bool]:
        """Return the size of a file in bytes, and whether it is exact rather than an estimate."""
        key = _key(target, quality)
        if key in self._known:
            return self._known[key].n_bytes, True
        if target in ARRAY_FORMATS:
            return self.image.raw_bytes, False
        if self._whole:
            return len(self._file(key, progress)), True
        weight = self._weights.get(target.name, next(iter(self._weights.values()), 1.0))
        estimate = self._scaled(key, progress) * weight
        return round(estimate) + carried_bytes(self.image, target), False

    def alternative(self, target: Format, quality: int | None) -> Alternative:
        """Return the picture in a format at a quality: as it was measured, or else estimated."""
        key = _key(target, quality)
        if key in self._known:
            return self._known[key]
        n_bytes, exact = self.size(target, quality)
        return Alternative(*key, n_bytes, *self._figures_of(key), exact)

    def encode(self, target: Format, quality: int | None, progress: Progress = no_progress) -> bytes:
        """Make the whole file, by which the estimates of its format are scaled, and at first all others."""
        key = _key(target, quality)
        if self._whole:
            return self._file(key, progress)
        if self._last is not None and self._last[0] == key:
            return self._last[1]
        data = encode_image(self.image, target.name, quality, _EFFORT, progress)
        self._last = (key, data) if len(data) <= _KEPT_BYTES else None
        if target not in ARRAY_FORMATS:
            pixels = max(len(data) - carried_bytes(self.image, target), 1)
            self._weights[target.name] = pixels / self._scaled(key, progress)
        return data

    def measure(self, target: Format, quality: int | None, progress: Progress = no_progress) -> Alternative:
        """Make the whole file, and return the picture with its size and its figures where the sample is."""
        key = _key(target, quality)
        if key not in self._known:
            data = self.encode(target, quality, progress)
            figures = self._figures_of(key)
            if not self._whole and not key.target.lossless:
                figures = self.compared(decoded(data, self.image, target))
            self._known[key] = Alternative(*key, len(data), *figures, exact=True)
        return self._known[key]

    def compared(self, picture: Image) -> tuple[float, float]:
        """Return PSNR and score of another picture of the same size, where the sample is."""
        cut = self._cut[1].cut
        return self._compared(
            Image(cut(picture.pixels), None if picture.alpha is None else cut(picture.alpha))
        )

    def at_size(
        self, target: Format, n_bytes: int, qualities: tuple[int, int], progress: Progress = no_progress
    ) -> Alternative:
        """Return the best picture in a format within a number of bytes, metadata included.

        If no file fits, it has the lowest of the qualities, which are the lowest and the highest to try.
        """

        def size(quality: int) -> float:
            return math.log(self.size(target, quality)[0])

        if not target.max_quality:
            return self.alternative(target, None)
        goal = math.log(max(n_bytes, 1))
        fits, _ = self._search(size, goal, qualities, (_SIZE_SLACK, 0.0), progress)
        return self.alternative(target, max(qualities[0], fits))

    def fitted(
        self, target: Format, n_bytes: int, qualities: tuple[int, int], progress: Progress = no_progress
    ) -> tuple[int, bytes]:
        """Return the best quality whose whole file has at most a number of bytes, and the file.

        If none fits, it is that of the lowest quality.
        """
        (low, high), best = qualities, b""
        for trial in range(_MOST_WHOLE):
            if low > high or (best and self.size(target, low)[0] > _FORECAST * n_bytes):
                break
            step = part(progress, trial / _MOST_WHOLE, (trial + 1) / _MOST_WHOLE)
            quality = self.at_size(target, n_bytes, (low, high), step).quality or low
            data = self.encode(target, quality, step)
            if len(data) <= n_bytes:
                low, best = quality + 1, data
            else:
                high = quality - 1
        if best:
            return low - 1, best
        return qualities[0], self.encode(target, qualities[0], progress)

    def at_score(
        self, target: Format, score: float, qualities: tuple[int, int], progress: Progress = no_progress
    ) -> Alternative:
        """Return the smallest file in a format with at least a score, else that of the best quality."""

        def found(quality: int) -> float:
            return self._figures_of(_key(target, quality))[1]

        if not target.max_quality:
            return self.alternative(target, None)
        _, good = self._search(found, score, qualities, (0.0, _SCORE_SLACK), progress)
        return self.alternative(target, min(good, qualities[1]))

    def _search(
        self,
        value: Callable[[int], float],
        goal: float,
        qualities: tuple[int, int],
        slacks: tuple[float, float],
        progress: Progress,
    ) -> tuple[int, int]:
        """Return adjacent qualities whose values are at most the goal, and above it."""
        asked = count()

        def measured(quality: int) -> float:
            progress(min(next(asked), _MOST_TRIALS - 1), _MOST_TRIALS)
            return value(quality)

        return crossing(measured, goal, (qualities[0] - 1, qualities[1] + 1), slacks)

    @cached_property
    def _cut(self) -> tuple[Image, Mosaic]:
        return _sample(self.image, self.most)

    @property
    def _whole(self) -> bool:
        """Whether the sample is the whole image."""
        return self._cut[0] is self.image

    def _scaled(self, key: _Key, progress: Progress) -> float:
        """Return the bytes of the whole picture if all of it is like the sample."""
        share = _TILE_SHARES.get(key.target.name, 1.0) * self.image.pixels.size / self._cut[0].pixels.size
        return len(self._file(key, progress)) * share

    def _file(self, key: _Key, progress: Progress = no_progress) -> bytes:
        """Return the file of the sample."""
        if key not in self._files:
            sample, mosaic = self._cut
            if key.target.name == _RAMPED and not self._whole:
                sample = replace(sample, pixels=mosaic.ramped(sample.pixels))
            self._files[key] = encode_image(sample, key.target.name, key.quality, _EFFORT, progress)
        return self._files[key]

    def _figures_of(self, key: _Key) -> tuple[float, float]:
        """Return PSNR and score of the sample in a format."""
        if key.target.lossless and key.quality is None:
            return math.inf, 100.0
        if key not in self._figures:
            self._figures[key] = self._compared(decoded(self._file(key), self._cut[0], key.target))
        return self._figures[key]

    def _compared(self, sample: Image) -> tuple[float, float]:
        original, measure = self._original
        pixels = self._cut[1].inner(over_grey(sample))
        return psnr(original, pixels), measure.score(pixels)

    @cached_property
    def _original(self) -> tuple[Pixels, Ssimulacra]:
        """What files are compared with: the sample without the seams of its tiles."""
        sample, mosaic = self._cut
        pixels = mosaic.inner(over_grey(sample))
        return pixels, Ssimulacra(pixels)


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


def smallest(
    trials: Trials, targets: Sequence[Format], score: float = INVISIBLE, progress: Progress = no_progress
) -> list[Alternative]:
    """Return a picture in several formats at a score or without loss, the smallest file first."""
    found = list[Alternative]()
    for done, target in enumerate(targets):
        progress(done, len(targets))
        step = part(progress, done / len(targets), (done + 1) / len(targets))
        found.append(trials.at_score(target, score, (1, max(target.max_quality, 1)), step))
    return sorted(found, key=lambda each: (each.score < score - 1, each.n_bytes))


def _key(target: Format, quality: int | None) -> _Key:
    return _Key(target, resolve_quality(target, quality))


def without_metadata(image: Image) -> Image:
    """Return an image with only its pixels and its opacity."""
    bare = replace(image, icc_profile=None, exif=None, xmp=None, iptc=None, bands=BandInfo(), labels=None)
    return replace(bare, timing=None)


def carried_bytes(image: Image, target: Format) -> int:
    """Return an upper bound on the bytes of metadata that a format stores."""
    carried = len(image.icc_profile or b"") * target.profile + len(image.exif or b"") * target.exif
    return carried + (len(image.xmp or b"") + len(image.iptc or b"")) * target.exif


def _sample(image: Image, most: int) -> tuple[Image, Mosaic]:
    """Return an image of tiles from all over an image, or the image itself, and where the tiles are."""
    frames, values = 1, _COLOURS * most
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


def over_grey(image: Image) -> Pixels:
    """Return the pixels of a picture of 8 bits as they look over a medium grey."""
    if image.alpha is None:
        return image.pixels
    opacity = image.alpha[..., None].astype(np.uint32)
    return ((image.pixels * opacity + _BACKGROUND * (255 - opacity) + 127) // 255).astype(np.uint8)


def as_written(image: Image, target: Format, quality: int | None = None) -> Pixels:
    """Return the pixels (H, W, C) of a grey or RGB picture as stored in another format, without alpha."""
    if target.lossless and resolve_quality(target, quality) is None:
        return image.pixels
    return decoded(encode_image(image, target.name, quality), image, target).pixels


def decoded(data: bytes, image: Image, target: Format) -> Image:
    """Return pixels and opacity of a file of a grey or RGB picture."""
    pixels, alpha = arrays_of(open_pillow(BytesIO(data), target.title), target.title)
    # Formats without grey return it as three equal channels.
    shown = pixels[..., : image.channels]
    if shown.shape != image.pixels.shape:
        raise ValueError(f"{target.title} gave back pixels of shape {pixels.shape}.")
    return Image(shown, alpha)

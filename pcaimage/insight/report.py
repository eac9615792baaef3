"""Contents of a report on a compression: pictures, figures, plots and tables."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage import codec
from pcaimage.codec import Compressed, Encoding, Spectrum
from pcaimage.codec.coding.reduction import reduced
from pcaimage.imaging import Image, encode_image, mse, psnr_of_mse, ssim
from pcaimage.insight.bands import default_bands
from pcaimage.insight.component_table import ComponentRows, channel_axes, component_rows
from pcaimage.insight.curve import Curve
from pcaimage.insight.error_map import ErrorMap, to_colours
from pcaimage.insight.references import Reference
from pcaimage.insight.size_breakdown import SizeBreakdown, breakdown_of
from pcaimage.progress import Progress, no_progress, part


@dataclass(frozen=True, eq=False)
class Report:
    """The contents of a report."""

    image: Image
    pair: Pair  # as displayed
    compressed: Compressed
    parts: SizeBreakdown
    rows: ComponentRows
    mse: float  # of all values
    ssim: float  # of the whole image
    command: str = ""  # makes the file again; empty if none does
    curve: Curve | None = field(default=None, repr=False)  # size and quality of every k
    references: tuple[Reference, ...] = ()  # those of other codecs
    frame: int = 0  # the displayed image of a stack

    @property
    def psnr(self) -> float:
        """Peak signal-to-noise ratio in decibels; infinite if every value is unchanged."""
        return psnr_of_mse(self.mse, self.compressed.header.peak)


def report_of(
    image: Image,
    encoding: Encoding | tuple[Compressed, NDArray[Any]],
    *,
    spectrum: Spectrum | None = None,
    left_out: Collection[int] = (),
    command: str = "",
    curve: Curve | None = None,
    references: Sequence[Reference] = (),
    similarity: float | None = None,
    frame: int = 0,
    shown_as: Callable[[NDArray[Any]], NDArray[np.uint8]] | None = None,
    progress: Progress = no_progress,
) -> Report:
    """Gather the contents of a :class:`Report`.

    The encoding is the compression of the original, or a file and its decoded pixels. Without components of
    the image, the spectrum stored in the file is reported. Those left out by hand are counted from 1. Pixels
    are shown as in the window; see :meth:`Pair.of`.
    """
    if isinstance(encoding, Encoding):
        compressed, pixels = encoding.compressed, encoding.decoded(part(progress, 0.0, 0.3))
    else:
        compressed, pixels = encoding
    pixels = pixels.reshape(image.pixels.shape)
    error = mse(image.pixels, pixels)
    measured = part(progress, 0.3, 0.9)
    peak = compressed.header.peak
    alike = ssim(image.pixels, pixels, measured, peak=peak) if similarity is None else similarity
    pair, parts = Pair.of(image, pixels, frame, shown_as), breakdown_of(compressed)
    rows = _rows(compressed, parts, spectrum).kept(compressed.k, left_out)
    progress(1, 1)
    return Report(
        image, pair, compressed, parts, rows, error, alike, command, curve, tuple(references), frame
    )


def _rows(compressed: Compressed, parts: SizeBreakdown, spectrum: Spectrum | None) -> ComponentRows:
    header, axes = compressed.header, channel_axes(compressed.header)
    prepared = codec.preparation_of(compressed)
    if spectrum is not None:
        return component_rows(
            spectrum, header, axes=axes, of_components=parts.of_components, prepared=prepared
        )
    variances, total = compressed.spectrum, None
    if not variances.size:
        variances = codec.pictures(codec.unpack(compressed)).variances * float(header.step) ** 2
    if compressed.spectrum.size < compressed.k or prepared is not codec.Preparation.NONE:
        total = math.nan
    return component_rows(
        np.asarray(variances, np.float64),
        header,
        total=total,
        axes=None if axes is None else axes[: len(variances)],
        of_components=parts.of_components,
        prepared=prepared,
    )


Bytes = NDArray[np.uint8]

MOST = 900  # longest side in pixels of a picture of the whole image
CROP = 232  # side of crops in pixels, which are shown at 100 %
EXACT = 400  # longest side of images that are shown whole at 100 %, without crops

_QUALITY = 90
_SAMPLE = 1 << 18
_BRIGHT, _DIM = 99.8, 0.5


@dataclass(frozen=True, eq=False)
class Pair:
    """An image and its reconstruction as displayed, and the differences of the images themselves."""

    original: Bytes = field(repr=False)
    reconstruction: Bytes = field(repr=False)
    errors: ErrorMap = field(repr=False)
    icc_profile: bytes | None = field(default=None, repr=False)  # of the original

    @classmethod
    def of(
        cls,
        image: Image,
        reconstruction: NDArray[Any],
        frame: int = 0,
        shown_as: Callable[[NDArray[Any]], Bytes] | None = None,
    ) -> Pair:
        """Prepare an image without its alpha, or image `frame` of a stack, and its reconstruction.

        `shown_as` converts pixels of shape (H, W, C) to displayed grey or RGB; by default they are shown as
        by the window at first.
        """
        first, second = image.pixels, reconstruction.reshape(image.pixels.shape)
        if image.is_stack:
            first, second = first[frame], second[frame]
        chosen = default_bands(image.channels)
        if shown_as is None:
            black, white = _range(first[..., chosen], image.bands.nodata, image.peak)
            shown, rebuilt = (_bytes(each[..., chosen], black, white) for each in (first, second))
        else:
            shown, rebuilt = shown_as(first), shown_as(second)
        profile = image.icc_profile if shown.shape[-1] == image.channels else None
        return cls(shown, rebuilt, ErrorMap.of(first, second), profile)

    @property
    def whole(self) -> bool:
        """Whether the pictures of the whole image are exact, so that crops would add nothing."""
        return bool(max(self.original.shape[:2]) <= EXACT)

    @property
    def full_scale(self) -> float:
        """The error that is shown brightest, in levels."""
        return self.errors.full_scale

    def pictures(self) -> list[str]:
        """Return original, reconstruction and difference as data URIs, reduced to :data:`MOST` pixels."""
        height, width = self.original.shape[:2]
        times = -(-max(height, width) // MOST)
        both = self.original, self.reconstruction
        views = both if times == 1 else [(reduced(each, MOST) + 0.5).astype(np.uint8) for each in both]
        heat = to_colours(self.errors.region(0, 0, width, height, 1 / times), self.full_scale)
        return [self._uri(views[0]), self._uri(views[1]), data_uri(heat, None, exact=self.whole)]

    def crops(self) -> list[tuple[str, tuple[int, int], list[str]]]:
        """Return crops at 100 %: where the error is largest, and where it is typical.

        Each has a title, its left and top, and the data URIs of original, reconstruction and difference.
        """
        if self.whole:
            return []
        blocks = self.errors.blocks(CROP // 2)
        order = np.argsort(blocks, axis=None)
        found = []
        for name, place in (
            ("Where the error is largest", order[-1]),
            ("A usual part", order[len(order) // 2]),
        ):
            row, column = divmod(int(place), blocks.shape[1])
            top, left = (
                int(np.clip(index * (CROP // 2) - CROP // 4, 0, max(side - CROP, 0)))
                for index, side in zip((row, column), self.original.shape[:2], strict=True)
            )
            found.append((name, (left, top), self._crop(top, left)))
        return found

    def _crop(self, top: int, left: int) -> list[str]:
        area = slice(top, top + CROP), slice(left, left + CROP)
        heat = to_colours(self.errors.region(left, top, left + CROP, top + CROP, 1.0), self.full_scale)
        views = [
            data_uri(each[area], self.icc_profile, exact=True)
            for each in (self.original, self.reconstruction)
        ]
        return [*views, data_uri(heat, None, exact=True)]

    def _uri(self, pixels: Bytes) -> str:
        return data_uri(pixels, self.icc_profile, exact=self.whole)


def data_uri(pixels: Bytes, icc_profile: bytes | None, *, exact: bool) -> str:
    """Return a picture as a data URI: PNG if it is to be exact, else JPEG."""
    image = Image(np.ascontiguousarray(pixels), icc_profile=icc_profile)
    data = encode_image(image, "PNG") if exact else encode_image(image, "JPEG", _QUALITY)
    kind = "png" if exact else "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def _range(pixels: NDArray[Any], nodata: float | None, white: float) -> tuple[float, float]:
    """Return the values that are shown as black and as white."""
    signed = pixels.dtype.kind != "u"
    peak = math.inf if signed else white
    if pixels.dtype == np.uint8:
        return 0.0, peak
    sample = pixels.reshape(-1, pixels.shape[-1])
    values = sample[:: max(1, len(sample) // _SAMPLE)].astype(np.float64)
    values = values[np.isfinite(values) & (values != (np.nan if nodata is None else nodata))]
    darkest, brightest = np.percentile(values, (100 - _BRIGHT, _BRIGHT)).tolist() if values.size else (0, 1)
    if not signed:
        return 0.0, max(brightest, 1.0) if brightest < _DIM * peak else peak
    black = min(darkest, 0.0)
    return black, brightest if brightest > black else black + 1.0


def _bytes(pixels: NDArray[Any], black: float, white: float) -> Bytes:
    if pixels.dtype == np.uint8 and white == 255:
        return np.ascontiguousarray(pixels)
    white = white if white > black else black + 1.0
    scaled = (pixels - np.float32(black)) * np.float32(255 / (white - black)) + np.float32(0.5)
    result: Bytes = np.clip(np.nan_to_num(scaled), 0, 255).astype(np.uint8)
    return result

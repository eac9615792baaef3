"""Contents of a report on a compression: pictures, figures, plots and tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage import codec
from pcaimage.codec import Compressed, Encoding, Spectrum
from pcaimage.imaging import Image, mse, psnr_of_mse, ssim
from pcaimage.insight.component_table import ComponentRows, channel_axes, component_rows
from pcaimage.insight.curve import Curve
from pcaimage.insight.references import Reference
from pcaimage.insight.report_pictures import Pair
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

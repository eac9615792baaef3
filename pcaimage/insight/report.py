"""A page that tells what a compression did: pictures, figures, plots and tables, in one file of HTML."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pcaimage import codec
from pcaimage.codec import Compressed, Encoding, Spectrum
from pcaimage.imaging import Image, atomic_write, mse, psnr_of_mse, ssim
from pcaimage.insight.curve import Curve
from pcaimage.insight.parts import Parts, parts_of
from pcaimage.insight.references import Reference
from pcaimage.insight.report_page import page
from pcaimage.insight.report_pictures import Pair
from pcaimage.insight.rows import ComponentRows
from pcaimage.insight.table import channel_axes, component_rows
from pcaimage.progress import Progress, no_progress, part


@dataclass(frozen=True, eq=False)
class Report:
    """What a report tells.

    Parameters
    ----------
    image : Image
        The original.
    pair : Pair
        Original and reconstruction as they are seen, and by how much they differ.
    compressed : Compressed
        The file.
    parts : Parts
        Where its bytes go.
    rows : ComponentRows
        Its components.
    mse : float
        Mean squared error of all values.
    ssim : float
        Structural similarity of all of the image.
    command : str
        The command line that makes the file again; empty if there is none.
    curve : Curve or None
        Size and quality of every k.
    references : tuple of Reference
        Size and quality of other codecs.
    frame : int
        Which image of a stack is shown.
    """

    image: Image
    pair: Pair
    compressed: Compressed
    parts: Parts
    rows: ComponentRows
    mse: float
    ssim: float
    command: str = ""
    curve: Curve | None = field(default=None, repr=False)
    references: tuple[Reference, ...] = ()
    frame: int = 0

    @property
    def psnr(self) -> float:
        """Peak signal-to-noise ratio in decibels; infinite if every value is as it was."""
        header = self.compressed.header
        return psnr_of_mse(self.mse, self.image.peak if header.largest is None else header.peak)


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
    """Find out what a report tells.

    Parameters
    ----------
    image : Image
        The original.
    encoding : Encoding, or (Compressed, ndarray)
        What the original was compressed to; or a file and what it decodes to.
    spectrum : Spectrum, optional
        The image's components. Without them, what the file tells of its spectrum is told.
    left_out : collection of int, optional
        Components that were left out by hand, counted from 1.
    command : str, optional
        The command line that makes the file again.
    curve : Curve, optional
        Size and quality of every k.
    references : sequence of Reference, optional
        Size and quality of other codecs.
    similarity : float, optional
        Structural similarity, where it is known already.
    frame : int, default 0
        Which image of a stack is shown.
    shown_as : callable, optional
        Brings pixels into the numbers of a screen, as in the window; see :meth:`Pair.of`.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    Report
        For :func:`report_html`.
    """
    if isinstance(encoding, Encoding):
        compressed, pixels = encoding.compressed, encoding.decoded(part(progress, 0.0, 0.3))
    else:
        compressed, pixels = encoding
    pixels = pixels.reshape(image.pixels.shape)
    error = mse(image.pixels, pixels)
    measured = part(progress, 0.3, 0.9)
    alike = ssim(image.pixels, pixels, measured) if similarity is None else similarity
    pair, parts = Pair.of(image, pixels, frame, shown_as), parts_of(compressed)
    rows = _rows(compressed, parts, spectrum).kept(compressed.k, left_out)
    progress(1, 1)
    return Report(
        image, pair, compressed, parts, rows, error, alike, command, curve, tuple(references), frame
    )


def report_html(report: Report) -> str:
    """Return a report as one page.

    Parameters
    ----------
    report : Report
        What it tells.

    Returns
    -------
    str
        HTML that is well-formed XML too, with its pictures, plots and style in it.
    """
    return page(report)


def save_report(
    path: str | os.PathLike[str], report: Report, progress: Progress = no_progress, *, overwrite: bool = False
) -> None:
    """Write a report.

    Parameters
    ----------
    path : path
        The file.
    report : Report
        What it tells.
    progress : Progress, optional
        Asked before the work, so that it can be stopped.
    overwrite : bool, default False
        Whether a file of that name is replaced.

    Raises
    ------
    ImageError
        If the file exists or cannot be written.
    """
    progress(0, 1)
    data = report_html(report).encode()

    def write(file: BinaryIO) -> None:
        file.write(data)

    atomic_write(path, write, overwrite=overwrite)


def _rows(compressed: Compressed, parts: Parts, spectrum: Spectrum | None) -> ComponentRows:
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

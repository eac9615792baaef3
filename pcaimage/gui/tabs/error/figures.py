"""What the error tab shows, as numbers, pictures and words. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.colour_map import to_colours
from pcaimage.insight.differences import full_scale
from pcaimage.insight.error_counts import ErrorCounts
from pcaimage.insight.error_map import ErrorMap, WorstBlock
from pcaimage.insight.formatting import decibels
from pcaimage.progress import Progress, no_progress, part
from pcaimage.quality import psnr_of_mse

Floats = NDArray[np.float32]
WORST = 50
"""How many of the worst blocks are listed."""
MOST_PIXELS = 768
"""The map is kept with at most so many pixels a side: a tab has no room for more."""
_SMALLEST_BLOCK, _USUAL_BLOCK = 4, 8


@dataclass(frozen=True, eq=False)
class Heat:
    """Errors of an image's parts as a picture.

    Parameters
    ----------
    values : ndarray of float32, shape (rows, columns)
        Errors, in levels.
    colours : ndarray of uint8, shape (rows, columns, 3)
        The same as colours.
    region : tuple of int
        Left, top, right and bottom of what it covers, in pixels; it may reach over the image's edge.
    full_scale : float
        The error that is shown brightest, in levels.
    """

    values: Floats
    colours: NDArray[np.uint8]
    region: tuple[int, int, int, int]
    full_scale: float

    def at(self, x: int, y: int) -> float:
        """Return the error at a place.

        Parameters
        ----------
        x, y : int
            A pixel of the image.

        Returns
        -------
        float
            In levels.
        """
        rows, columns = self.values.shape
        left, top, right, bottom = self.region
        row = min(max((y - top) * rows // (bottom - top), 0), rows - 1)
        column = min(max((x - left) * columns // (right - left), 0), columns - 1)
        return float(self.values[row, column])


@dataclass(frozen=True, eq=False)
class ErrorFigures:
    """All that the error tab shows of one reconstruction.

    Parameters
    ----------
    width, height : int
        Of the image, in pixels.
    peak : float
        The value that PSNR refers to, as in the captions.
    block : int
        Pixels along the side of the blocks that errors are told of.
    exact_share : float
        The share of pixels that are the original's.
    counts : ErrorCounts
        The histogram of differences.
    pixels, blocks : Heat
        The errors of pixels and of blocks.
    worst : tuple of WorstBlock
        The worst blocks, the worst first.
    image : str
        Which image of a stack it is; empty where there is but one.
    """

    width: int
    height: int
    peak: float
    block: int
    exact_share: float
    counts: ErrorCounts
    pixels: Heat
    blocks: Heat
    worst: tuple[WorstBlock, ...]
    image: str = ""

    @classmethod
    def of(
        cls,
        errors: ErrorMap,
        block: int,
        progress: Progress = no_progress,
        *,
        peak: float | None = None,
        image: str = "",
    ) -> ErrorFigures:
        """Find what is shown.

        Parameters
        ----------
        errors : ErrorMap
            The errors.
        block : int
            Pixels along a block's side; where that is too small to tell blocks from pixels, 8.
        progress : Progress, optional
            Told of the work done.
        peak : float, optional
            What PSNR refers to; the largest value that a pixel can have unless said otherwise.
        image : str, optional
            Which image of a stack it is.

        Returns
        -------
        ErrorFigures
            They do not refer to the images.
        """
        height, width = errors.errors.shape
        block = block if block >= _SMALLEST_BLOCK else _USUAL_BLOCK
        counts = errors.histogram(part(progress, 0.0, 0.8))
        scale = min(1.0, MOST_PIXELS / max(height, width))
        whole = (0, 0, width, height)
        # The next smaller copy is at most as large as the room there is.
        while max(errors.region(*whole, scale).shape) > MOST_PIXELS:
            scale /= 2
        values, covered = errors.region(*whole, scale), errors.covered(*whole, scale)
        full = full_scale(values, least=errors.least_scale)
        pixels = Heat(values, to_colours(values, full), covered, full)
        progress(90, 100)
        values, side = _fewer(errors.blocks(block), block)
        covered = 0, 0, values.shape[1] * side, values.shape[0] * side
        full = full_scale(values, least=errors.least_scale)
        blocks = Heat(values, to_colours(values, full), covered, full)
        worst = tuple(errors.worst(WORST, block))
        peak = errors.peak if peak is None else peak
        return cls(width, height, peak, block, errors.exact_share, counts, pixels, blocks, worst, image)

    @property
    def exact(self) -> bool:
        """Whether there is no error at all."""
        return bool(self.counts.largest == 0)

    @property
    def summary(self) -> str:
        """The figures of the whole image in one line."""
        counts, name = self.counts, f"{self.image}: " if self.image else ""
        return (
            f"{name}RMS {self._levels(counts.rms)} · 95\u00a0% within ±{difference(counts.within(0.95))} · "
            f"largest {difference(counts.largest)} · {decibels(counts.psnr(self.peak))}"
        )

    @property
    def details(self) -> str:
        """The same and more, in several lines."""
        counts = self.counts
        half, most = (difference(counts.within(share)) for share in (0.5, 0.99))
        return (
            f"{self.summary}\nHalf within ±{half}, 99\u00a0% within ±{most}.\n"
            f"{100 * counts.exact_share:.1f}\u00a0% of values and {100 * self.exact_share:.1f}\u00a0% "
            f"of pixels are exactly the original's.\nOn average, values are {signed(counts.mean)} off."
        )

    def _levels(self, value: float) -> str:
        return levels(value) if self.counts.unit == 1 else figure(value)  # real numbers have no unit

    def describe(self, x: int, y: int, *, by_block: bool) -> str:
        """Return the error at a place as words.

        Parameters
        ----------
        x, y : int
            A pixel of the image.
        by_block : bool
            Whether that of its block is meant.

        Returns
        -------
        str
            Such as ``"(312, 88) · error 3.1 levels"``.
        """
        what = "error of the block" if by_block else "error"
        heat = self.blocks if by_block else self.pixels
        return f"({x}, {y}) · {what} {self._levels(heat.at(x, y))}"


def levels(value: float) -> str:
    """Return an error as text.

    Parameters
    ----------
    value : float
        In levels.

    Returns
    -------
    str
        Such as ``"3.1 levels"``.
    """
    return f"{figure(value)} levels"


def figure(value: float) -> str:
    """Return an error as text without its unit.

    Parameters
    ----------
    value : float
        In levels; not negative.

    Returns
    -------
    str
        Three significant figures at most.
    """
    if value >= 100 or value == 0:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 0.1 else f"{value:.2g}"


def difference(value: float) -> str:
    """Return a difference of two values as text, with all figures of whole numbers.

    Parameters
    ----------
    value : int or float
        In levels; not negative.

    Returns
    -------
    str
        Its figures.
    """
    return str(value) if isinstance(value, int) else figure(value)


def signed(value: float) -> str:
    """Return a mean difference as text.

    Parameters
    ----------
    value : float
        In levels.

    Returns
    -------
    str
        With its sign.
    """
    return (f"{value:+.2f}" if abs(value) >= 0.1 or not value else f"{value:+.1g}").replace("-", "−")


def worst_row(block: WorstBlock, peak: float) -> tuple[str, ...]:
    """Return a line of the list of worst blocks.

    Parameters
    ----------
    block : WorstBlock
        The block.
    peak : float
        What PSNR refers to.

    Returns
    -------
    tuple of str
        Rank, place, root mean square, largest difference and PSNR.
    """
    psnr = psnr_of_mse(block.rms**2, peak)
    return (
        str(block.rank),
        f"({block.left}, {block.top})",
        figure(block.rms),
        difference(block.largest),
        f"{psnr:.1f}",
    )


def _fewer(values: Floats, side: int) -> tuple[Floats, int]:
    """Put blocks together until there are few enough to show."""
    factor = -(-max(values.shape) // MOST_PIXELS)
    if factor == 1:
        return values, side
    starts = [np.arange(0, count, factor) for count in values.shape]
    counts = [np.diff(first, append=count) for first, count in zip(starts, values.shape, strict=True)]
    sums = np.add.reduceat(np.add.reduceat(np.square(values), starts[0], axis=0), starts[1], axis=1)
    result: Floats = np.sqrt(sums / np.outer(*counts)).astype(np.float32)
    return result, side * factor

"""What the plot of size and quality shows, as numbers and words. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pcaimage.gui.tabs.curve.ticks import Ticks, round_ticks, size_ticks
from pcaimage.insight.curve import Curve
from pcaimage.insight.references import Reference
from pcaimage.insight.words import decibels, file_size, percent

Floats = NDArray[np.float64]
Measure = Literal["psnr", "ssim"]

CEILING, DEEP_CEILING = 60.0, 100.0
"""Decibels of the upper end of the axis, for 8 and for 16 bits: what is beyond is drawn there."""

FAINTEST = 20.0
"""Decibels of the lower end of the axis; most pictures cannot be made out below."""

_NONE = np.zeros(0)
_ENOUGH = 0.05
_ROOM_RIGHT = 0.08
"""Share of the width that is left for names at the ends of curves."""


@dataclass(frozen=True)
class Present:
    """The setting, and what is known of its file, which may have a step or components of its own.

    Parameters
    ----------
    k : int
        How many components are kept; 0 for none.
    n_bytes, psnr, ssim : float or None
        Its figures.
    measured : frozenset of str
        Which of them are no estimates.
    """

    k: int = 0
    n_bytes: float | None = None
    psnr: float | None = None
    ssim: float | None = None
    measured: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class CurveData:
    """Curves prepared for plotting.

    Parameters
    ----------
    curve : Curve or None
        The image's own.
    references : tuple of Reference
        Those of other codecs that are there.
    original : int or None
        Bytes of the file that was opened.
    original_name : str
        What it is called, such as ``"original PNG"``.
    deep : bool
        Whether pixels have 16 bits.
    similar : bool
        Whether structural similarity can be shown.
    measure : {"psnr", "ssim"}
        What is shown upwards.
    """

    curve: Curve | None = None
    references: tuple[Reference, ...] = ()
    original: int | None = None
    original_name: str = "original"
    deep: bool = False
    similar: bool = True
    measure: Measure = "psnr"

    @property
    def most(self) -> int:
        """The largest k; 0 without a curve."""
        return 0 if self.curve is None else self.curve.n_components

    @property
    def shown(self) -> Literal["psnr", "ssim", "share"]:
        """What is shown upwards: the share of the variance where a quality cannot be known."""
        if self.curve is not None and self.curve.exact:
            return "share"
        return self.measure if self.similar else "psnr"

    @property
    def axis_title(self) -> str:
        """The name of the vertical axis."""
        return {"psnr": "PSNR dB", "ssim": "SSIM", "share": "variance %"}[self.shown]

    @cached_property
    def x(self) -> Floats:
        """Decimal logarithms of the own curve's sizes."""
        if self.curve is None:
            return _NONE
        logarithms: Floats = np.log10(np.maximum(self.curve.n_bytes, 1))
        return logarithms

    @cached_property
    def y(self) -> Floats:
        """The own curve's heights, no higher than the axis; empty where they are not known yet."""
        if self.curve is None:
            return _NONE
        values: Floats = getattr(self.curve, self.shown)
        return np.minimum(values, self._ceiling) if self.shown == "psnr" else values

    @cached_property
    def lines(self) -> dict[str, tuple[Floats, Floats]]:
        """Logarithms of sizes, and heights, of each reference that can be drawn, by name."""
        if self.shown == "share":
            return {}
        lines = {}
        for reference in self.references:
            sizes, values = reference.line(self.shown)
            if len(sizes) > 1:
                lines[reference.name] = np.log10(sizes), np.minimum(values, self._ceiling)
        return lines

    @property
    def original_x(self) -> float | None:
        """Where the original's size is on the axis."""
        return math.log10(self.original) if self.original else None

    @cached_property
    def x_range(self) -> tuple[float, float]:
        """Ends of the horizontal axis: decimal logarithms of bytes."""
        places = [self.x[self._first :], *(line[0] for line in self.lines.values())]
        places += [] if self.original_x is None or not self.x.size else [np.array([self.original_x])]
        values = np.concatenate(places)
        if not values.size:
            return 3.0, 6.0
        low, high = float(values.min()), float(values.max())
        width = max(high - low, 0.3)
        return low - 0.02 * width, high + _ROOM_RIGHT * width

    @cached_property
    def y_range(self) -> tuple[float, float]:
        """Ends of the vertical axis."""
        values = np.concatenate([self.y[self._first :], *(line[1] for line in self.lines.values())])
        if not values.size:
            return 20.0, 50.0
        low, high = float(values.min()), float(values.max())
        height = max(high - low, 0.01 * max(abs(high), 1))
        return low - 0.05 * height, high + 0.08 * height

    @property
    def _first(self) -> int:
        """Index of the first k that the axes make room for: nothing can be made out of those before."""
        if self.curve is None or not self.curve.psnr.size:
            return 0
        seen = np.flatnonzero(self.curve.psnr >= FAINTEST)
        return int(seen[0]) if seen.size > len(self.curve.psnr) // 2 else 0

    def x_ticks(self) -> tuple[Ticks, Ticks]:
        """Return where the horizontal axis is labelled and how, and where it has small ticks only."""
        return size_ticks(*self.x_range)

    def y_ticks(self, most: int) -> Ticks:
        """Return where the vertical axis is labelled, and how.

        Parameters
        ----------
        most : int
            How many labels there is room for.

        Returns
        -------
        list of (float, str)
            Round values; the ceiling says that what lies beyond is drawn there.
        """
        ticks = round_ticks(*self.y_range, most)
        cut = (
            self.curve is not None and self.shown == "psnr" and bool((self.curve.psnr > self._ceiling).any())
        )
        return [(value, f"≥ {text}" if cut and value == self._ceiling else text) for value, text in ticks]

    def place(self, k: int, present: Present | None = None) -> tuple[float, float] | None:
        """Return where a k is.

        Parameters
        ----------
        k : int
            Counted from 1.
        present : Present, optional
            What is known of the setting, if it is to be shown.

        Returns
        -------
        (float, float) or None
            In the coordinates of the plot, on its edge where it lies outside; None where it is not known yet.
        """
        if not 1 <= k <= len(self.x):
            return None
        x, y = float(self.x[k - 1]), float(self.y[k - 1]) if self.y.size else None
        if present is not None and present.k == k:
            x = math.log10(present.n_bytes) if present.n_bytes else x
            known = getattr(present, self.shown, None)
            y = min(known, self._ceiling) if known is not None else y
        if y is None:
            return None
        return max(x, self.x_range[0]), max(y, self.y_range[0])

    @property
    def start(self) -> tuple[float, float] | None:
        """Where the own curve begins on the plot."""
        return self.place(self._first + 1)

    @property
    def elbow(self) -> int | None:
        """The elbow, once enough of the curve is known."""
        return self.curve.elbow if self.curve is not None and self.curve.progress >= _ENOUGH else None

    def k_at(self, x: float) -> int:
        """Return the k whose file is nearest to a size.

        Parameters
        ----------
        x : float
            Decimal logarithm of the size.

        Returns
        -------
        int
            From 1; 0 without a curve.
        """
        return int(np.argmin(np.abs(self.x - x))) + 1 if self.x.size else 0

    @property
    def _ceiling(self) -> float:
        if self.shown != "psnr":
            return math.inf
        return DEEP_CEILING if self.deep else CEILING


def quality(value: float, measure: str) -> str:
    """Return a quality as text.

    Parameters
    ----------
    value : float
        Decibels, structural similarity, or percent of the variance.
    measure : {"psnr", "ssim", "share"}
        Which of them.

    Returns
    -------
    str
        Such as ``"34.12 dB"`` or ``"SSIM 0.951"``.
    """
    if measure == "ssim":
        return f"SSIM\u00a0{min(value, 1):.3f}"
    return decibels(value) if measure == "psnr" else percent(value)


def size(value: float, *, exact: bool) -> str:
    """Return a size as text.

    Parameters
    ----------
    value : float
        Bytes.
    exact : bool
        Whether it is no estimate.

    Returns
    -------
    str
        Such as ``"≈ 41.2 KB"``.
    """
    return ("" if exact else "≈\u00a0") + file_size(value)

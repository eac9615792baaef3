"""Size and quality at every operating point as numbers and words, beside other codecs. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pcaimage.gui.tabs.shared.ticks import Ticks, round_ticks, size_ticks
from pcaimage.insight.curve import Curve
from pcaimage.insight.formatting import decibels, file_size, percent
from pcaimage.insight.references import Reference

Floats = NDArray[np.float64]
Measure = Literal["psnr", "ssim"]

CEILING, DEEP_CEILING = 60.0, 100.0
"""Decibels at the upper end of the axis, for 8 and for 16 bits; higher values are drawn there."""

FAINTEST = 20.0  # decibels at the lower end of the axis; most pictures cannot be made out below

_NONE = np.zeros(0)
_ENOUGH = 0.05  # progress of a curve from which on its elbow is shown


@dataclass(frozen=True)
class Present:
    """The present k, 0 for none, and the figures of its file; its step may differ from the curve's.

    `measured` names the figures that are no estimates.
    """

    k: int = 0
    step: float | None = None  # δ; None where it does not matter
    n_bytes: float | None = None
    psnr: float | None = None
    ssim: float | None = None
    lossless: bool = False
    """Whether the file also stores the residual: k and Δ then do not determine the quality."""
    measured: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class CurveData:
    """Curves prepared for plotting."""

    curve: Curve | None = None  # the image's own
    references: tuple[Reference, ...] = ()  # the curves of other codecs
    original: int | None = None  # bytes of the file that was opened
    original_name: str = "original"  # its name, such as ``"original PNG"``
    deep: bool = False  # whether pixels have 16 bits
    similar: bool = True  # whether structural similarity can be shown
    measure: Measure = "psnr"  # the measure that is chosen for the vertical axis

    @property
    def most(self) -> int:
        """Number of points of the curve; 0 without a curve."""
        return 0 if self.curve is None else len(self.curve)

    def number_of(self, present: Present) -> int:
        """Return the number of the point nearest to the present k and Δ, counted from 1; 0 for none."""
        if not present.k:
            return 0
        return present.k if self.curve is None else self.curve.points.nearest(present.k, present.step) + 1

    @property
    def shown(self) -> Literal["psnr", "ssim", "share"]:
        """The measure on the vertical axis: the share of the variance where no quality can be known."""
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
        """The own curve's heights, at most the ceiling; empty where they are not known yet."""
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

    def is_rough(self, number: int) -> bool:
        """Return whether too little is known of a point, counted from 1, to name figures."""
        return bool(self.rough.size and self.rough[number - 1])

    @property
    def rough(self) -> NDArray[np.bool_]:
        """True where the own curve is only a guess yet; empty without a curve."""
        return np.zeros(0, bool) if self.curve is None else self.curve.rough

    @property
    def original_x(self) -> float | None:
        """The decimal logarithm of the original's size."""
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
        return low - 0.02 * width, high + 0.02 * width

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
        """Index of the first point that the axes have room for: before, nothing can be made out."""
        if self.curve is None or not self.curve.psnr.size:
            return 0
        seen = np.flatnonzero(self.curve.psnr >= FAINTEST)
        return int(seen[0]) if seen.size > len(self.curve.psnr) // 2 else 0

    def x_ticks(self) -> tuple[Ticks, Ticks]:
        """Return the labelled and the unlabelled ticks of the horizontal axis."""
        return size_ticks(*self.x_range)

    def y_ticks(self, most: int) -> Ticks:
        """Return about `most` ticks of the vertical axis; at the ceiling, ≥ marks that values lie beyond."""
        ticks = round_ticks(*self.y_range, most)
        cut = (
            self.curve is not None and self.shown == "psnr" and bool((self.curve.psnr > self._ceiling).any())
        )
        return [(value, f"≥ {text}" if cut and value == self._ceiling else text) for value, text in ticks]

    def place(self, number: int, present: Present | None = None) -> tuple[float, float] | None:
        """Return the coordinates of a point, counted from 1, or those of the present figures if given.

        A place outside the plot is moved to its edge; None stands for one that is not known yet.
        """
        if not 1 <= number <= len(self.x):
            return None
        x, y = float(self.x[number - 1]), float(self.y[number - 1]) if self.y.size else None
        if present is not None:
            x = math.log10(present.n_bytes) if present.n_bytes else x
            known = getattr(present, self.shown, None)
            y = min(known, self._ceiling) if known is not None else y
        if y is None:
            return None
        return max(x, self.x_range[0]), max(y, self.y_range[0])

    @property
    def elbow(self) -> int | None:
        """The number of the elbow, counted from 1, once enough of the curve is known."""
        if self.curve is None or self.curve.elbow is None or self.curve.progress < _ENOUGH:
            return None
        return self.curve.elbow + 1

    def number_at(self, x: float) -> int:
        """Return the number of the point nearest to a size, a decimal logarithm; 0 without a curve."""
        return int(np.argmin(np.abs(self.x - x))) + 1 if self.x.size else 0

    @property
    def _ceiling(self) -> float:
        if self.shown != "psnr":
            return math.inf
        return DEEP_CEILING if self.deep else CEILING


def describe(data: CurveData, number: int, present: Present | None = None) -> str:
    """Return the figures of a point, counted from 1, or of the present setting near it.

    For example ``"k = 24 · ≈ 41.2 KB · ≈ 34.10 dB"``; empty without a curve.
    """
    curve = data.curve
    if curve is None or not 1 <= number <= data.most:
        return ""
    known = present or Present(int(curve.points.ks[number - 1]), curve.points.step(number - 1))
    n_bytes = known.n_bytes if known.n_bytes is not None else float(curve.n_bytes[number - 1])
    parts = [f"Δ = {known.step:.4g}"] if curve.points.by_step and known.step is not None else []
    if known.n_bytes is None and data.is_rough(number):
        return " · ".join([*parts, f"k = {known.k}", "being estimated"])
    certain = curve.exact or "n_bytes" in known.measured
    parts = ["lossless"] if known.lossless else [*parts, f"k = {known.k}"]
    parts += [_estimate(file_size(n_bytes), certain=certain)]
    value = getattr(known, data.shown, None)
    if value is None and data.y.size and not data.is_rough(number):
        value = float(getattr(curve, data.shown)[number - 1])
    if value is not None and not known.lossless:
        certain = data.shown == "share" or data.shown in known.measured
        parts.append(_estimate(_quality(value, data.shown), certain=certain))
    if data.shown == "share" and not known.lossless:
        parts[-1] += f" {curve.of}"
    if data.original is not None and n_bytes > data.original:
        parts.append("larger than the original")
    return " · ".join(parts)


def rivals_at(data: CurveData, number: int, present: Present | None = None) -> str:
    """Return the figures of other codecs at the size of a point, or of the present setting near it.

    For example ``"at this size: JPEG 32.0, WebP 33.1 dB"``; empty where none of their curves extends to it.
    """
    if data.curve is None or not 1 <= number <= data.most or data.shown == "share":
        return ""
    n_bytes = float(data.curve.n_bytes[number - 1])
    if present is not None and present.n_bytes is not None:
        n_bytes = present.n_bytes
    elif data.is_rough(number):
        return ""
    digits, unit = (3, "") if data.shown == "ssim" else (1, "\u00a0dB")
    found = [(each.title, each.at(n_bytes, data.shown)) for each in data.references]
    texts = [f"{title} {value:.{digits}f}" for title, value in found if value is not None]
    return f"at this size: {', '.join(texts)}{unit}" if texts else ""


def describe_original(data: CurveData) -> str:
    """Return the original's size, such as ``"original PNG, 493 KB · larger from k = 171"``, or nothing."""
    if data.original is None:
        return ""
    crossing = _crossing(data)
    larger = "" if crossing is None else f" · larger from {crossing}"
    return f"{data.original_name}, {file_size(data.original)}{larger}"


def _crossing(data: CurveData) -> str | None:
    """Return from which k or Δ on files are larger than the original; None where none is."""
    curve = data.curve
    index = None if curve is None or data.original is None else curve.crossing(data.original)
    if curve is None or index is None:
        return None
    return _setting(curve, index)


def describe_elbow(data: CurveData) -> str:
    """Return where the elbow is: ``"elbow, k = 24"``, or by Δ where the curve follows steps, as of photos."""
    if data.curve is None or data.elbow is None:
        return ""
    return f"elbow, {_setting(data.curve, data.elbow - 1)}"


def _setting(curve: Curve, index: int) -> str:
    """Return the k or the Δ of a point, counted from 0."""
    step = curve.points.step(index)
    return f"k = {curve.points.ks[index]}" if step is None else f"Δ = {step:.3g}"


def summary(data: CurveData, present: Present) -> str:
    """Return the plot in some sentences, for a screen reader; empty without a curve."""
    curve = data.curve
    if curve is None:
        return ""
    number = data.number_of(present)
    parts = [describe(data, number, present), rivals_at(data, number, present)]
    sentences = [" · ".join(part for part in parts if part) or "No k is chosen"]
    ends = [describe(data, end) for end in (1, data.most)]
    sentences.append(f"The curve goes from {ends[0]} to {ends[1]}")
    if data.elbow is not None:
        sentences.append(f"Its elbow is at {describe(data, data.elbow)}")
    if data.original is not None:
        crossing = _crossing(data)
        size_text = f"the {data.original_name} of {file_size(data.original)}"
        if crossing is None:
            sentences.append(f"All files are smaller than {size_text}")
        else:
            sentences.append(f"From {crossing} on the file is larger than {size_text}")
    return ". ".join(sentences) + "."


def _quality(value: float, measure: str) -> str:
    if measure == "ssim":
        return f"SSIM\u00a0{min(value, 1):.3f}"
    return decibels(value) if measure == "psnr" else percent(value)


def _estimate(text: str, *, certain: bool) -> str:
    return ("" if certain else "≈\u00a0") + text

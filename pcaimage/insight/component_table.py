"""Table of the components: their variances, shares, sizes and qualities, and its text."""

from __future__ import annotations

import csv
import html
import io
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Analysis, Header, Preparation, Spectrum
from pcaimage.insight.formatting import percent, share_percent, significant
from pcaimage.machine.folders import tables
from pcaimage.pca import cumulative_shares
from pcaimage.quality import psnr_of_mse


@dataclass(frozen=True)
class VarianceTerms:
    """Words for variances."""

    about: str  # one sentence
    symbol: str = "λ"  # before a number
    axis: str = "λ"  # title of an axis, which may be short
    title: str = "Variance λ"  # of a column
    of: str = "of the variance"  # the quantity that shares refer to


_ALONG = "The explained variance: how far the samples spread along this component"
TERMS = {
    Preparation.NONE: VarianceTerms(f"{_ALONG}, in squared pixel values."),
    Preparation.STANDARDIZED: VarianceTerms(
        f"{_ALONG}, where each feature was divided by its standard deviation first."
    ),
    Preparation.MNF: VarianceTerms(
        "The variance along this component where the noise, which was whitened first, has a variance of 1: "
        "its signal-to-noise ratio plus 1.",
        *("λ = SNR + 1", "SNR + 1", "λ = SNR + 1", "of the variance in units of noise"),
    ),
}
"""Terms by the preparation of features before the analysis."""

PLAIN = TERMS[Preparation.NONE]


Floats = NDArray[np.float64]

KEPT, LEFT_OUT, BEHIND = "kept", "left out", "not kept"


@dataclass(frozen=True)
class ComponentColumn:
    """A column of the table: its key in programs, title with unit, and a sentence that explains it."""

    key: str
    title: str
    about: str


_READ = tables("columns.json")
COLUMNS = tuple(
    ComponentColumn(key, *(each or (PLAIN.title, PLAIN.about))) for key, each in _READ["columns"].items()
)
"""All columns, in display order."""

_OF_PHOTOS = {key: ComponentColumn(key, *each) for key, each in _READ["of photos"].items()}


@dataclass(frozen=True, eq=False)
class ComponentRows:
    """The figures of the table, one number for each component; unknown ones are NaN."""

    variances: Floats = field(repr=False)  # explained variances λ, none negative
    shares: Floats = field(repr=False)  # of the total variance, from 0 to 1
    cumulative: Floats = field(repr=False)
    bits: Floats = field(repr=False)  # size in the file
    psnr: Floats = field(repr=False)  # in decibels, if components up to this one are kept
    axes: NDArray[np.int64] | None = field(default=None, repr=False)  # channel axis of a photo's, from 1
    k: int = 0  # number of components kept
    left_out: frozenset[int] = frozenset()  # by the user, from 1
    scale: VarianceTerms = PLAIN

    def __len__(self) -> int:
        return len(self.variances)

    @cached_property
    def columns(self) -> tuple[ComponentColumn, ...]:
        """The columns of this table."""
        if self.axes is not None:
            return tuple(_OF_PHOTOS.get(column.key, column) for column in COLUMNS)
        return tuple(self._scaled(column) for column in COLUMNS if column.key != "axis")

    def _scaled(self, column: ComponentColumn) -> ComponentColumn:
        if column.key == "variance":
            return replace(column, title=self.scale.title, about=self.scale.about)
        if column.key == "share":
            return replace(column, about=f"The component's part {self.scale.of}, of all components.")
        return column

    def kept(self, k: int, left_out: Collection[int] = ()) -> ComponentRows:
        """Return the same figures, sharing memory, with k components kept except those left out by hand."""
        return replace(self, k=k, left_out=frozenset(left_out))

    def state(self, component: int) -> str:
        """Return whether a component, from 1, is :data:`KEPT`, :data:`LEFT_OUT` or :data:`BEHIND`."""
        if component > self.k:
            return BEHIND
        return LEFT_OUT if component in self.left_out else KEPT

    @cached_property
    def _figures(self) -> dict[str, Floats]:
        count = len(self)
        return {
            "component": np.arange(1.0, count + 1),
            "variance": self.variances,
            "share": 100 * self.shares,
            "cumulative": 100 * self.cumulative,
            "bits": self.bits,
            "psnr": self.psnr,
            "axis": np.full(count, np.nan) if self.axes is None else self.axes.astype(np.float64),
        }

    def values(self, key: str) -> Floats:
        """Return a column as numbers, with shares in percent and NaN where unknown.

        The state is 0 for kept components, 1 for those left out, and 2 for those after k.
        """
        if key != "state":
            return self._figures[key]
        states = np.where(np.arange(len(self)) < self.k, 0.0, 2.0)
        states[[number - 1 for number in self.left_out if number <= min(self.k, len(self))]] = 1.0
        return states

    def shown(self, key: str, component: int) -> str:
        """Return a value as text for people; empty where unknown.

        Percentages are rounded as by :func:`~pcaimage.insight.formatting.percent`, so that nothing short of
        everything is shown as 100. Components count from 1.
        """
        if key == "state":
            return self.state(component)
        value = float(self._figures[key][component - 1])
        if math.isnan(value):
            return ""
        if key == "psnr":
            return "exact" if math.isinf(value) else f"{value:.2f}"
        if key in {"share", "cumulative"}:
            shown = share_percent(value) if key == "share" else percent(value)
            return shown.removesuffix("\u00a0%")
        if key == "variance":
            return significant(value)
        # A kept component without a byte of its own shares one with its neighbours.
        shared = key == "bits" and value == 0 and self.state(component) == KEPT
        return "< 8" if shared else f"{value:,.0f}".replace(",", "\u202f")

    def record(self, component: int) -> list[str]:
        """Return a row, from 1, as one text for each column in full precision; empty where unknown."""
        return [self._exact(column.key, component) for column in self.columns]

    def _exact(self, key: str, component: int) -> str:
        if key == "state":
            return self.state(component)
        value = float(self._figures[key][component - 1])
        if math.isnan(value):
            return ""
        return f"{value:.0f}" if key in {"component", "axis", "bits"} else repr(value)


def component_rows(
    spectrum: Spectrum | Floats,
    header: Header,
    *,
    total: float | None = None,
    axes: NDArray[np.int64] | None = None,
    of_components: NDArray[np.int64] | None = None,
    prepared: Preparation = Preparation.NONE,
) -> ComponentRows:
    """Return the figures of every component, none of them kept; see :meth:`ComponentRows.kept`.

    If the first k components are kept and nothing is rounded, the mean squared error of the pixels is the
    variance of the others,

        MSE(k) = (n − 1) / n · Σ_{j>k} λ_j g_j / d

    for n samples of d features, since scores on different components are uncorrelated and variances have the
    divisor n − 1 (I. T. Jolliffe, "Principal Component Analysis", 2nd ed., 2002, section 6.1). g_j = Σ_f
    (v_jf s_f)² is 1 unless features were divided by deviations s, or their noise was whitened. Rounding and
    clipping of pixel values are not counted; pixels that pad edges to whole blocks are.

    With plain variances, if there is only a file, `total` is the variance of all features if it exceeds their
    sum; NaN if only the first components' are known, and quality is not. `axes` are from
    :func:`channel_axes`, the bytes `of_components` from :class:`SizeBreakdown`; how features were `prepared`
    decides the words for variances.
    """
    variances, known, hidden = _variances(spectrum, total)
    whole = spectrum.total_variance if isinstance(spectrum, Spectrum) else total
    if whole is None or not whole > 0:
        whole = float(variances.sum())
    bits = np.full(len(variances), np.nan)
    if of_components is not None:
        measured = of_components[: len(variances)]
        bits[: len(measured)] = 8.0 * measured
    shares = variances / whole if whole > 0 else np.zeros(len(variances))
    cumulative = cumulative_shares(variances, whole)[1:] if whole > 0 else np.ones(len(variances))
    psnr = _psnr(known, hidden, header)
    return ComponentRows(variances, shares, cumulative, bits, psnr, axes, scale=TERMS[prepared])


def unrounded_psnr(spectrum: Spectrum) -> Floats:
    """Return the PSNR of the first components if nothing were rounded, as in :func:`component_rows`."""
    _, known, hidden = _variances(spectrum, None)
    return _psnr(known, hidden, spectrum.header)


def _variances(spectrum: Spectrum | Floats, total: float | None) -> tuple[Floats, Floats, float]:
    """Return variances, variances in squared pixel values, and the unexplained variance in the latter."""
    if not isinstance(spectrum, Spectrum):
        variances = np.maximum(np.nan_to_num(np.asarray(spectrum, np.float64)), 0.0)
        return variances, variances, 0.0 if total is None else total - float(variances.sum())
    variances = np.maximum(spectrum.variances, 0.0)
    hidden = max(spectrum.total_variance - float(variances.sum()), 0.0)
    if isinstance(spectrum, Analysis):
        return variances, variances * spectrum.gains, hidden * float(np.mean(spectrum.pca.scale_**2))
    return variances, variances, hidden


def _psnr(variances: Floats, hidden: float, header: Header) -> Floats:
    behind = np.concatenate([np.cumsum(variances[::-1])[::-1][1:], [0.0]])[: len(variances)]
    # Variance within rounding error counts as zero.
    total = float(variances.sum()) + hidden
    left = behind + (hidden if math.isnan(hidden) or hidden > 1e-9 * total else 0.0)
    count = header.n_samples
    errors = (count - 1) / count * left / header.n_features
    return np.array([math.nan if math.isnan(e) else psnr_of_mse(e, header.peak) for e in errors.tolist()])


def channel_axes(header: Header) -> NDArray[np.int64] | None:
    """Return the channel axis, from 1, of each of a photo's components; None for other methods."""
    if not header.traits.separable:
        return None
    from pcaimage.codec.photo.layout import PER_CHANNEL  # noqa: PLC0415 - loaded for photos only
    from pcaimage.codec.photo.tables import Tables  # noqa: PLC0415

    planes = Tables.of(header.tables).components(header.shape[-1], header.slopes).planes
    return planes // PER_CHANNEL + 1


def to_csv(rows: ComponentRows) -> str:
    """Return all components as comma-separated values (RFC 4180) in full precision.

    The header has the columns' keys. PSNR is ``inf`` if nothing is discarded; unknown values are empty.
    """
    return _separated(rows, [column.key for column in rows.columns], ",", "\r\n")


def to_tsv(rows: ComponentRows, components: Sequence[int]) -> str:
    """Return some components, from 1, as tab-separated values with titles, for a spreadsheet's clipboard."""
    return _separated(rows, [column.title for column in rows.columns], "\t", "\n", components)


def _separated(
    rows: ComponentRows, header: list[str], separator: str, end: str, components: Sequence[int] | None = None
) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator=end)
    writer.writerow(header)
    writer.writerows(map(rows.record, components or range(1, len(rows) + 1)))
    return text.getvalue()


def to_html(rows: ComponentRows, components: Sequence[int]) -> str:
    """Return some components, from 1, as an HTML table for the clipboard.

    Cells carry numbers apart from their text, so that spreadsheets with a decimal comma accept them too.
    """
    lines = ["".join(f"<th>{html.escape(column.title)}</th>" for column in rows.columns)]
    for component in components:
        texts = rows.record(component)
        numbers = [f' sdval="{text}" sdnum="1033;"' if text[:1].isdigit() else "" for text in texts]
        cells = zip(numbers, map(html.escape, texts), strict=True)
        lines.append("".join(f"<td{number}>{text}</td>" for number, text in cells))
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"

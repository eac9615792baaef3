"""A table of every component."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.scale import PLAIN, Scale
from pcaimage.insight.words import percent, significant

Floats = NDArray[np.float64]

KEPT, LEFT_OUT, BEHIND = "kept", "left out", "not kept"


@dataclass(frozen=True)
class Column:
    """One column of the table.

    Parameters
    ----------
    key : str
        The name for programs.
    title : str
        The name for people, with its unit.
    about : str
        One sentence that explains it.
    """

    key: str
    title: str
    about: str


COLUMNS = (
    Column("component", "Component", "The place of the component, counted from 1; files keep the first k."),
    Column("variance", PLAIN.title, PLAIN.about),
    Column("share", "Share, %", "The component's part of the variance of all components."),
    Column("cumulative", "Cumulative, %", "The part that this component and all before it explain together."),
    Column("bits", "Bits", "What the component and its scores take in the file, once measured."),
    Column(
        "psnr",
        "PSNR at k, unquantised, dB",
        "The quality if components up to this one were kept and nothing were rounded: from the variance left "
        "out. Quantised files are below it.",
    ),
    Column("axis", "Axis", "Which principal component of the photo's channels it describes."),
    Column("state", "State", "Whether the component is kept, left out by hand, or not among the first k."),
)
"""In the order in which they are shown."""

_OF_PHOTOS = {
    "bits": Column(
        "bits",
        "Bits",
        "What the component's scores add to the file, once measured. A photo's are one stream, cut at round "
        "places: small ones may count nothing.",
    ),
    "psnr": Column(
        "psnr",
        "≈ PSNR at k, unquantised, dB",
        "About the quality if components up to this one were kept and nothing were rounded, from the "
        "variance left out. Files of few components are better: a photo predicts some of what is missing.",
    ),
}


@dataclass(frozen=True, eq=False)
class ComponentRows:
    """The table's figures, one number for each component.

    Parameters
    ----------
    variances : ndarray of float64, shape (n,)
        λ, none negative.
    shares, cumulative : ndarray of float64, shape (n,)
        From 0 to 1, of the variance of all components.
    bits : ndarray of float64, shape (n,)
        NaN where unknown.
    psnr : ndarray of float64, shape (n,)
        Decibels; infinite where nothing is left out, NaN where unknown.
    axes : ndarray of int64, shape (n,), or None
        The channel axis of a photo's components, counted from 1.
    k : int
        How many are kept.
    left_out : frozenset of int
        Which of those are left out by hand, counted from 1.
    scale : Scale
        What variances are called.
    """

    variances: Floats = field(repr=False)
    shares: Floats = field(repr=False)
    cumulative: Floats = field(repr=False)
    bits: Floats = field(repr=False)
    psnr: Floats = field(repr=False)
    axes: NDArray[np.int64] | None = field(default=None, repr=False)
    k: int = 0
    left_out: frozenset[int] = frozenset()
    scale: Scale = PLAIN

    def __len__(self) -> int:
        return len(self.variances)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that this table has."""
        if self.axes is not None:
            return tuple(_OF_PHOTOS.get(column.key, column) for column in COLUMNS)
        return tuple(self._scaled(column) for column in COLUMNS if column.key != "axis")

    def _scaled(self, column: Column) -> Column:
        if column.key == "variance":
            return replace(column, title=self.scale.title, about=self.scale.about)
        if column.key == "share":
            return replace(column, about=f"The component's part {self.scale.of}, of all components.")
        return column

    def kept(self, k: int, left_out: Collection[int] = ()) -> ComponentRows:
        """Return the same figures with other components kept.

        Parameters
        ----------
        k : int
            How many.
        left_out : collection of int, optional
            Which of those are left out by hand.

        Returns
        -------
        ComponentRows
            It shares memory with this one.
        """
        return replace(self, k=k, left_out=frozenset(left_out))

    def state(self, component: int) -> str:
        """Return whether a component is kept.

        Parameters
        ----------
        component : int
            Counted from 1.

        Returns
        -------
        str
            :data:`KEPT`, :data:`LEFT_OUT` or :data:`BEHIND`.
        """
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
        """Return a column as numbers, percents as percents.

        Parameters
        ----------
        key : str
            Of :data:`COLUMNS`.

        Returns
        -------
        ndarray of float64, shape (n,)
            NaN where unknown; for the state 0 where kept, 1 where left out, and 2 behind k.
        """
        if key != "state":
            return self._figures[key]
        states = np.where(np.arange(len(self)) < self.k, 0.0, 2.0)
        states[[number - 1 for number in self.left_out if number <= min(self.k, len(self))]] = 1.0
        return states

    def shown(self, key: str, component: int) -> str:
        """Return a value as people read it.

        Parameters
        ----------
        key : str
            Of :data:`COLUMNS`.
        component : int
            Counted from 1.

        Returns
        -------
        str
            Rounded; percents only down, so that nothing short of all is shown as 100. Empty where unknown.
        """
        if key == "state":
            return self.state(component)
        value = float(self._figures[key][component - 1])
        if math.isnan(value):
            return ""
        if key == "psnr":
            return "exact" if math.isinf(value) else f"{value:.2f}"
        if key == "share" and 0 < value < 0.01:
            return "< 0.01"
        if key in {"share", "cumulative"}:
            return percent(value).removesuffix("\u00a0%")
        return significant(value) if key == "variance" else f"{value:,.0f}".replace(",", "\u202f")

    def record(self, component: int) -> list[str]:
        """Return a row in full precision.

        Parameters
        ----------
        component : int
            Counted from 1.

        Returns
        -------
        list of str
            One text for each of :attr:`columns`, empty where unknown.
        """
        return [self._exact(column.key, component) for column in self.columns]

    def _exact(self, key: str, component: int) -> str:
        if key == "state":
            return self.state(component)
        value = float(self._figures[key][component - 1])
        if math.isnan(value):
            return ""
        return f"{value:.0f}" if key in {"component", "axis", "bits"} else repr(value)

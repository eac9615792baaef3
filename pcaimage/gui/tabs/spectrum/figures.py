"""The spectrum as numbers and words: shares, thresholds, groups and places on the axes. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcaimage.insight.component_table import PLAIN, VarianceTerms
from pcaimage.insight.formatting import percent, share_percent, significant

_MOST_DECADES = 9.0
_FEWEST_DECADES = 2.0
_LOGARITHMIC_FROM = 512
THRESHOLDS = (90, 95, 99)  # percentages of the variance that are marked


@dataclass(frozen=True)
class Threshold:
    """The smallest k that reaches some percentages of the variance, which are ascending."""

    percents: tuple[int, ...]
    k: int

    @property
    def name(self) -> str:
        """The shares, such as ``90, 95 %``."""
        return ", ".join(map(str, self.percents)) + "\u00a0%"


@dataclass(frozen=True, eq=False)
class SpectrumData:
    """A spectrum prepared for plotting; arrays have shape (n,), in the order of the components."""

    variances: NDArray[np.float64]  # explained variances, mostly descending; none negative
    cumulative: NDArray[np.float64]  # percentage of the variance that the components up to each one keep
    most: int  # the largest k that can be requested
    groups: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """The group of each component, from 0."""
    group_names: tuple[str, ...] = ()  # empty where there is only one group
    logarithmic: bool = True  # whether heights are logarithms of variances
    scale: VarianceTerms = PLAIN  # the name and unit of variances
    total: float = 0.0  # the variance of all features

    @classmethod
    def of(
        cls,
        variances: ArrayLike,
        most: int,
        groups: ArrayLike | None = None,
        group_names: Sequence[str] = (),
        *,
        logarithmic: bool = True,
        scale: VarianceTerms = PLAIN,
        total: float = 0.0,
    ) -> SpectrumData:
        """Prepare a spectrum, in which rounding may have made small variances negative.

        `total` counts if it is more than the sum of the variances. Without variance, all shares are 100 %.
        """
        values = np.maximum(np.nan_to_num(np.asarray(variances, np.float64).ravel()), 0.0)
        total = max(float(values.sum()), total)
        share = np.cumsum(values) / total * 100 if total > 0 else np.full(values.shape, 100.0)
        grouped = np.zeros(values.size, np.int64)
        if groups is not None:
            known = np.asarray(groups, np.int64).ravel()[: values.size]
            grouped[: known.size] = known
        most = max(0, min(most, values.size))
        return cls(values, share, most, grouped, tuple(group_names), logarithmic, scale, total)

    @property
    def logarithmic_axis(self) -> bool:
        """Whether the horizontal axis is logarithmic.

        Of thousands of components, the first few dozen decide; on a linear axis they would share a pixel.
        """
        return self.variances.size >= _LOGARITHMIC_FROM

    @cached_property
    def heights(self) -> NDArray[np.float64]:
        """The height of each bar: the variance or its decimal logarithm, no lower than :attr:`floor`."""
        if not self.logarithmic:
            return self.variances
        heights: NDArray[np.float64] = np.log10(np.maximum(self.variances, 10.0**self.floor))
        return heights

    @cached_property
    def floor(self) -> float:
        """The lower end of the vertical axis, where zeros are drawn."""
        if not self.logarithmic:
            return 0.0
        positive = self.variances[self.variances > 0]
        if not positive.size:
            return -1.0
        top = math.log10(float(positive.max()))
        lowest = max(math.log10(float(positive.min())) - 0.3, top - _MOST_DECADES)
        return min(lowest, top - _FEWEST_DECADES)

    @cached_property
    def top(self) -> float:
        """The upper end of the vertical axis."""
        if not self.variances.any():
            return 1.0
        highest = float(self.heights.max())
        return highest + 0.15 if self.logarithmic else max(highest * 1.03, 1e-9)

    @cached_property
    def thresholds(self) -> tuple[Threshold, ...]:
        """The components that reach :data:`THRESHOLDS`, ascending; none beyond :attr:`most`."""
        found: dict[int, list[int]] = {}
        for threshold in THRESHOLDS if self.variances.any() else ():
            k = int(np.searchsorted(self.cumulative, threshold - 1e-7)) + 1
            if k <= self.most:
                found.setdefault(k, []).append(threshold)
        return tuple(Threshold(tuple(percents), k) for k, percents in sorted(found.items()))

    @cached_property
    def group_shares(self) -> tuple[str, ...]:
        """Each group's share of the variance, as text."""
        total = self.total
        sums = [float(self.variances[self.groups == group].sum()) for group in range(len(self.group_names))]
        return tuple(_whole_percent(100 * each / total if total > 0 else 0.0) for each in sums)

    def reached(self, component: int) -> str:
        """Return the thresholds that a component, counted from 1, is the first to reach, such as ``95 %``."""
        return next((each.name for each in self.thresholds if each.k == component), "")

    def place(self, component: ArrayLike) -> NDArray[np.float64]:
        """Return where components are on the horizontal axis; component 1 reaches from 0.5 to 1.5."""
        values = np.asarray(component, np.float64)
        return np.log10(values) if self.logarithmic_axis else values

    def component_at(self, x: float) -> int:
        """Return the component at a place on the horizontal axis, clamped to 1 … :attr:`most`."""
        value = 10.0 ** min(x, 12.0) if self.logarithmic_axis else x
        return max(1, min(round(value), self.most))

    def describe(self, component: int) -> str:
        """Return its figures, such as ``"component 12 · λ = 34.5 · 0.21 % · cumulative 97.31 %"``."""
        value = float(self.variances[component - 1])
        share = 100 * value / self.total if self.total > 0 else 0.0
        reached = self.reached(component)
        group = int(self.groups[component - 1])
        name = f" · {self.group_names[group]}" if group < len(self.group_names) else ""
        parts = [
            f"component {component}{name}",
            f"{self.scale.symbol} = {significant(value)}",
            share_percent(share),
            f"cumulative {percent(float(self.cumulative[component - 1]))}",
        ]
        if self.scale.of != PLAIN.of:
            parts[-1] += f" {self.scale.of}"
        return " · ".join([*parts, *([f"first to reach {reached}"] if reached else [])])


def _whole_percent(percent: float) -> str:
    """Return a share in whole percents, but neither all nor nothing where it is not quite so."""
    shown = "< 1" if 0 < percent < 0.5 else f"{math.floor(percent) if percent > 99 else percent:.0f}"
    return f"{shown}\u00a0%"

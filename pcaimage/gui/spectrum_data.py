"""What the spectrum's plot shows, as numbers and words. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_MOST_DECADES = 9.0
_FEWEST_DECADES = 2.0
_LOGARITHMIC_FROM = 512
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True, eq=False)
class SpectrumData:
    """A spectrum prepared for plotting.

    Parameters
    ----------
    variances : ndarray of float64, shape (n,)
        Explained variances in the order of the components, mostly descending; none negative.
    cumulative : ndarray of float64, shape (n,)
        Percent of the variance that the components up to each keep.
    most : int
        The largest k that can be asked for.
    """

    variances: NDArray[np.float64]
    cumulative: NDArray[np.float64]
    most: int

    @classmethod
    def of(cls, variances: ArrayLike, most: int) -> SpectrumData:
        """Prepare a spectrum.

        Parameters
        ----------
        variances : array_like, shape (n,)
            Explained variances in the order of the components; rounding may have made small ones negative.
        most : int
            The largest k that can be asked for.

        Returns
        -------
        SpectrumData
            With 100 % everywhere if there is no variance at all.
        """
        values = np.maximum(np.nan_to_num(np.asarray(variances, np.float64).ravel()), 0.0)
        total = values.sum()
        share = np.cumsum(values) / total * 100 if total > 0 else np.full(values.shape, 100.0)
        return cls(values, share, max(0, min(most, values.size)))

    @property
    def logarithmic_axis(self) -> bool:
        """Whether components are spread by their logarithm.

        Of thousands, the first few dozen decide; on a linear axis they would share a pixel.
        """
        return self.variances.size >= _LOGARITHMIC_FROM

    @property
    def heights(self) -> NDArray[np.float64]:
        """Decimal logarithm of each variance, no lower than :attr:`floor`."""
        heights: NDArray[np.float64] = np.log10(np.maximum(self.variances, 10.0**self.floor))
        return heights

    @property
    def floor(self) -> float:
        """The logarithm that zeros are drawn at: below all that matters, but not by hundreds of decades."""
        positive = self.variances[self.variances > 0]
        if not positive.size:
            return -1.0
        top = math.log10(float(positive.max()))
        lowest = max(math.log10(float(positive.min())) - 0.3, top - _MOST_DECADES)
        return min(lowest, top - _FEWEST_DECADES)

    @property
    def top(self) -> float:
        """The upper end of the logarithmic axis."""
        return float(self.heights.max()) + 0.15 if self.variances.any() else 1.0

    def place(self, component: ArrayLike) -> NDArray[np.float64]:
        """Return where a component stands on the horizontal axis.

        Parameters
        ----------
        component : array_like
            Counted from 1; component 1 reaches from 0.5 to 1.5.

        Returns
        -------
        ndarray
            In the coordinates of the plot.
        """
        values = np.asarray(component, np.float64)
        return np.log10(values) if self.logarithmic_axis else values

    def component_at(self, x: float) -> int:
        """Return the component at a place of the horizontal axis; the inverse of :meth:`place`.

        Parameters
        ----------
        x : float
            In the coordinates of the plot; may lie beyond its ends.

        Returns
        -------
        int
            Between 1 and :attr:`most`.
        """
        value = 10.0 ** min(x, 12.0) if self.logarithmic_axis else x
        return max(1, min(round(value), self.most))

    def describe(self, component: int) -> str:
        """Return the figures of one component as words.

        Parameters
        ----------
        component : int
            Counted from 1.

        Returns
        -------
        str
            Such as ``"component 12 · λ = 34.5 · 0.21 % · cumulative 97.31 %"``.
        """
        value = float(self.variances[component - 1])
        total = float(self.variances.sum())
        share = 100 * value / total if total > 0 else 0.0
        shown = "< 0.01" if 0 < share < 0.005 else f"{_not_rounded_up(share):.2f}"
        return (
            f"component {component} · λ = {_figure(value)} · {shown}\u00a0% · "
            f"cumulative {_not_rounded_up(float(self.cumulative[component - 1])):.2f}\u00a0%"
        )


def decades(low: float, high: float, most: int = 6) -> list[tuple[float, str]]:
    """Return where a logarithmic axis is labelled, and how.

    Parameters
    ----------
    low, high : float
        Decimal logarithms of the axis' ends.
    most : int
        How many labels there is room for.

    Returns
    -------
    list of tuple of float and str
        Whole logarithms and powers of ten.
    """
    first, last = math.ceil(low), math.floor(high)
    every = max(1, math.ceil((last - first + 1) / most))
    return [(float(power), _power(power)) for power in range(first, last + 1) if power % every == 0]


def _power(power: int) -> str:
    if -2 <= power <= 3:
        return f"{10.0**power:g}"
    return "10" + str(power).translate(_SUPERSCRIPTS)


def _figure(value: float) -> str:
    if value == 0 or 1e-2 <= value < 1e5:
        return f"{value:.3g}" if value < 100 else f"{value:.0f}"
    return f"{value:.2e}"


def _not_rounded_up(percent: float) -> float:
    """Floor to two decimals, so that only all of the variance is shown as 100 %."""
    return math.floor(percent * 100 + 1e-7) / 100

"""Bjøntegaard deltas: the mean difference between two codecs in rate or quality, over their common range.

The curves are interpolated by monotone piecewise cubics, which do not swing between distant points as the
single cubic of the first report [1]_ does.

References
----------
.. [1] G. Bjøntegaard, "Calculation of average PSNR differences between RD-curves", VCEG-M33, 2001.
.. [2] F. N. Fritsch and R. E. Carlson, "Monotone piecewise cubic interpolation", SIAM Journal on Numerical
   Analysis 17(2), 1980, doi:10.1137/0717021.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

Floats = NDArray[np.float64]
Numbers = Sequence[float] | Floats


def bd_rate(
    anchor: tuple[Numbers, Numbers],
    test: tuple[Numbers, Numbers],
    within: tuple[float, float] = (0.0, math.inf),
) -> float:
    """Return the mean relative change of the rate at equal quality (BD-rate), such as −0.1 for 10 % less.

    The logarithm of the rate as a function of quality is averaged over the qualities that both curves have
    within a range of rates. Points beyond that range still shape the curves within it.

    Parameters
    ----------
    anchor, test : (sequence of float, sequence of float)
        Rates and qualities of the reference codec, and of the tested one.
    within : (float, float), optional
        Range of rates; all by default.

    Raises
    ------
    ValueError
        If a curve has fewer than two points, or the curves have no quality in common.
    """
    curves = [_Curve.of(*anchor), _Curve.of(*test)]
    ranges = [curve.qualities(*within) for curve in curves]
    low, high = max(low for low, _ in ranges), min(high for _, high in ranges)
    if not low < high:
        raise ValueError("The curves have no quality in common.")
    areas = [float(curve.log_rate.integrate(low, high)) for curve in curves]
    return math.expm1((areas[1] - areas[0]) / (high - low))


def bd_quality(anchor: tuple[Numbers, Numbers], test: tuple[Numbers, Numbers]) -> float:
    """Return the mean change of quality at equal rate (BD-PSNR), averaged over the logarithm of the rate.

    Parameters
    ----------
    anchor, test : (sequence of float, sequence of float)
        Rates and qualities of the reference codec, and of the tested one.

    Raises
    ------
    ValueError
        If a curve has fewer than two points, or the curves have no rate in common.
    """
    first, second = _rising(*anchor), _rising(*test)
    low, high = np.log(max(first[0][0], second[0][0])), np.log(min(first[0][-1], second[0][-1]))
    if not low < high:
        raise ValueError("The curves have no rate in common.")
    areas = [float(PchipInterpolator(np.log(x), y).integrate(low, high)) for x, y in (first, second)]
    return (areas[1] - areas[0]) / float(high - low)


def quality_at(rates: Numbers, qualities: Numbers, rate: float) -> float | None:
    """Return the quality of a curve at a rate; None outside of the curve.

    Raises
    ------
    ValueError
        If the curve has fewer than two points.
    """
    x, y = _rising(rates, qualities)
    if not x[0] <= rate <= x[-1]:
        return None
    return float(PchipInterpolator(np.log(x), y)(np.log(rate)))


@dataclass(frozen=True)
class _Curve:
    """The logarithm of the rate as a function of quality."""

    rates: Floats
    levels: Floats
    log_rate: PchipInterpolator

    @classmethod
    def of(cls, rates: Numbers, qualities: Numbers) -> _Curve:
        x, y = _rising(rates, qualities)
        return cls(x, y, PchipInterpolator(y, np.log(x)))

    def qualities(self, lowest: float, highest: float) -> tuple[float, float]:
        """Return the range of qualities at these rates; empty if the curve has none of them."""
        return self._quality(lowest), self._quality(highest)

    def _quality(self, rate: float) -> float:
        if not self.rates[0] < rate < self.rates[-1]:
            return float(self.levels[0] if rate <= self.rates[0] else self.levels[-1])
        place = math.log(rate)
        return float(brentq(lambda quality: float(self.log_rate(quality)) - place, *self.levels[[0, -1]]))


def _rising(rates: Numbers, qualities: Numbers) -> tuple[Floats, Floats]:
    """Return a curve's points by rate, without those that are worse than a cheaper one."""
    x, y = np.asarray(rates, np.float64), np.asarray(qualities, np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError("A curve has one quality for each rate.")
    if not (np.isfinite(x).all() and np.isfinite(y).all() and (x > 0).all()):
        raise ValueError("Rates are positive, and all numbers finite.")
    order = np.lexsort((-y, x))
    x, y = x[order], y[order]
    best_before = np.concatenate([[-np.inf], np.maximum.accumulate(y)[:-1]])
    useful = y > best_before
    x, y = x[useful], y[useful]
    if x.size < 2:
        raise ValueError("A curve has at least two points, the larger of them better.")
    return x, y

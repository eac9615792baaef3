"""Size and quality for every k without encoding: what each further component costs, and what it buys."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Rates, Spectrum
from pcaimage.codec.estimates import rounded_mse
from pcaimage.insight.variance_terms import PLAIN
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import psnr_of_mse

Floats = NDArray[np.float64]
Deliver = Callable[["Curve"], None]

MOST_ESTIMATES = 320
"""Of more components than that, not every k is estimated."""

DELIVER_EVERY = 0.2
"""Seconds between curves that grow."""

VISIBLE_DECIBELS = 50.0
"""What lies above does not show, and has no say in where the elbow is."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Size and quality of the file of every k, each at its own step.

    Parameters
    ----------
    n_bytes : ndarray of float64, shape (n_components,)
        Sizes, at index k − 1.
    psnr : ndarray of float64, shape (n_components,) or (0,)
        Peak signal-to-noise ratios in decibels; none where there is no original to compare with.
    share : ndarray of float64, shape (n_components,) or (0,)
        Percent of the variance explained.
    ssim : ndarray of float64, shape (n_components,) or (0,)
        Structural similarities, where they were asked for.
    exact : bool
        Whether the sizes are those of a file; else all are estimates.
    progress : float
        Which share of the estimates is there, 0 to 1; the others are guessed from those.
    of : str
        What `share` is a share of.
    """

    n_bytes: Floats
    psnr: Floats = field(default_factory=lambda: np.zeros(0))
    share: Floats = field(default_factory=lambda: np.zeros(0))
    ssim: Floats = field(default_factory=lambda: np.zeros(0))
    exact: bool = False
    progress: float = 1.0
    of: str = PLAIN.of

    @property
    def n_components(self) -> int:
        """The largest k."""
        return len(self.n_bytes)

    @cached_property
    def elbow(self) -> int | None:
        """The k from which on each further byte buys less than it did on the average so far.

        The point of the curve that is farthest above its chord, with sizes and decibels both from 0 to 1:
        'Kneedle' [1]_. Only what is below :data:`VISIBLE_DECIBELS` counts, for the curve of an image
        without noise goes on to where no eye sees a difference. None for fewer than four k.

        References
        ----------
        .. [1] V. Satopaa, J. Albrecht, D. Irwin, B. Raghavan, "Finding a 'Kneedle' in a Haystack: Detecting
           Knee Points in System Behavior", ICDCS Workshops 2011, doi:10.1109/ICDCSW.2011.20.
        """
        sizes, gains = self.n_bytes, self.psnr if self.psnr.size else self.share
        visible = gains <= VISIBLE_DECIBELS if self.psnr.size else np.ones(len(gains), bool)
        count = int(np.count_nonzero(np.logical_and.accumulate(visible)))
        if count < 4 or sizes[count - 1] <= sizes[0] or gains[count - 1] <= gains[0]:
            return None
        above = _from_0_to_1(gains[:count]) - _from_0_to_1(sizes[:count])
        return int(np.argmax(above)) + 1

    def crossing(self, n_bytes: float) -> int | None:
        """Return from which k on files are larger than some other.

        Parameters
        ----------
        n_bytes : float
            The size of the other, such as the original's.

        Returns
        -------
        int or None
            The first k whose file, and all after it, are larger; None if the last is not.
        """
        smaller = np.flatnonzero(self.n_bytes <= n_bytes)
        first = 1 if not smaller.size else int(smaller[-1]) + 2
        return first if first <= self.n_components else None


def curve_of_file(sizes: Sequence[int], ratios: Floats) -> Curve:
    """Return the curve of a compressed file whose original is not known.

    Parameters
    ----------
    sizes : sequence of int
        Bytes of the file cut after each component.
    ratios : ndarray, shape (n_components + 1,)
        Share of the variance that the first k explain, at index k.

    Returns
    -------
    Curve
        Exact sizes, and the variance explained instead of a quality.
    """
    count = len(sizes)
    return Curve(np.array(sizes, np.float64), share=100 * np.asarray(ratios)[1 : count + 1], exact=True)


def trace_curve(
    analysis: Spectrum,
    rates: Rates,
    *,
    extra_bytes: int = 0,
    first: int | None = None,
    progress: Progress = no_progress,
    deliver: Deliver | None = None,
) -> Curve:
    """Estimate the curve of an image, from few estimates at first, then from more and more.

    Between those, sizes and errors follow the theory of rate and distortion of Gaussian sources, moved to
    meet the estimates.

    Parameters
    ----------
    analysis : Spectrum
        The image.
    rates : Rates
        Its estimates.
    extra_bytes : int
        What opacity and metadata add to every file.
    first : int, optional
        About which k to begin with; by default in the middle. What others have estimated already is
        there at once.
    progress : Progress
        Told of the work done, and asked before each estimate.
    deliver : callable, optional
        Given the curve as it is known so far, from the first estimate on, some times a second.

    Returns
    -------
    Curve
        With an estimate of every k, or of :data:`MOST_ESTIMATES` if there are more.
    """
    ks = chosen_ks(analysis.n_components, MOST_ESTIMATES)
    theory = _theory(analysis, ks)
    known = dict[int, tuple[float, float]]()
    last = -math.inf
    begin = [] if first is None else [int(np.argmin(np.abs(ks - first)))]
    for index in dict.fromkeys([*begin, *coarse_to_fine(len(ks))]):
        progress(len(known), len(ks))
        estimate = rates.estimate(int(ks[index]))
        known[index] = math.log(max(estimate.n_bytes, 1)), estimate.psnr
        if deliver is not None and monotonic() - last >= DELIVER_EVERY and len(known) < len(ks):
            deliver(_meeting(analysis, ks, theory, known, extra_bytes))
            last = monotonic()
    return _meeting(analysis, ks, theory, known, extra_bytes)


def chosen_ks(count: int, most: int) -> NDArray[np.intp]:
    """Return which k are looked at: all of few, else more of the small ones.

    Parameters
    ----------
    count : int
        The largest k.
    most : int
        About how many there may be.

    Returns
    -------
    ndarray of int
        Ascending, with 1 and `count`.
    """
    if count <= most:
        return np.arange(1, count + 1)
    spread = [np.geomspace(1, count, most // 2), np.linspace(1, count, most // 2)]
    return np.unique(np.round(np.concatenate(spread)).astype(np.intp))


def coarse_to_fine(count: int) -> list[int]:
    """Return numbers so that the first few are spread over all of them.

    Parameters
    ----------
    count : int
        How many numbers there are.

    Returns
    -------
    list of int
        Those from 0 to ``count - 1``: the middle, then the last and the first, then what halves the gaps.
    """
    order, gaps = [count // 2, count - 1, 0], [(0, count // 2), (count // 2, count - 1)]
    while gaps:
        following = []
        for low, high in gaps:
            middle = (low + high) // 2
            if low < middle < high:
                order.append(middle)
                following += [(low, middle), (middle, high)]
        gaps = following
    return list(dict.fromkeys(order))


def _from_0_to_1(values: Floats) -> Floats:
    scaled: Floats = (values - values[0]) / (values[-1] - values[0])
    return scaled


def _theory(analysis: Spectrum, ks: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return logarithms of bytes, and decibels, that Gaussian sources would take at high rates.

    A component of variance λ costs ½ log₂(1 + λ / θ) bits a sample with θ = Δ² / 12, of which the error is.
    """
    variances, header = analysis.variances, analysis.header
    total = max(analysis.total_variance, float(variances.sum()))
    sizes, decibels = np.zeros(len(ks)), np.zeros(len(ks))
    for place, k in enumerate(ks):
        level = float(analysis.step_for(int(k))) ** 2 / 12
        kept = np.maximum(variances[:k], 0)
        bits = 0.5 * float(np.log2(1 + kept / level).sum())
        wrong = max(total - float(kept.sum()), 0.0) + float((kept * level / (kept + level)).sum())
        sizes[place] = math.log(100 + k + header.n_samples * bits / 8)
        mse = max(rounded_mse(wrong / header.n_features), 1e-10)
        decibels[place] = psnr_of_mse(mse, header.peak)
    return sizes, decibels


def _meeting(
    analysis: Spectrum,
    ks: NDArray[np.intp],
    theory: tuple[Floats, Floats],
    known: dict[int, tuple[float, float]],
    extra_bytes: int,
) -> Curve:
    """Return the theory's curve, moved so that it goes through the estimates."""
    places = np.array(sorted(known))
    found = np.array([known[place] for place in places])
    all_ks = np.arange(1, analysis.n_components + 1)
    lines = []
    for column, guess in enumerate(theory):
        here = np.arange(len(ks))
        moved = guess + np.interp(here, places, found[:, column] - guess[places])
        # More components never make a file smaller or worse, so the nearest estimates bound those between.
        after = np.searchsorted(places, here)
        low = np.where(after > 0, found[after - 1, column], -np.inf)
        high = np.where(after < len(places), found[np.minimum(after, len(places) - 1), column], np.inf)
        moved = np.where(np.isin(here, places), moved, np.clip(moved, np.minimum(low, high), high))
        lines.append(np.interp(all_ks, ks, moved))
    return Curve(
        np.exp(lines[0]) + extra_bytes,
        psnr=lines[1],
        share=100 * analysis.ratios[1:],
        progress=len(known) / len(ks),
    )

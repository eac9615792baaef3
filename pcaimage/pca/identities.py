"""Quantities that follow from the spectrum alone, and PCA by deflation, one component at a time."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from pcaimage.errors import DataError, SettingsError
from pcaimage.pca._samples import Floats, as_samples
from pcaimage.pca.moments import moments_of_features
from pcaimage.pca.solvers import SEED, Decomposition, fix_signs

_NEGLIGIBLE = 1e-15  # variance, as a share of the largest, that Minka's evidence cannot tell from zero


def components_for_ratio(variances: ArrayLike, ratio: float) -> int:
    """Count the components that are needed to explain a share of the variance, at least 1.

    Variances are the whole spectrum in descending order; a share that misses the ratio, in (0, 1], by
    rounding only (1e-12) counts as reaching it (I. T. Jolliffe, "Principal Component Analysis", 2nd ed.,
    2002, section 6.1.1). SettingsError for another ratio, DataError for what is no spectrum.

    >>> components_for_ratio([6, 3, 1], 0.9)
    2
    """
    spectrum = _as_spectrum(variances)
    if not 0 < ratio <= 1:
        raise SettingsError(f"A share of the variance must be above 0 and at most 1, not {ratio}.")
    reached = np.cumsum(spectrum)
    return int(np.argmax(reached >= (ratio - 1e-12) * reached[-1])) + 1


def cumulative_shares(variances: ArrayLike, total: float | None = None) -> Floats:
    """Return the share of the variance that the first k components explain at index k, at most 1.

    The total is that of all features, by default the sum of the spectrum; if nothing varies, shares are 0.

    >>> cumulative_shares([6, 3, 1]).round(2)
    array([0. , 0.6, 0.9, 1. ])
    """
    spectrum = np.asarray(variances, np.float64)
    whole = float(spectrum.sum()) if total is None else total
    shares: Floats = np.zeros(spectrum.size + 1)
    if whole > 0:
        shares[1:] = np.minimum(np.cumsum(spectrum) / whole, 1.0)
    return shares


def components_by_evidence(variances: ArrayLike, n_samples: int) -> int:
    """Count the components that the data support most, by Minka's Bayesian model selection.

    The samples are taken to be normally distributed about a subspace of k dimensions, with noise of one
    variance v in all other directions (M. E. Tipping and C. M. Bishop, J. Royal Statistical Society B 61(3),
    1999). With N samples of d features and variances λ, the whole spectrum in descending order, Laplace's
    approximation of the evidence (T. P. Minka, "Automatic choice of dimensionality for PCA", NIPS 13, 2000,
    equation 30, with its priors) is::

        log p(D|k) ≈ log p(U) - N/2 · Σ_{i≤k} log λ_i - N (d-k)/2 · log v
                     + (m+k)/2 · log 2π - 1/2 · log |A| - k/2 · log N
        log p(U)   = -k log 2 + Σ_{i≤k} [ log Γ((d-i+1)/2) - (d-i+1)/2 · log π ]
        log |A|    = Σ_{i≤k} Σ_{j>i} [ log (1/λ'_j - 1/λ'_i) + log (λ_i - λ_j) + log N ]

    where v is the mean of λ_{k+1}, …, λ_d, λ' is λ with v in place of these, and m = d k - k (k+1)/2. The
    sums for one k follow from those for k - 1, so all together take some d² operations. The result is from 1
    to d - 1, and 1 if nothing varies; variances below 1e-15 of the largest are never counted. SettingsError
    if N < d, DataError for what is no spectrum.

    >>> components_by_evidence([9, 5, 0.11, 0.1, 0.09], n_samples=100)
    2
    """
    spectrum = _as_spectrum(variances)
    d = spectrum.size
    check_evidence(n_samples, d)
    # The evidence does not depend on the unit of the variances, but what is negligible does.
    spectrum = spectrum / (spectrum[0] or 1.0)
    best, greatest = 1, -math.inf
    volume = logs = between_all = between_first = 0.0
    for k in range(1, d):
        last = spectrum[k - 1]
        if last < _NEGLIGIBLE:
            break
        noise = max(_NEGLIGIBLE, float(spectrum[k:][::-1].sum()) / (d - k))
        half = (d - k + 1) / 2
        volume += math.lgamma(half) - half * math.log(math.pi) - math.log(2)
        logs += math.log(last)
        between_all += _log_sum(last - spectrum[k:])
        between_first += _log_sum(1 / last - 1 / spectrum[: k - 1])
        between_noise = (d - k) * _log_sum(1 / noise - 1 / spectrum[:k])
        m = d * k - k * (k + 1) / 2
        curvature = between_all + between_first + between_noise + m * math.log(n_samples)
        evidence = (
            volume
            - n_samples / 2 * (logs + (d - k) * math.log(noise))
            + (m + k) / 2 * math.log(2 * math.pi)
            - curvature / 2
            - k / 2 * math.log(n_samples)
        )
        if evidence > greatest:
            best, greatest = k, evidence
    return best


def check_evidence(n_samples: int, n_features: int) -> None:
    """Raise SettingsError if there are too few samples for :func:`components_by_evidence`."""
    if n_samples < n_features:
        raise SettingsError(
            f"n_components='mle' needs at least as many samples as features, but there are {n_samples} "
            f"samples of {n_features} features."
        )


def deflation(
    samples: ArrayLike, k: int, *, centre: bool = True, max_iterations: int = 10_000, tolerance: float = 1e-12
) -> Decomposition:
    """Find at most k components one at a time, each from the residuals that the previous ones leave.

    The direction in which the residuals vary most is found by power iteration: starting from a random mixture
    of the residuals, multiply by their scatter and normalise until nothing changes. Then the part along it is
    subtracted from every residual (H. Hotelling, J. Educational Psychology 24(6), 1933). The result is that
    of :class:`pcaimage.pca.PCA`; this method is for teaching and testing, since it is slow and needs a copy
    of the data. The random mixtures have a fixed seed, so the same samples always yield the same components.
    Where two variances are so close that `max_iterations` do not suffice, the direction is some mixture of
    both; without centring, variances are mean squares. DataError if there are no samples, or they are no
    matrix of finite real numbers, SettingsError if k is not positive.

    >>> deflation([[0, 0], [3, 4]], 2).components.round(1)
    array([[0.6, 0.8]])
    """
    array = as_samples(samples)
    if k < 1:
        raise SettingsError(f"The number of components must be at least 1, not {k}.")
    if len(array) == 0:
        raise DataError("There are no samples.")
    mean, squares = moments_of_features(array)
    residuals = np.subtract(array, mean if centre else 0.0, dtype=np.float64)
    total = float(squares.sum()) if centre else float(np.square(residuals).sum())
    # Residuals are rounded to some eps of the samples, so their squares to some eps² of the samples' squares.
    nothing = total * (np.finfo(np.float64).eps * 4 * max(array.shape)) ** 2
    # One generator serves all rounds. A start may be orthogonal to the axis that is sought, but an axis that
    # is missed by one start would be missed again by an equal one.
    random = np.random.default_rng(SEED)
    variances: list[float] = []
    components: list[Floats] = []
    while len(components) < min(k, array.shape[1]):
        if np.square(residuals).sum() <= nothing:
            break
        start = residuals.T @ random.standard_normal(len(residuals))
        component = _principal_axis(residuals, start, max_iterations, tolerance)
        scores = residuals @ component
        residuals -= np.outer(scores, component)
        variances.append(float(scores @ scores) / max(len(array) - 1, 1))
        components.append(component)
    found = np.array(components).reshape(-1, array.shape[1])
    return Decomposition(np.array(variances), fix_signs(found))


def _principal_axis(residuals: Floats, start: Floats, max_iterations: int, tolerance: float) -> Floats:
    """Find the unit vector along which the residuals vary most, by power iteration.

    The start is a random mixture of the residuals: any one of them, such as the longest, may be orthogonal to
    the vector that is sought, and the iteration would never leave the others.
    """
    axis: Floats = start / np.linalg.norm(start)
    for _ in range(max_iterations):
        before = axis
        axis = residuals.T @ (residuals @ before)
        axis /= np.linalg.norm(axis)
        if np.linalg.norm(axis - before) <= tolerance:
            break
    return axis


def _log_sum(differences: Floats) -> float:
    """Add the logarithms; a difference that vanishes, for which the evidence is undefined, counts as tiny."""
    return float(np.log(np.maximum(differences, _NEGLIGIBLE)).sum())


def _as_spectrum(variances: ArrayLike) -> Floats:
    spectrum = np.asarray(variances, np.float64)
    if spectrum.ndim != 1 or not spectrum.size:
        raise DataError(f"A spectrum is a list of variances, not an array of shape {spectrum.shape}.")
    if not np.isfinite(spectrum).all() or (spectrum < 0).any() or (np.diff(spectrum) > 0).any():
        raise DataError("A spectrum holds finite variances, none negative, in descending order.")
    return spectrum

"""Four algorithms for the same components, and the choice between them.

All return the variances in descending order (divisor n - 1) and the components as orthonormal rows
with fixed signs. They differ in their cost for n samples of d features:

========== =================================================== =====================
solver     work                                                memory
========== =================================================== =====================
covariance n·d² products once, then d³                         d²
gram       n²·d products once, then n³                         n² + n·d
randomized 4·n·d·(k + 10) products for each of 7 passes        d·(k + 10)
svd        2·n·d² products (d ≤ n; else 2·n²·d), then d³ or n³ d² (d ≤ n; else n·d)
========== =================================================== =====================

The first three multiply the data by itself, which squares its range: variances below some 1e-14 of the
largest drown in rounding, and are set to zero. ``svd`` does not, and resolves variances down to some 1e-26.

References
----------
.. [1] L. Sirovich, "Turbulence and the dynamics of coherent structures. I. Coherent structures",
   Quarterly of Applied Mathematics 45(3), 1987, doi:10.1090/qam/910462 (the method of snapshots).
.. [2] N. Halko, P. G. Martinsson and J. A. Tropp, "Finding structure with randomness: probabilistic
   algorithms for constructing approximate matrix decompositions", SIAM Review 53(2), 2011,
   doi:10.1137/090771806.
.. [3] J. Demmel, L. Grigori, M. Hoemmen and J. Langou, "Communication-optimal parallel and sequential QR
   and LU factorizations", SIAM Journal on Scientific Computing 34(1), 2012, doi:10.1137/080731992.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pcaimage.pca._samples import Floats, rows_per_chunk, slices
from pcaimage.progress import Progress, no_progress

Solver = Literal["covariance", "gram", "randomized", "svd"]  # names of the solvers

OVERSAMPLING = 10
"""Directions the randomized solver follows beyond those asked for; 5 to 10 suffice (Halko et al.)."""

POWER_ITERATIONS = 6
"""Multiplications by the covariance before the last; photographs have slowly falling spectra."""

BOTH_LARGE = 1024
"""Below this an exact eigendecomposition takes a second at most, and approximating gains nothing."""

SEED = 2011  # seed of the random directions, so that the same data always yields the same components


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Components and their explained variances, in descending order and with the divisor n - 1."""

    variances: Floats  # (k,), none of them negative
    components: Floats  # (k, n_features), orthonormal; arbitrary where a variance is zero
    discarded: float | None = None  # sum of all further variances, if the algorithm finds them


def choose_solver(n_samples: int, n_features: int, n_components: int | None) -> Solver:
    """Choose the cheapest solver that is accurate for a problem's size.

    * Both sides are at least 1024 and so few components are wanted that the passes of the randomized
      solver, 4·(k + 10) products per number of the data in each, undercut the min(n, d) products of the
      exact ones: ``"randomized"``. Below 1024 the exact ones are fast enough to be preferred always, and so
      they are if the number of components depends on the whole spectrum: None.
    * Otherwise features outnumber samples: ``"gram"``, whose matrix has n² instead of d² numbers.
    * Otherwise: ``"covariance"``, which reads the data once and keeps moments that can be added to.
    """
    shorter = min(n_samples, n_features)
    if n_components is not None and shorter >= BOTH_LARGE:
        passes = POWER_ITERATIONS + 1
        if 4 * passes * (n_components + OVERSAMPLING) <= shorter:
            return "randomized"
    return "gram" if n_features > n_samples else "covariance"


def solve_covariance(covariance: Floats, k: int) -> Decomposition:
    """Find the components as eigenvectors of the covariance (Hotelling 1933).

    Of the matrix only the lower triangle is read; variances indistinguishable from rounding are zero.
    """
    # numpy's eigh is LAPACK's divide and conquer, the fastest when all vectors are wanted, and they
    # nearly always are: k is moved afterwards.
    values, vectors = np.linalg.eigh(covariance)
    variances = _without_noise(values[::-1])
    return Decomposition(variances[:k], fix_signs(vectors.T[::-1][:k]), _sum(variances[k:]))


def solve_gram(
    samples: NDArray[Any], mean: Floats, scale: Floats, k: int, progress: Progress = no_progress
) -> Decomposition:
    """Find the components from the n-by-n matrix of scalar products of samples (Sirovich 1987).

    With centred data X, the eigenvectors u of X Xᵀ give those of Xᵀ X as Xᵀ u / √λ. Features are processed
    in chunks, so neither a d-by-d matrix nor a converted copy of the data is made. The mean is subtracted
    from each sample, which is then divided by the scale. Beyond the rank of the data variances are zero and
    components complete the basis.
    """
    n_samples, n_features = samples.shape
    chunk = max(512, rows_per_chunk(n_samples))  # narrower ones would spend their time on adding the matrix
    gram = np.zeros((n_samples, n_samples))
    for columns in slices(n_features, chunk, lambda done, total: progress(done, 2 * total)):
        part = _standardized(samples[:, columns], mean[columns], scale[columns])
        gram += part @ part.T
    values, vectors = np.linalg.eigh(gram)
    values = _without_noise(values[::-1])
    variances = np.zeros(k)
    variances[: min(k, n_samples)] = values[:k] / max(n_samples - 1, 1)
    rank = int(np.count_nonzero(variances))
    weights = vectors[:, ::-1][:, :rank] / np.sqrt(values[:rank])
    # Random directions, made orthogonal to the components, complete the basis beyond the rank.
    basis = np.empty((n_features, k))
    basis[:, rank:] = np.random.default_rng(SEED).standard_normal((n_features, k - rank))
    for columns in slices(n_features, chunk, lambda done, total: progress(total + done, 2 * total)):
        part = _standardized(samples[:, columns], mean[columns], scale[columns])
        basis[columns, :rank] = part.T @ weights
    # Components of small variance leave the product only roughly orthogonal; QR keeps the large ones
    # and makes the others orthogonal to them.
    basis, _ = np.linalg.qr(basis)
    return Decomposition(variances, fix_signs(basis.T), _sum(values[k:]) / max(n_samples - 1, 1))


def solve_randomized(
    samples: NDArray[Any], mean: Floats, scale: Floats, k: int, progress: Progress = no_progress
) -> Decomposition:
    """Find the first components by power iterations from random directions (Halko et al. 2011).

    The iterations run on the feature side: each multiplies the directions by the covariance, chunk by chunk,
    and makes them orthonormal again. The eigenvectors of the covariance restricted to their span are the
    components. The directions start from a fixed seed, so the result is repeatable.

    Variances are never above the exact ones.
    """
    n_samples, n_features = samples.shape
    width = min(k + OVERSAMPLING, n_features)
    chunk = rows_per_chunk(n_features)
    directions = np.random.default_rng(SEED).standard_normal((n_features, width))
    product = directions
    for turn in range(POWER_ITERATIONS + 1):
        directions, _ = np.linalg.qr(product)
        product = np.zeros((n_features, width))

        def report(done: int, total: int, before: int = turn * n_samples) -> None:
            progress(before + done, (POWER_ITERATIONS + 1) * total)

        for rows in slices(n_samples, chunk, report):
            part = _standardized(samples[rows], mean, scale)
            product += part.T @ (part @ directions)
    values, vectors = np.linalg.eigh(directions.T @ product)
    variances = _without_noise(values[::-1]) / max(n_samples - 1, 1)
    return Decomposition(variances[:k], fix_signs((directions @ vectors[:, ::-1][:, :k]).T))


def solve_svd(
    samples: NDArray[Any], mean: Floats, scale: Floats, k: int, progress: Progress = no_progress
) -> Decomposition:
    """Find the components from the singular values of the data, never squaring them.

    With centred data X = Q R, the singular value decomposition R = U Σ Vᵀ is that of X up to the factor Q,
    which is not needed: the components are the rows of Vᵀ and the variances σ² / (n - 1). R is updated chunk
    by chunk, as the triangle of the one before stacked on the next rows (Demmel et al. [3]_).

    Variances whose singular values rounding alone explains, up to max(n, d) · ε of the largest, are zero.
    """
    n_samples, n_features = samples.shape
    triangle: Any = np.empty((0, n_features))  # NumPy's types do not tell what qr returns in this mode
    for rows in slices(n_samples, max(2 * n_features, rows_per_chunk(n_features)), progress):
        part = _standardized(samples[rows], mean, scale)
        triangle = np.linalg.qr(np.concatenate([triangle, part]), mode="r")
    _, singular, rows_of_v = np.linalg.svd(triangle, full_matrices=False)
    limit = _rounding(samples) * singular[0]
    spectrum = np.where(singular > limit, singular, 0.0) ** 2 / max(n_samples - 1, 1)
    variances = np.zeros(k)
    variances[: min(k, spectrum.size)] = spectrum[:k]
    components = rows_of_v[:k]
    if k > len(components):
        more = np.random.default_rng(SEED).standard_normal((k - len(components), n_features))
        components = np.linalg.qr(np.concatenate([components, more]).T)[0].T
    return Decomposition(variances, fix_signs(components), _sum(spectrum[k:]))


def leaves_variance(samples: NDArray[Any], mean: Floats, scale: Floats, found: Decomposition) -> bool:
    """Return whether :func:`solve_svd` could find variance beyond the components of positive variance.

    What these leave of the samples bounds all further singular values from above, whatever the error of
    the components (Eckart and Young). It costs two matrix products instead of a decomposition.
    """
    n_samples, n_features = samples.shape
    known = found.components[: np.count_nonzero(found.variances)]
    limit = (_rounding(samples) ** 2) * found.variances[0] * max(n_samples - 1, 1)
    left = 0.0
    for rows in slices(n_samples, rows_per_chunk(n_features)):
        part = _standardized(samples[rows], mean, scale)
        part -= (part @ known.T) @ known
        left += float(np.square(part).sum())
        if left > limit:
            return True
    return False


def fix_signs(components: Floats) -> Floats:
    """Turn each component, in a copy, so that its entry of the largest absolute value is positive.

    Entries within 1e-9 of the largest count as equal and the first of them decides; otherwise rounding would
    choose the sign of a component such as (1, -1)/√2.
    """
    magnitude = np.abs(components)
    largest = magnitude.max(axis=1, keepdims=True)
    first = np.argmax(magnitude >= largest * (1 - 1e-9), axis=1)
    signs = np.where(components[np.arange(len(components)), first] < 0, -1.0, 1.0)
    return np.ascontiguousarray(components * signs[:, np.newaxis])


def _rounding(samples: NDArray[Any]) -> float:
    """Return the singular value, as a share of the largest, that rounding alone may explain."""
    return float(max(samples.shape) * np.finfo(np.float64).eps)


def _standardized(samples: NDArray[Any], mean: Floats, scale: Floats) -> Floats:
    """Convert a chunk to float64, centre and scale it."""
    part: Floats = np.subtract(samples, mean, dtype=np.float64)
    part /= scale
    return part


def _without_noise(values: Floats) -> Floats:
    """Set eigenvalues to zero that rounding alone explains, and thereby all negative ones.

    A symmetric m-by-m matrix gives its eigenvalues only to about m · ε of the largest.
    """
    limit = max(values.size, 64) * np.finfo(np.float64).eps * values[0]
    return np.where(values > limit, values, 0.0)


def _sum(variances: Floats) -> float:
    """Add variances, the smallest first: a long tail then loses nothing to rounding."""
    return float(variances[::-1].sum())

"""The principal component analysis itself: fit, transform, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from pcaimage.errors import DataError, SettingsError
from pcaimage.pca._samples import Floats, as_samples
from pcaimage.pca._settings import SolverSetting, feature_scale, resolve_solver, wanted_components
from pcaimage.pca.identities import components_for_ratio
from pcaimage.pca.moments import Moments, moments_of_features
from pcaimage.pca.projection import project, reconstruct
from pcaimage.pca.solvers import Decomposition, solve_covariance, solve_gram, solve_randomized
from pcaimage.progress import Progress, no_progress, part

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray


class PCA:
    """Principal component analysis.

    The components are the orthonormal directions along which the samples vary most; keeping the first k
    of them reconstructs the samples with the least squared error that any k directions allow (Pearson 1901,
    Hotelling 1933; references in :mod:`pcaimage.pca.solvers`). One sample is a defined case: it is the mean,
    and nothing varies. An error leaves a fitted model as it was.

    Parameters
    ----------
    n_components : int, float or None, default None
        How many components to keep. An int from 1 to n_features; those beyond the rank of the data have
        variance zero and complete the basis. A float in (0, 1): the fewest that explain this share of the
        total variance. None: min(n_samples, n_features), after which nothing varies any more.
    standardize : bool, default False
        Divide each feature by its population standard deviation (divisor n) before the analysis.
    solver : {"auto", "covariance", "gram", "randomized"}, default "auto"
        How to compute them; see :func:`pcaimage.pca.choose_solver` for what ``"auto"`` does and why.
        ``"randomized"`` needs an integer n_components.

    Attributes
    ----------
    components_ : ndarray of float64, shape (n_components_, n_features_)
        Orthonormal rows in descending order of variance; in each, the entry of the largest absolute value
        is positive (the first of them, if several agree to 1e-9).
    explained_variance_ : ndarray of float64, shape (n_components_,)
        Variance of the scores on each component, divisor n - 1; zero where only rounding would remain.
    explained_variance_ratio_ : ndarray of float64, shape (n_components_,)
        Its share of ``total_variance_``, also of what is not kept; zeros if nothing varies.
    total_variance_ : float
        Sum of the variances of all features (after standardising), divisor n - 1.
    mean_ : ndarray of float64, shape (n_features_,)
        Mean of the samples.
    scale_ : ndarray of float64, shape (n_features_,)
        What centred features are divided by: the population standard deviation (divisor n), or 1 where a
        feature is constant, and everywhere if ``standardize`` is off.
    n_samples_, n_features_, n_components_ : int
        What was fitted, and how many components are kept.
    moments_ : Moments or None
        Count, mean and scatter; None if the solver did without the scatter matrix.

    Examples
    --------
    >>> model = PCA(n_components=1).fit([[0, 0], [1, 2], [2, 4]])
    >>> model.explained_variance_ratio_
    array([1.])
    >>> model.inverse_transform(model.transform([[3, 6]])).round(6)
    array([[3., 6.]])
    """

    components_: Floats
    explained_variance_: Floats
    explained_variance_ratio_: Floats
    total_variance_: float
    mean_: Floats
    scale_: Floats
    n_samples_: int
    n_features_: int
    n_components_: int
    moments_: Moments | None

    def __init__(
        self, n_components: float | None = None, *, standardize: bool = False, solver: SolverSetting = "auto"
    ) -> None:
        self.n_components = n_components
        self.standardize = standardize
        self.solver = solver

    def fit(self, samples: ArrayLike, progress: Progress = no_progress) -> Self:
        """Find the components of samples; what was fitted before is forgotten.

        Parameters
        ----------
        samples : array_like, shape (n_samples, n_features)
            Integers, booleans or floating-point numbers, at least one row. Sums are accumulated in
            float64 whatever the dtype, in chunks, without a converted copy.
        progress : Progress, optional
            Told ``(done, total)``; what it raises stops the work.

        Returns
        -------
        PCA
            Itself.

        Raises
        ------
        DataError
            If the samples are not a matrix of finite real numbers, or there are none.
        SettingsError
            If n_components or solver is out of range, or they contradict each other.
        """
        array = as_samples(samples)
        wanted = wanted_components(self.n_components, array.shape[1])
        solver = resolve_solver(self.solver, len(array), array.shape[1], wanted)
        if len(array) == 0:
            raise DataError("PCA needs at least one sample, but there are none.")
        if solver == "covariance":
            return self.fit_moments(Moments.of(array, progress))
        mean, squares = moments_of_features(array, part(progress, 0.0, 0.1))
        scale = feature_scale(mean, squares, len(array), standardize=self.standardize)
        total = float((squares / scale**2).sum()) / max(len(array) - 1, 1)
        solve = solve_gram if solver == "gram" else solve_randomized
        k = min(array.shape) if wanted is None else wanted
        found = solve(array, mean, scale, k, part(progress, 0.1, 1.0))
        return self._keep(found, total=total, mean=mean, scale=scale, n_samples=len(array), moments=None)

    def fit_moments(self, moments: Moments) -> Self:
        """Find the components from moments, which may have been added up from parts.

        Parameters
        ----------
        moments : Moments
            Of at least one sample. The solver is always ``"covariance"``.

        Returns
        -------
        PCA
            Itself.

        Raises
        ------
        DataError
            If the moments are those of no samples.
        SettingsError
            If n_components is out of range.
        """
        wanted = wanted_components(self.n_components, moments.n_features)
        if moments.count == 0:
            raise DataError("PCA needs at least one sample, but there are none.")
        scale = feature_scale(
            moments.mean, np.diagonal(moments.scatter), moments.count, standardize=self.standardize
        )
        covariance = moments.covariance()
        covariance /= scale
        covariance /= scale[:, np.newaxis]
        k = min(moments.count, moments.n_features) if wanted is None else wanted
        total = float(np.trace(covariance))
        found = solve_covariance(covariance, k)
        return self._keep(
            found, total=total, mean=moments.mean, scale=scale, n_samples=moments.count, moments=moments
        )

    def partial_fit(self, samples: ArrayLike, progress: Progress = no_progress) -> Self:
        """Add samples to those fitted before; the result is that of fitting them all at once.

        The components are found anew each time. To add many parts before looking, add their
        :class:`Moments` and call :meth:`fit_moments` once.

        Parameters
        ----------
        samples : array_like, shape (n_samples, n_features)
            More samples, of the same features.
        progress : Progress, optional
            Told ``(samples done, n_samples)``.

        Returns
        -------
        PCA
            Itself.

        Raises
        ------
        DataError
            If the samples are not a matrix of finite real numbers with the features fitted before.
        SettingsError
            If the model was fitted by a solver that keeps no moments, or n_components is out of range.
        """
        earlier = getattr(self, "moments_", None)
        if earlier is None and hasattr(self, "components_"):
            raise SettingsError(
                "This PCA was fitted without a scatter matrix, so samples cannot be added; "
                "fit it with solver='covariance', or with partial_fit from the start."
            )
        added = Moments.of(samples, progress)
        return self.fit_moments(earlier + added if earlier else added)

    def transform(
        self, samples: ArrayLike, *, dtype: DTypeLike = np.float64, progress: Progress = no_progress
    ) -> NDArray[Any]:
        """Find the scores of samples: their coordinates on the components.

        Parameters
        ----------
        samples : array_like, shape (n_samples, n_features)
            Any number of samples, none included.
        dtype : {float64, float32}, default float64
            Of the scores. float32 takes half the time and memory; the mean is subtracted in float64 first.
        progress : Progress, optional
            Told ``(samples done, n_samples)``.

        Returns
        -------
        ndarray, shape (n_samples, n_components_)
            The scores, in the units of the features (of standard deviations, if standardised).

        Raises
        ------
        DataError
            If the samples are not a matrix of finite real numbers with the features fitted.
        SettingsError
            If the PCA is not fitted, or the dtype is another.
        """
        self._require_fitted()
        return project(samples, self.components_, self.mean_, self.scale_, dtype=dtype, progress=progress)

    def inverse_transform(
        self, scores: ArrayLike, *, dtype: DTypeLike = np.float64, progress: Progress = no_progress
    ) -> NDArray[Any]:
        """Reconstruct samples from their scores on the first k components.

        Parameters
        ----------
        scores : array_like, shape (n_samples, k)
            Scores; k may be anything from 0 (which gives the mean) to n_components_.
        dtype : {float64, float32}, default float64
            Of the samples.
        progress : Progress, optional
            Told ``(samples done, n_samples)``.

        Returns
        -------
        ndarray, shape (n_samples, n_features_)
            Mean plus scores times components, in the units of the samples fitted.

        Raises
        ------
        DataError
            If the scores are not a matrix of real numbers with at most n_components_ columns.
        SettingsError
            If the PCA is not fitted, or the dtype is another.
        """
        self._require_fitted()
        return reconstruct(scores, self.components_, self.mean_, self.scale_, dtype=dtype, progress=progress)

    def fit_transform(self, samples: ArrayLike, progress: Progress = no_progress) -> NDArray[Any]:
        """Fit the samples and find their scores.

        Parameters
        ----------
        samples : array_like, shape (n_samples, n_features)
            As for :meth:`fit`, with its errors.
        progress : Progress, optional
            Told ``(done, total)``.

        Returns
        -------
        ndarray of float64, shape (n_samples, n_components_)
            The scores.
        """
        array = as_samples(samples)
        self.fit(array, part(progress, 0.0, 0.7))
        return self.transform(array, progress=part(progress, 0.7, 1.0))

    def _keep(
        self,
        found: Decomposition,
        *,
        total: float,
        mean: Floats,
        scale: Floats,
        n_samples: int,
        moments: Moments | None,
    ) -> Self:
        """Cut to the ratio asked for, and store."""
        k = len(found.variances)
        if self.n_components is not None and self.n_components < 1:
            k = components_for_ratio(found.variances, self.n_components)
        self.components_ = found.components[:k]
        self.explained_variance_ = found.variances[:k]
        self.explained_variance_ratio_ = self.explained_variance_ / (total or 1.0)
        self.total_variance_ = total
        self.mean_, self.scale_ = mean, scale
        self.n_samples_, self.n_features_, self.n_components_ = n_samples, mean.size, k
        self.moments_ = moments
        return self

    def _require_fitted(self) -> None:
        if not hasattr(self, "components_"):
            raise SettingsError("This PCA is not fitted yet; call fit, partial_fit or fit_moments first.")

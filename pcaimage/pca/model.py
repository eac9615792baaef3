"""Principal component analysis as an estimator: fit, transform, and inverse transform."""

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

    The components are the orthonormal directions along which the samples vary most [2]_; keeping the first k
    of them reconstructs the samples with the least squared error that any k directions allow [1]_. A single
    sample is valid: it is the mean, and nothing varies. An error leaves a fitted model unchanged.

    Parameters
    ----------
    n_components : int, float or None, default None
        Number of components to keep. An int from 1 to n_features; those beyond the rank of the data have
        variance zero and complete the basis. A float in (0, 1): the fewest that explain this share of the
        total variance. None: min(n_samples, n_features), beyond which all variances are zero.
    standardize : bool, default False
        Divide each feature by its population standard deviation (divisor n) before the analysis.
    solver : {"auto", "covariance", "gram", "randomized"}, default "auto"
        The algorithm; see :func:`pcaimage.pca.choose_solver` for how ``"auto"`` chooses it.
        ``"randomized"`` needs an integer n_components.

    Attributes
    ----------
    components_ : ndarray of float64, shape (n_components_, n_features_)
        Orthonormal rows in descending order of variance; in each, the entry of the largest absolute value
        is positive (the first of them, if several agree to 1e-9).
    explained_variance_ : ndarray of float64, shape (n_components_,)
        Variance of the scores on each component, divisor n - 1; zero where only rounding would remain.
    explained_variance_ratio_ : ndarray of float64, shape (n_components_,)
        Share of ``total_variance_``, which includes components that are not kept; zeros if nothing varies.
    total_variance_ : float
        Sum of the variances of all features (after standardising), divisor n - 1.
    mean_ : ndarray of float64, shape (n_features_,)
        Mean of the samples.
    scale_ : ndarray of float64, shape (n_features_,)
        Divisor of the centred features: the population standard deviation (divisor n), or 1 where a
        feature is constant, and everywhere if ``standardize`` is off.
    n_samples_, n_features_, n_components_ : int
        Shape of the fitted data, and the number of components kept.
    moments_ : Moments or None
        Count, mean and scatter; None if the solver did without the scatter matrix.

    References
    ----------
    .. [1] K. Pearson, "On lines and planes of closest fit to systems of points in space", Philosophical
       Magazine 2(11), 1901, doi:10.1080/14786440109462720.
    .. [2] H. Hotelling, "Analysis of a complex of statistical variables into principal components",
       Journal of Educational Psychology 24(6), 1933, doi:10.1037/h0071325.

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
        """Fit the model to samples, replacing any earlier fit.

        Parameters
        ----------
        samples : array_like, shape (n_samples, n_features)
            Integers, booleans or floating-point numbers, at least one row. Sums are accumulated in
            float64 whatever the dtype, in chunks, without a converted copy.
        progress : Progress, optional
            Called with ``(done, total)``; raising from it stops the work.

        Returns
        -------
        PCA
            The fitted model itself.

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
        """Fit the model to moments, which may have been added up from parts of the data.

        Parameters
        ----------
        moments : Moments
            Moments of at least one sample. The solver is always ``"covariance"``.

        Returns
        -------
        PCA
            The fitted model itself.

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
        """Add samples to those fitted before, as if all had been fitted at once.

        The components are recomputed on each call. To add many parts before looking at the result, add their
        :class:`Moments` and call :meth:`fit_moments` once.

        Parameters
        ----------
        samples : array_like, shape (n_samples, n_features)
            More samples, of the same features.
        progress : Progress, optional
            Called with ``(samples done, n_samples)``.

        Returns
        -------
        PCA
            The fitted model itself.

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
        """Return the scores of samples, which are their coordinates on the components.

        Parameters
        ----------
        samples : array_like, shape (n_samples, n_features)
            Any number of samples, including none.
        dtype : {float64, float32}, default float64
            Dtype of the scores. float32 takes half the time and memory; the mean is subtracted in float64
            first.
        progress : Progress, optional
            Called with ``(samples done, n_samples)``.

        Returns
        -------
        ndarray, shape (n_samples, n_components_)
            The scores, in the units of the features (of standard deviations, if standardised).

        Raises
        ------
        DataError
            If the samples are not a matrix of finite real numbers with the fitted number of features.
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
            Scores; k may be anything from 0 (which yields the mean) to n_components_.
        dtype : {float64, float32}, default float64
            Dtype of the samples.
        progress : Progress, optional
            Called with ``(samples done, n_samples)``.

        Returns
        -------
        ndarray, shape (n_samples, n_features_)
            Mean plus scores times components, in the units of the fitted samples.

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
        """Fit the model to samples and return their scores.

        Parameters
        ----------
        samples : array_like, shape (n_samples, n_features)
            As for :meth:`fit`, which raises the same errors.
        progress : Progress, optional
            Called with ``(done, total)``.

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
        """Store a decomposition, cut to the requested share of the variance."""
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

"""Principal component analysis as an estimator: fit, transform, and inverse transform."""

from __future__ import annotations

import inspect
import operator
import sys
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pcaimage.errors import DataError, SettingsError
from pcaimage.pca import solvers
from pcaimage.pca._samples import Floats, as_samples, project, reconstruct
from pcaimage.pca.identities import check_evidence, components_by_evidence, components_for_ratio
from pcaimage.pca.moments import Moments, feature_deviations, moments_of_features
from pcaimage.pca.solvers import Solver, choose_solver
from pcaimage.progress import Progress, no_progress, part

_SOLVERS = {"gram": solvers.solve_gram, "randomized": solvers.solve_randomized, "svd": solvers.solve_svd}
"""Solvers that work on the samples."""


class PCA:
    """Principal component analysis.

    The components are the orthonormal directions along which the samples vary most [2]_; keeping the first k
    of them reconstructs the samples with the least squared error that any k directions allow [1]_. A single
    sample is valid: it is the mean, and nothing varies. An error leaves a fitted model unchanged.

    It is an estimator by scikit-learn's rules, and can be cloned, searched over, and put into a pipeline. It
    needs no scikit-learn to work. Parameters and attributes that `sklearn.decomposition.PCA` has as well mean
    the same here.

    Parameters
    ----------
    n_components : int, float, "mle" or None, default None
        Number of components to keep. An int from 1 to n_features; those beyond the rank of the data have
        variance zero and complete the basis. A float in (0, 1): the fewest that explain this share of the
        total variance. ``"mle"``: the number of greatest evidence [4]_, for no fewer samples than features;
        see :func:`pcaimage.pca.components_by_evidence`. None: min(n_samples, n_features), beyond which all
        variances are zero.
    whiten : bool, default False
        Divide the scores on each component by their standard deviation (divisor n - 1), so that all have
        variance one, and multiply by it in the inverse. Where the variance is zero, so are the scores, and
        they stay.
    standardize : bool, default False
        Divide each feature by its population standard deviation (divisor n) before the analysis.
    solver : {"auto", "covariance", "gram", "randomized", "svd"}, default "auto"
        The algorithm; see :func:`pcaimage.pca.choose_solver` for how ``"auto"`` chooses it. If variances
        that are to be kept then drown in rounding (below some 1e-14 of the largest), ``"auto"`` takes them
        all from ``"svd"``. ``"randomized"`` needs an integer n_components.

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
    singular_values_ : ndarray of float64, shape (n_components_,)
        Singular values of the centred (and standardised) samples: √((n - 1) · explained_variance_).
    noise_variance_ : float
        Mean of the variances that are not kept, Σ_{j>k} λ_j / (min(n, d) - k); 0 if none are left. With
        n ≥ d this is the maximum-likelihood estimate of the noise of probabilistic PCA [3]_.
    n_samples_, n_features_, n_components_ : int
        Shape of the fitted data, and the number of components kept.
    n_features_in_ : int
        The same as ``n_features_``, by scikit-learn's name.
    moments_ : Moments or None
        Count, mean and scatter; None if the solver did without the scatter matrix.

    References
    ----------
    .. [1] K. Pearson, "On lines and planes of closest fit to systems of points in space", Philosophical
       Magazine 2(11), 1901, doi:10.1080/14786440109462720.
    .. [2] H. Hotelling, "Analysis of a complex of statistical variables into principal components",
       Journal of Educational Psychology 24(6), 1933, doi:10.1037/h0071325.
    .. [3] M. E. Tipping and C. M. Bishop, "Probabilistic principal component analysis", Journal of the
       Royal Statistical Society B 61(3), 1999, doi:10.1111/1467-9868.00196.
    .. [4] T. P. Minka, "Automatic choice of dimensionality for PCA", Advances in Neural Information
       Processing Systems 13, 2000.

    Examples
    --------
    >>> model = PCA(n_components=1).fit([[0, 0], [1, 2], [2, 4]])
    >>> model.explained_variance_ratio_
    array([1.])
    >>> model.inverse_transform(model.transform([[3, 6]])).round(6)
    array([[3., 6.]])
    """

    _sklearn_auto_wrap_output_keys = frozenset({"transform"})  # by which scikit-learn knows what it may wrap

    components_: Floats
    explained_variance_: Floats
    explained_variance_ratio_: Floats
    total_variance_: float
    noise_variance_: float
    mean_: Floats
    scale_: Floats
    n_samples_: int
    n_features_: int
    n_components_: int
    moments_: Moments | None

    def __init__(
        self,
        n_components: float | Literal["mle"] | None = None,
        *,
        whiten: bool = False,
        standardize: bool = False,
        solver: SolverSetting = "auto",
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.standardize = standardize
        self.solver = solver

    def __repr__(self) -> str:
        defaults = self._defaults()
        changed = (
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name])
        )
        return f"{type(self).__name__}({', '.join(changed)})"

    def fit(self, X: ArrayLike, y: object = None, *, progress: Progress = no_progress) -> Self:
        """Fit the model to samples, replacing any earlier fit.

        Parameters
        ----------
        X : array_like, shape (n_samples, n_features)
            The samples: integers, booleans or floating-point numbers, at least one row. Sums are accumulated
            in float64 whatever the dtype, in chunks, without a converted copy.
        y : object, optional
            Ignored; pipelines pass targets to every step.
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
            If n_components or solver is out of range, or they contradict each other or the data.
        """
        array = as_samples(X)
        n_samples, n_features = array.shape
        wanted = wanted_components(self.n_components, n_features)
        solver = resolve_solver(self.solver, n_samples, n_features, wanted)
        self._require_enough(n_samples, n_features)
        first = part(progress, 0.0, 0.9) if self.solver == "auto" else progress
        moments, k = None, min(array.shape) if wanted is None else wanted
        if solver == "covariance":
            moments = Moments.of(array, progress=first)
            mean, scale, covariance = self._standardized_moments(moments)
            total = float(np.trace(covariance))
            found = solvers.solve_covariance(covariance, k)
        else:
            mean, squares = moments_of_features(array, part(first, 0.0, 0.1))
            scale = feature_scale(mean, squares, n_samples, standardize=self.standardize)
            total = float((squares / scale**2).sum()) / max(n_samples - 1, 1)
            found = _SOLVERS[solver](array, mean, scale, k, part(first, 0.1, 1.0))
        if self.solver == "auto":
            last = part(progress, 0.9, 1.0)
            missing = self._misses_variances(found, n_samples, n_features)
            if missing and solvers.leaves_variance(array, mean, scale, found):
                found = solvers.solve_svd(array, mean, scale, k, last)
            last(1, 1)
        return self._keep(found, total=total, mean=mean, scale=scale, n_samples=n_samples, moments=moments)

    def fit_moments(self, moments: Moments) -> Self:
        """Fit the model to moments of one sample at least, which may have been added up from parts.

        The solver is always ``"covariance"``. Errors are those of :meth:`fit`.
        """
        wanted = wanted_components(self.n_components, moments.n_features)
        self._require_enough(moments.count, moments.n_features)
        mean, scale, covariance = self._standardized_moments(moments)
        k = min(moments.count, moments.n_features) if wanted is None else wanted
        total = float(np.trace(covariance))
        found = solvers.solve_covariance(covariance, k)
        return self._keep(
            found, total=total, mean=mean, scale=scale, n_samples=moments.count, moments=moments
        )

    def partial_fit(self, X: ArrayLike, y: object = None, *, progress: Progress = no_progress) -> Self:
        """Add samples of the same features to those fitted before, as if all had been fitted at once.

        Parameters and errors are those of :meth:`fit`; SettingsError also if the model was fitted by a solver
        that keeps no moments. The components are recomputed on each call. To add many parts before looking at
        the result, add their :class:`Moments` and call :meth:`fit_moments` once.
        """
        earlier = getattr(self, "moments_", None)
        if earlier is None and hasattr(self, "components_"):
            raise SettingsError(
                "This PCA was fitted without a scatter matrix, so samples cannot be added; "
                "fit it with solver='covariance', or with partial_fit from the start."
            )
        array = as_samples(X)
        if earlier is not None:
            self._require_features(array)
        added = Moments.of(array, progress=progress)
        return self.fit_moments(earlier + added if earlier else added)

    def transform(
        self, X: ArrayLike, *, dtype: DTypeLike = np.float64, progress: Progress = no_progress
    ) -> NDArray[Any]:
        """Return the scores of samples, which are their coordinates on the components.

        Parameters
        ----------
        X : array_like, shape (n_samples, n_features)
            Any number of samples, including none.
        dtype : {float64, float32}, default float64
            Dtype of the scores. float32 takes half the time and memory; the mean is subtracted in float64
            first.
        progress : Progress, optional
            Called with ``(samples done, n_samples)``.

        Returns
        -------
        ndarray, shape (n_samples, n_components_)
            The scores, in the units of the features (of standard deviations, if standardised; of their own
            standard deviation, if whitened); in the container that :meth:`set_output` chose.

        Raises
        ------
        DataError
            If the samples are not a matrix of finite real numbers with the fitted number of features.
        SettingsError
            If the PCA is not fitted, or the dtype is another.
        """
        self._require_fitted()
        array = as_samples(X)
        self._require_features(array)
        axes = self.components_ / self._deviations[:, np.newaxis] if self.whiten else self.components_
        scores = project(array, axes, self.mean_, self.scale_, dtype=dtype, progress=progress)
        if "sklearn" not in sys.modules:
            return scores
        from sklearn.utils._set_output import _wrap_data_with_container  # noqa: PLC0415 - is loaded already

        wrapped: NDArray[Any] = _wrap_data_with_container("transform", scores, X, self)
        return wrapped

    def inverse_transform(
        self, X: ArrayLike, *, dtype: DTypeLike = np.float64, progress: Progress = no_progress
    ) -> NDArray[Any]:
        """Reconstruct samples from their scores on the first k components: mean plus scores times components.

        Parameters
        ----------
        X : array_like, shape (n_samples, k)
            Scores; k may be anything from 0 (which yields the mean) to n_components_.
        dtype, progress
            As for :meth:`transform`.

        Returns
        -------
        ndarray, shape (n_samples, n_features_)
            In the units of the fitted samples.

        Raises
        ------
        DataError
            If the scores are not a matrix of real numbers with at most n_components_ columns.
        """
        self._require_fitted()
        axes = self.components_ * self._deviations[:, np.newaxis] if self.whiten else self.components_
        return reconstruct(X, axes, self.mean_, self.scale_, dtype=dtype, progress=progress)

    def fit_transform(
        self, X: ArrayLike, y: object = None, *, progress: Progress = no_progress
    ) -> NDArray[Any]:
        """Fit the model to samples as :meth:`fit` does, and return their scores as :meth:`transform` does."""
        self.fit(X, progress=part(progress, 0.0, 0.7))
        return self.transform(X, progress=part(progress, 0.7, 1.0))

    def score_samples(self, X: ArrayLike) -> Floats:
        """Return the log-likelihood of each sample by :meth:`get_covariance`, shape (n_samples,).

        Errors are those of :meth:`transform` and :meth:`get_precision`.
        """
        self._require_fitted()
        array = as_samples(X)
        self._require_features(array)
        precision, centred = self.get_precision(), array - self.mean_
        squares: Floats = np.einsum("ij,ij->i", centred @ precision, centred)
        _, logarithm = np.linalg.slogdet(precision)
        squares += self.n_features_ * np.log(2 * np.pi) - logarithm
        return -squares / 2

    def score(self, X: ArrayLike, y: object = None) -> float:
        """Return the mean of :meth:`score_samples`; `y` is ignored."""
        del y
        return float(np.mean(self.score_samples(X)))

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what :meth:`transform` returns, by scikit-learn: "default", "pandas" or "polars"."""
        import sklearn  # noqa: F401, PLC0415 - what makes the containers

        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    @property
    def singular_values_(self) -> Floats:
        """Singular values of the centred (and standardised) samples, shape (n_components_,)."""
        return np.sqrt(self.explained_variance_ * max(self.n_samples_ - 1, 1))

    @property
    def n_features_in_(self) -> int:
        """Number of features fitted, by scikit-learn's name."""
        return self.n_features_

    def get_covariance(self) -> Floats:
        """Return the covariance of the samples by the model of probabilistic PCA.

        With components W (as rows), variances Λ and noise σ², it is ``Wᵀ (Λ - σ²)₊ W + σ² I`` (Tipping and
        Bishop, as above, equations 4 and 7), times the scales of both features if the PCA standardised. With
        all components kept it is the sample covariance.

        Returns
        -------
        ndarray of float64, shape (n_features_, n_features_)
            In the squared units of the samples, whether or not the scores are whitened.

        Raises
        ------
        SettingsError
            If the PCA is not fitted.

        Examples
        --------
        >>> PCA().fit([[0, 0], [1, 2], [2, 4]]).get_covariance().round(6)
        array([[1., 2.],
               [2., 4.]])
        """
        self._require_fitted()
        excess = np.maximum(self.explained_variance_ - self.noise_variance_, 0)
        covariance: Floats = (self.components_.T * excess) @ self.components_
        covariance[np.diag_indices_from(covariance)] += self.noise_variance_
        covariance *= self.scale_
        covariance *= self.scale_[:, np.newaxis]
        return covariance

    def get_precision(self) -> Floats:
        """Return the inverse of :meth:`get_covariance`; SettingsError if there is none, or no fit."""
        self._require_fitted()
        noise, variances = self.noise_variance_, np.maximum(self.explained_variance_, self.noise_variance_)
        if not (noise > 0 or (variances.size == self.n_features_ and variances.min() > 0)):
            raise SettingsError(
                "The covariance has no inverse: some directions do not vary, and no noise is left."
            )
        # With all components, noise is 0 and cancels.
        precision: Floats = (self.components_.T / variances) @ self.components_
        if noise > 0:
            share = (variances - noise) / variances
            precision = (np.eye(self.n_features_) - (self.components_.T * share) @ self.components_) / noise
        return precision / self.scale_ / self.scale_[:, np.newaxis]

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Return names of the scores: ``pca0``, ``pca1``, and so on.

        Parameters
        ----------
        input_features : array_like of str, shape (n_features_,), optional
            Names of the features; only their number is checked, as every score depends on all of them.

        Returns
        -------
        ndarray of str objects, shape (n_components_,)
            The names.

        Raises
        ------
        SettingsError
            If the PCA is not fitted, or was fitted to another number of features.

        Examples
        --------
        >>> PCA(2).fit([[0, 0, 1], [1, 2, 0], [2, 4, 5]]).get_feature_names_out().tolist()
        ['pca0', 'pca1']
        """
        self._require_fitted()
        if input_features is not None and len(np.asarray(input_features)) != self.n_features_:
            raise SettingsError(
                f"input_features should have length equal to the number of features ({self.n_features_}), "
                f"not {len(np.asarray(input_features))}."
            )
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{index}" for index in range(self.n_components_)], object)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - scikit-learn's signature
        """Return the parameters of the constructor; `deep` has no effect, as none is an estimator."""
        del deep
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters of the constructor, for the next fit; SettingsError for an unknown one."""
        known = self._defaults()
        for name in params:
            if name not in known:
                raise SettingsError(f"PCA has no parameter {name!r}; it has {', '.join(known)}.")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "components_")

    def __sklearn_tags__(self) -> Any:
        # Only scikit-learn calls this, so it is loaded already.
        from sklearn.utils import Tags, TargetTags, TransformerTags  # noqa: PLC0415

        return Tags(
            estimator_type="transformer",
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=["float64"]),
        )

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """Return the parameters of the constructor, also of a subclass, with their default values."""
        return {name: parameter.default for name, parameter in inspect.signature(cls).parameters.items()}

    @property
    def _deviations(self) -> Floats:
        """Standard deviations of the scores, divisor n - 1; 1 where nothing varies."""
        return np.sqrt(np.where(self.explained_variance_ > 0, self.explained_variance_, 1.0))

    def _standardized_moments(self, moments: Moments) -> tuple[Floats, Floats, Floats]:
        """Return the mean, the scale, and the covariance of the scaled features."""
        squares = np.diagonal(moments.scatter)
        scale = feature_scale(moments.mean, squares, moments.count, standardize=self.standardize)
        covariance = moments.covariance()
        covariance /= scale
        covariance /= scale[:, np.newaxis]
        return moments.mean, scale, covariance

    def _misses_variances(self, found: solvers.Decomposition, n_samples: int, n_features: int) -> bool:
        """Return whether a variance that is to be kept is zero, although the shape of the data allows it."""
        if isinstance(self.n_components, float | np.floating):
            return False  # what has no share in the variance is not kept
        certain = min(n_samples - 1, n_features, len(found.variances))
        return certain > 0 and bool(found.variances[0] > found.variances[certain - 1] == 0)

    def _keep(
        self,
        found: solvers.Decomposition,
        *,
        total: float,
        mean: Floats,
        scale: Floats,
        n_samples: int,
        moments: Moments | None,
    ) -> Self:
        """Store a decomposition, cut to the requested share of the variance or the greatest evidence."""
        k = len(found.variances)
        if isinstance(self.n_components, str):
            k = components_by_evidence(found.variances, n_samples)
        elif self.n_components is not None and self.n_components < 1:
            k = components_for_ratio(found.variances, self.n_components)
        if found.discarded is None:
            discarded = max(total - float(found.variances.sum()), 0.0)
        else:
            discarded = found.discarded + float(found.variances[k:][::-1].sum())
        left = min(n_samples, mean.size) - k
        self.noise_variance_ = discarded / left if left > 0 else 0.0
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

    def _require_features(self, array: NDArray[Any]) -> None:
        if array.shape[1] != self.mean_.size:
            raise DataError(
                f"X has {array.shape[1]} features, but {type(self).__name__} is expecting {self.mean_.size} "
                "features as input."
            )

    def _require_enough(self, n_samples: int, n_features: int) -> None:
        if n_samples == 0:
            raise DataError("PCA needs at least one sample, but there are none.")
        if self.n_components == "mle":
            check_evidence(n_samples, n_features)


SolverSetting = Solver | Literal["auto"]  # a solver, or ``"auto"`` to have one chosen


def wanted_components(n_components: Any, n_features: int) -> int | None:
    """Return the requested number of components; None if it depends on the whole spectrum."""
    try:
        if n_components is None or (isinstance(n_components, str) and n_components == "mle"):
            return None
        if 0 < n_components < 1:
            return None
        k = 0 if isinstance(n_components, bool) else operator.index(n_components)
    except TypeError:
        k = 0
    if not 1 <= k <= n_features:
        raise SettingsError(
            f"n_components must be an integer from 1 to {n_features} (the number of features), "
            f"a share of the variance between 0 and 1, 'mle', or None, not {n_components!r}."
        )
    return k


def resolve_solver(solver: SolverSetting, n_samples: int, n_features: int, wanted: int | None) -> Solver:
    """Resolve ``"auto"`` to a solver, and check any other; `wanted` is None if unknown beforehand."""
    if solver == "auto":
        return choose_solver(n_samples, n_features, wanted)
    names = get_args(Solver)
    if solver not in names:
        raise SettingsError(f"There is no solver {solver!r}; choose auto, {', '.join(names)}.")
    if solver == "randomized" and wanted is None:
        raise SettingsError("The randomized solver must be told how many components to find.")
    return solver


def feature_scale(mean: Floats, squares: Floats, n_samples: int, *, standardize: bool) -> Floats:
    """Return the population standard deviation (divisor n) of each feature, or ones.

    It is 1 where a feature is constant, and everywhere without standardising.
    """
    if not standardize:
        return np.ones_like(mean)
    deviations = feature_deviations(mean, squares, n_samples)
    return np.where(deviations > 0, deviations, 1.0)

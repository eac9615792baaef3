"""An image and its PCA, fitted once: every k keeps a prefix of it, and every step Δ only rounds it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header, header_of
from pcaimage.codec.linear.external_basis import ExternalBasis
from pcaimage.codec.linear.missing import Missing
from pcaimage.codec.linear.slices import Tile, mask_of
from pcaimage.codec.linear.statistics import Whitening
from pcaimage.codec.spectrum import FINEST_STEP, Spectrum, indices
from pcaimage.codec.step import Step
from pcaimage.pca import PCA, choose_solver
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Sampling

MAX_EXACT, MAX_APPROXIMATE = 3072, 512
"""All components are computed unless both dimensions of the sample matrix exceed the first number.

In that case a randomised solver finds as many as the second number.
"""

CHUNK = 1 << 20
MOST_SHOWN = 4
LEAST_LINES = 16
_REACH = 0.8


@dataclass(frozen=True, eq=False)
class Analysis(Spectrum):
    """An image and its principal components, or those of a model file.

    Variances of a model's components are mean squares of scores about the model's mean, in its order.
    """

    header: Header  # its step and denominators are placeholders
    samples: NDArray[Any] = field(repr=False)  # shape (n_samples, n_features)
    pca: PCA = field(repr=False)  # fitted to the samples, with all components that could be found
    left_out: frozenset[int] = frozenset()  # from 1, those whose scores are taken to be zero
    external_basis: ExternalBasis | None = field(default=None, repr=False)
    missing: Missing | None = None  # where many bands have no data
    white: Whitening | None = field(default=None, repr=False)  # of the noise of many bands
    hidden: float = 0.0  # mean squared error, summed over features, with all components of a model
    corrected: int = 0  # bands that a file will have corrections of

    @classmethod
    def fit(
        cls,
        array: NDArray[Any],
        sampling: Sampling,
        *,
        standardize: bool = False,
        white: float | None = None,
        progress: Progress = no_progress,
    ) -> Analysis:
        """Fit the components of an image, as many as can matter; DataError if it is of no supported kind.

        The array is (H, W) or (H, W, C), for a stack (N, H, W) or (N, H, W, C). The white is that of
        :func:`pcaimage.quality.white_of`.
        """
        header = header_of(array, sampling, white)
        samples = sampling.to_samples(array)
        exact = min(samples.shape) <= MAX_EXACT
        pca = PCA(
            None if exact else MAX_APPROXIMATE,
            standardize=standardize,
            # Variances below the precision of these solvers are too small to be coded.
            solver=choose_solver(samples.shape[0], samples.shape[1], None) if exact else "randomized",
        )
        pca.fit(samples, progress=progress)
        return cls(header, samples, pca)

    @property
    def total_variance(self) -> float:
        """Total variance of all features, including components that were not computed."""
        return float(self.pca.total_variance_)

    @property
    def variances(self) -> NDArray[np.float64]:
        """Explained variances in descending order, shape (n_components,)."""
        return self.pca.explained_variance_

    @property
    def reach(self) -> float:
        """Factor of Δ over the step of the water level, found by experiment for many samples.

        n scores hold the nλ that leaving a component out would cost, so each is worth λ. If there are fewer
        samples than features M, most of what is coded are the M entries of the component, which are rounded
        so that each costs as much as a score, and each is worth only nλ/M.
        """
        if self.external_basis is not None:
            return _REACH
        return _REACH * min(math.sqrt(self.header.n_samples / self.header.n_features), 1.0)

    @cached_property
    def finest_step(self) -> float:
        """The smallest useful step: a power of two, which leaves the most room for exact sums."""
        square = np.square(self.pca.scale_) if self.white is None else self.gains
        step = FINEST_STEP / float(np.sqrt(np.mean(square)))
        return 2.0 ** (round(math.log2(step)) - self.header.value_bits)

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """Squared error of the pixels per squared error of each score, shape (n_components,)."""
        if not self._divided:
            return np.ones(self.n_components)
        gains: NDArray[np.float64] = np.square(self.whole_synthesis).sum(axis=1)
        return gains

    @property
    def _divided(self) -> bool:
        """Whether features were scaled before the analysis."""
        return self.pca.standardize

    @cached_property
    def whole_synthesis(self) -> NDArray[np.float64]:
        """Contribution of a unit score to the features, with all components: (n_components, n_features)."""
        rows = self.pca.components_
        if self.white is not None:
            return rows @ self.white.root
        return rows * self.pca.scale_ if self._divided else rows

    @cached_property
    def whole_projection(self) -> NDArray[np.float64]:
        """Projection of centred samples to scores, with all components: (n_components, n_features)."""
        return self.pca.components_ / self.pca.scale_ if self._divided else self.pca.components_

    @property
    def vectors(self) -> NDArray[np.float64]:
        """Components as files hold them; zero if left out: (n_components, n_features)."""
        return self.components

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """Length of each of these vectors, shape (n_components,)."""
        return np.ones(self.n_components)

    @property
    def hidden_variance(self) -> float:
        """Variance of what no component holds, in squared units of the features."""
        if self.external_basis is not None:
            return self.hidden
        hidden = max(self.total_variance - float(self.variances.sum()), 0.0)
        return hidden * float(np.mean(np.square(self.pca.scale_)))

    @property
    def has_thumbnail(self) -> bool:
        """Whether files have a thumbnail: it shows one to four channels."""
        return self.header.shape[-1] <= MOST_SHOWN and self.header.dtype in {"uint8", "uint16"}

    def step_for(self, k: int) -> Step:
        """Return the step of k; with all components of a model that of the model, unless it is too fine."""
        if self.external_basis is None or k < self.n_components:
            return super().step_for(k)
        return max(Step.nearest(self.finest_step), self.external_basis.source.header.step, key=float)

    @cached_property
    def typical_scale(self) -> float:
        """Typical contribution of a unit score in units of the features, if samples were scaled."""
        return float(np.median(self.pca.scale_ if self.white is None else np.sqrt(self.gains)))

    def fitted(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the projection on rounded vectors, as files hold them, that fits samples best.

        Least squares recover part of the rounding error. Rows of both are components. What those left out
        hold must not fall to others that rounding has made not quite orthogonal to them.
        """
        gone = indices(self.left_out, len(vectors))
        if not gone:
            return self._inverse(vectors)
        whole = vectors.copy()
        whole[gone] = replace(self, left_out=frozenset()).vectors[gone]
        projection = self._inverse(whole)
        projection[gone] = 0
        return projection

    def _inverse(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the least-squares projection on vectors, some of which may be zero."""
        return pseudoinverse(vectors).T

    @property
    def synthesis(self) -> NDArray[np.float64]:
        """Contribution of a unit score to the features; zero if left out: (n_components, n_features)."""
        return self._without(self.whole_synthesis)

    @property
    def projection(self) -> NDArray[np.float64]:
        """Projection of centred samples to scores; zero if left out: (n_components, n_features)."""
        return self._without(self.whole_projection)

    @property
    def components(self) -> NDArray[np.float64]:
        """Components in rows; zero if left out: (n_components, n_features)."""
        return self._without(self.pca.components_)

    def _without(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        gone = indices(self.left_out, self.n_components)
        if not gone:
            return rows
        rows = rows.copy()
        rows[gone] = 0
        return rows

    @property
    def compact_unit(self) -> float | None:
        """A unit in which every score fits into 16 bits; None if no useful one is known.

        For 8×8 blocks in 8-bit colour it is a ninth of a grey level.
        """
        if self._divided:
            return None
        # A score is at most the norm of the centred sample.
        width = self.header.peak * (1 if self.header.dtype.startswith("uint") else 2)
        return math.sqrt(self.header.n_features) * width / np.iinfo(np.int16).max

    def scores(
        self, k: int | None = None, progress: Progress = no_progress, unit: float | None = None
    ) -> NDArray[np.float32] | NDArray[np.int16]:
        """Return scores of all samples, exact or whole numbers of a :attr:`compact_unit`: (k, n_samples)."""
        rows = self.projection[:k] / (unit or 1.0)
        scores = np.empty((len(rows), self.header.n_samples), np.int16 if unit else np.float32)
        for chunk, values in self.projected(rows, self.pca.mean_):
            scores[:, chunk] = np.rint(values) if unit else values
            progress(chunk.stop, self.header.n_samples)
        return scores

    def scores_of(self, which: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the exact scores of the samples with given indices, shape (n_components, n)."""
        return self._project(self.projection, which, self.pca.mean_).astype(np.float32)

    def projected(
        self,
        rows: NDArray[np.float64],
        centre: NDArray[np.float64],
        width: NDArray[np.float64] | None = None,
        part: Tile | None = None,
    ) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield the projections of ranges of all samples, or of a part of them, on vectors in rows.

        The centre is subtracted from samples, and the width divides what remains. The caller may overwrite
        the projections, of shape (k, n). Ranges are counted from the part's first sample.
        """
        rows = rows if width is None else rows / width
        lines, columns = self.header.plane_shape
        for place, where in self.runs(part or Tile(0, lines, 0, columns)):
            yield place, self._project(rows, where, centre)

    def _project(self, rows: NDArray[np.float64], where: Any, centre: NDArray[np.float64]) -> NDArray[Any]:
        """Return the projections of some samples less a centre on vectors in rows, shape (k, n)."""
        centred = self.centred(where, centre)
        found: NDArray[Any] = rows.astype(centred.dtype, copy=False) @ centred.T
        return found

    def runs(self, tile: Tile) -> Iterator[tuple[slice, Any]]:
        """Yield runs of samples of about a million numbers: which of the tile, and how they are read."""
        columns, length = self.header.plane_shape[1], max(1, CHUNK // self.header.n_features)
        start, stop = tile.top * columns, min(tile.bottom * columns, self.header.n_samples)
        for first in range(start, stop, length):
            last = min(first + length, stop)
            yield slice(first - start, last - start), slice(first, last)

    def centred(
        self, where: slice | NDArray[np.intp], centre: NDArray[np.float64]
    ) -> NDArray[np.floating[Any]]:
        """Return some samples less a centre, shape (n, n_features).

        Scores of 8-bit samples are exact to a thousandth of a step in float32. Those of 16-bit samples are
        not, and are computed in float64.
        """
        kind: type[np.floating[Any]] = np.float32 if self.samples.dtype == np.uint8 else np.float64
        values: NDArray[Any] = np.subtract(self.samples[where], centre.astype(kind), dtype=kind)
        return values

    def sample(self, numbers: int) -> tuple[NDArray[np.float32], NDArray[np.bool_], float]:
        """Return the scores of runs of lines that represent the image, of about so many values.

        They are planes that can be coded, (n_components, rows, columns), with the mask of existing numbers
        and the weight of each.
        """
        header = self.header
        height, width = header.plane_shape
        lines = max(LEAST_LINES, numbers // (width * header.n_features))
        count = max(1, min(4, lines // (4 * LEAST_LINES)))
        starts = np.linspace(0, height - lines // count, count).astype(int).tolist()
        runs = [(start, start + lines // count) for start in starts] if lines < height else [(0, height)]
        tiles = [Tile(start, stop, 0, width) for start, stop in runs]
        mask = np.concatenate([mask_of(header, self.missing, tile) for tile in tiles])
        scores = np.zeros((self.n_components, mask.size), np.float32)
        place = 0
        for tile in tiles:
            for chunk, found in self.projected(self.projection, self.pca.mean_, None, tile):
                scores[:, place + chunk.start : place + chunk.stop] = found
            place += math.prod(tile.shape)
        return scores.reshape(-1, *mask.shape), mask, height / len(mask)


_MOST = 1e4  # largest entry of the inverse of the products of rows that are far from being dependent


def pseudoinverse(components: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Moore–Penrose inverse of components, some of which may be zero.

    Samples times this are the scores of the least-squares fit. Components are linearly independent, except
    for rows of zeros, which stand for those that are left out and yield exactly columns of zeros. The
    numerical inverse of all rows would not: the singular values of zero rows come out as some 1e-15, and
    whether that is below the tolerance of :func:`numpy.linalg.pinv` depends on NumPy's linear algebra
    library.
    """
    kept = components.any(axis=1)
    inverse = np.zeros(components.shape[::-1])
    inverse[:, kept] = _inverse(components[kept])
    return inverse


def _inverse(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inverse of rows that are not zero: by their products, which takes a fraction of the time."""
    lengths = np.linalg.norm(rows, axis=1)
    units = rows / lengths[:, None]
    try:
        products: NDArray[np.float64] = np.linalg.inv(units @ units.T)
    except np.linalg.LinAlgError:
        return _by_values(rows)
    if np.abs(products).max(initial=0.0) > _MOST:
        # Rounding has made some of them nearly dependent.
        return _by_values(rows)
    found: NDArray[np.float64] = units.T @ products / lengths
    return found


def _by_values(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.pinv(rows), np.float64)

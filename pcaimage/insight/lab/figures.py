"""Figures of the lab's panes: scatter plot, covariance, spectrum, biplot, and those of single steps."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.lab.basis import Basis, Line, angle_between, code_error, variance_at
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.formula import figure, low
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.numeric import Prepared, ties
from pcaimage.pca import components_for_ratio, cumulative_shares

CURVE_POINTS = 181  # angles of the curves of variance and error: one for each degree, and 180° once more

ELLIPSE_POINTS = 73


@dataclass(frozen=True, eq=False)
class ScatterFigures:
    """The plane of two axes: points of shape (n_samples, 2), and what is drawn with them.

    Arrows are the features' own axes, of length 1 where they lie in the plane. The ellipse is the curve at
    one standard deviation from the mean of the points. The origin is the place of zero scores in the plane as
    it is without centring. Angles, from 0 to π, have the variance along the line and the error about it in
    all dimensions, whose sum is the trace.
    """

    axes: tuple[str, str]
    points: Floats = field(repr=False)
    arrows: Floats = field(repr=False)
    mean: Floats = field(repr=False)
    ellipse: Floats = field(repr=False)
    line: Line
    origin: Floats = field(repr=False)
    angles: Floats = field(repr=False)
    variances: Floats = field(repr=False)
    errors: Floats = field(repr=False)

    @cached_property
    def extent(self) -> tuple[Floats, Floats]:
        """The least and the greatest coordinates of the points and of the origin: (2,) each."""
        # A contiguous row is searched several times as fast as a column of two.
        rows = np.ascontiguousarray(self.points.T)
        return np.minimum(rows.min(axis=1), 0.0), np.maximum(rows.max(axis=1), 0.0)


def scatter(state: LabState) -> ScatterFigures:
    """Return the figures of the plane that is drawn; the state needs two features."""
    i, j = state.plane
    basis, prepared, names = state.basis, state.prepared, axis_names(state)
    # Two columns of the scores: all of them would take d / 2 times as long.
    points = state.samples @ basis.axes[[i, j]].T
    mean = points.mean(axis=0)
    angles = np.linspace(0.0, np.pi, CURVE_POINTS)
    variances = variance_at(state.matrix, i, j, angles)
    trace = state.trace
    return ScatterFigures(
        axes=(names[i], names[j]),
        points=points,
        arrows=basis.axes[[i, j]].T,
        mean=mean,
        ellipse=_ellipse(points, mean, prepared.divisor),
        line=Line(state.angle, points, trace, prepared.divisor),
        origin=(prepared.shift / prepared.widths) @ basis.axes[[i, j]].T,
        angles=angles,
        variances=variances,
        errors=np.maximum(trace - variances, 0.0),
    )


def with_line_of(figures: ScatterFigures, state: LabState) -> ScatterFigures:
    """Return figures with the line of a state whose samples, basis and plane they show."""
    line = figures.line
    return replace(figures, line=Line(state.angle, figures.points, line.trace, line.divisor))


def _ellipse(points: Floats, mean: Floats, divisor: float) -> Floats:
    centred = points - mean
    values, vectors = np.linalg.eigh(centred.T @ centred / divisor)
    turn = np.linspace(0.0, 2 * np.pi, ELLIPSE_POINTS)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    found: Floats = circle * np.sqrt(np.maximum(values, 0.0)) @ vectors.T + mean
    return found


def axis_names(state: LabState) -> tuple[str, ...]:
    """Return the names of the axes: a feature's own name as long as an axis is that feature."""
    return _axis_names(state.basis, state.data.features)


@lru_cache(maxsize=1)
def _axis_names(basis: Basis, features: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        f"axis {axis}" if feature is None else features[feature]
        for axis, feature in enumerate(basis.features, start=1)
    )


@dataclass(frozen=True, eq=False)
class MatrixFigures:
    """The matrix in the present basis, and the cell that is chosen."""

    names: tuple[str, ...]
    values: Floats = field(repr=False)
    plane: tuple[int, int]

    @property
    def is_correlation(self) -> bool:
        """Whether entries off the diagonal are correlations, or cosines."""
        return bool(np.allclose(np.diagonal(self.values), 1.0, rtol=0.0, atol=1e-9))

    @cached_property
    def shade(self) -> Floats:
        """Values over the largest, from −1 to 1, for diverging colours: (n_features, n_features)."""
        return self.values / (float(np.abs(self.values).max(initial=0.0)) or 1.0)


def matrix(state: LabState, *, kind: str = "matrix") -> MatrixFigures:
    """Return the figures of the covariance pane, for the matrix, undivided sums or correlations.

    An axis along which nothing varies has correlation 0.
    """
    values = state.matrix
    if kind == "scatter":
        values = values * state.prepared.divisor
    elif kind == "correlation":
        values = _correlations(values)
    return MatrixFigures(axis_names(state), values, state.plane)


@dataclass(frozen=True, eq=False)
class SpectrumFigures:
    """Variances along the present axes beside the eigenvalues, the ghosts, that they become.

    The share of the variance of the first k axes is at index k of `cumulative`; `k95` is the smallest k that
    keeps 95 % with the present axes in their order. `ties` are runs of equal eigenvalues, from 0.
    """

    bars: Floats = field(repr=False)
    ghosts: Floats = field(repr=False)
    cumulative: Floats = field(repr=False)
    k: int
    k95: int
    ties: tuple[range, ...]


def spectrum(state: LabState) -> SpectrumFigures:
    """Return the figures of the spectrum pane."""
    bars = np.maximum(np.diagonal(state.matrix), 0.0)
    cumulative = cumulative_shares(bars)
    reached = np.flatnonzero(cumulative >= 0.95 - 1e-12)
    k95 = int(reached[0]) if reached.size else components_for_ratio(np.sort(bars)[::-1], 0.95)
    ghosts = state.prepared.pca.variances
    return SpectrumFigures(bars, ghosts, cumulative, state.k, k95, ties(ghosts.tolist()))


@dataclass(frozen=True, eq=False)
class Biplot:
    """Samples as points (n_samples, 2), and features as arrows (n_features, 2).

    Points are scores over σ^α, for the deviations σ along the two axes, and arrows entries of the axes times
    σ^α: the inner product of both is the part of the number in the table that the two axes explain, whatever
    α (K. R. Gabriel 1971, doi:10.1093/biomet/58.3.453). Correlations of the features with the two axes lie
    within the circle of radius 1, and on it if the two axes explain all of the feature.
    """

    points: Floats = field(repr=False)
    arrows: Floats = field(repr=False)
    correlations: Floats = field(repr=False)


def biplot(state: LabState, alpha: float = 1.0) -> Biplot:
    """Return the biplot of the plane that is drawn, best that of the PCA's axes.

    With the exponent 0 distances of points are those of samples, with 1 arrows are as long as the features'
    deviations and their angles tell correlations. An axis along which nothing varies has zero coordinates.
    """
    if not 0 <= alpha <= 1:
        raise SettingsError(f"The exponent of a biplot is from 0 to 1, not {alpha}.")
    plane = list(state.plane)
    axes, scores = state.basis.axes[plane], state.prepared.samples @ state.basis.axes[plane].T
    variances = np.maximum(state.basis.variances[plane], 0.0)
    varies = variances > 0
    scale = np.where(varies, variances, 1.0) ** (alpha / 2)
    lengths = np.linalg.norm(state.prepared.samples, axis=0)
    norms = np.linalg.norm(scores, axis=0)
    both = np.outer(np.where(lengths > 0, lengths, np.inf), np.where(varies, norms, np.inf))
    products = state.prepared.samples.T @ scores
    arrows = np.where(varies, axes.T * scale, 0.0)
    return Biplot(np.where(varies, scores / scale, 0.0), arrows, products / both)


def correlation(state: LabState, one: int, other: int) -> float:
    """Return the correlation of two features, from 0; 0 with one that never varies.

    Without centring it is the cosine of their columns.
    """
    return float(_correlations(state.prepared.matrix)[one, other])


def cosine(state: LabState, one: int, other: int) -> float:
    """Return the cosine of two features' arrows in the biplot; 0 if one has no length."""
    arrows = biplot(state).arrows[[one, other]]
    lengths = np.linalg.norm(arrows, axis=1)
    return float(arrows[0] @ arrows[1] / lengths.prod()) if lengths.all() else 0.0


def closest(state: LabState) -> tuple[float, tuple[int, int]]:
    """Return the correlation of largest magnitude, and of which two features; two features at least."""
    products = _correlations(state.prepared.matrix)
    np.fill_diagonal(products, 0.0)
    i, j = divmod(int(np.abs(products).argmax()), len(products))
    i, j = (i, j) if i != j else (0, 1)
    return float(products[i, j]), (min(i, j), max(i, j))


def _correlations(matrix: Floats) -> Floats:
    """Return the covariances of a matrix over the deviations; 0 for what never varies."""
    variances = np.diagonal(matrix)
    widths = np.sqrt(np.where(variances > 0, variances, np.inf))
    return matrix / widths / widths[:, None]


CODES = 121  # codes of the parabola
_DUST = 1e-12  # angle in radians up to which two directions are the same but for rounding
_RIGHT = 1e-9  # degrees up to which an angle is right but for rounding
MOST_PARTS = 8  # terms of a reconstruction that are drawn by themselves; the others together


@dataclass(frozen=True, eq=False)
class PowerFigures:
    """The convergence of power iteration, before the first step and after each.

    Angles, in degrees, are those to the first component, or if several eigenvalues are `equal` to the first
    one to the space of their components. The expected ones are as if their tangent shrank by exactly `ratio`
    in every step, which it does for two features: the next eigenvalue over the first. Growths are ‖C w‖ of
    each step, which becomes the first eigenvalue. There are `count` eigenvalues.
    """

    angles: Floats = field(repr=False)
    expected: Floats = field(repr=False)
    growths: Floats = field(repr=False)
    first: float
    equal: int
    count: int
    ratio: float

    @property
    def is_across(self) -> bool:
        """Whether the start is at right angles to the first component, which it then never finds."""
        return bool(self.angles[0] >= 90 - _RIGHT)

    @property
    def ratio_words(self) -> str:
        """By what the angle shrinks."""
        if self.equal == self.count:
            return "all λ are equal: any direction is a first component"
        return f"λ{low(self.equal + 1)} / λ₁ = {figure(self.ratio, 3)}"


def power_figures(state: LabState) -> PowerFigures:
    """Return the figures of power iteration; before it starts, those of the line."""
    directions = state.powers or (state.direction,)
    variances = state.prepared.pca.variances
    equal = next((len(run) for run in state.prepared.ties if run.start == 0), 1)
    space = state.prepared.pca.components[:equal]
    angles = np.array([angle_between(each, _nearest(each, space)) for each in directions])
    angles[angles < _DUST] = 0.0
    ratio = float(variances[equal] / variances[0]) if equal < len(variances) and variances[0] > 0 else 0.0
    shrunk = np.arctan(np.tan(min(angles[0], np.pi / 2 - 1e-12)) * ratio ** np.arange(len(angles)))
    growths = np.array([float(np.linalg.norm(state.prepared.matrix @ each)) for each in directions[:-1]])
    return PowerFigures(
        np.degrees(angles), np.degrees(shrunk), growths, float(variances[0]), equal, len(variances), ratio
    )


def _nearest(direction: Floats, space: Floats) -> Floats:
    """Return the direction of a space, of orthonormal rows, that is nearest; one of them if none is."""
    found: Floats = direction @ space.T @ space
    return found if np.linalg.norm(found) > _DUST else space[0]


@dataclass(frozen=True, eq=False)
class CodeFigures:
    """The error ‖x − c d‖² of a sample over its code on one axis, from 0.

    `best` is dᵀx, where the error is `least`; `square` is xᵀx, the error of the code 0. `yours` is the code
    that was tried, `error` and `slope` are its error and its gradient 2 (c − dᵀx).
    """

    axis: int
    codes: Floats = field(repr=False)
    errors: Floats = field(repr=False)
    best: float
    least: float
    yours: float | None
    error: float | None
    slope: float | None
    square: float


def code_figures(state: LabState) -> CodeFigures:
    """Return the figures of the marked sample's code on the first axis of the plane."""
    axis = state.plane[0]
    sample, direction = state.prepared.samples[state.sample], state.basis.axes[axis]
    best = float(direction @ sample)
    best = best if abs(best) > 1e-13 * float(np.abs(direction) @ state.prepared.reach) else 0.0
    reach = 2 * abs(best) or float(np.linalg.norm(sample)) or 1.0
    codes = np.linspace(best - reach, best + reach, CODES)
    least = float(code_error(sample, direction, np.array([best]))[0])
    yours = state.code
    error = None if yours is None else float(code_error(sample, direction, np.array([yours]))[0])
    slope = None if yours is None else 2 * (yours - best)
    square = float(sample @ sample)
    return CodeFigures(
        axis, codes, code_error(sample, direction, codes), best, least, yours, error, slope, square
    )


@dataclass(frozen=True, eq=False)
class PartFigures:
    """A sample, from 0, as the sum of its mean, its parts along the axes, and its residual, in its units.

    `whole` is ‖x‖² of the prepared sample, the sum of the squares of its scores and of `left`, that of the
    residual. Of many terms c v the last part but one has those that are not by themselves.
    """

    sample: int
    whole: float
    squares: Floats = field(repr=False)
    left: float
    parts: tuple[Floats, ...] = field(repr=False)
    names: tuple[str, ...]
    original: Floats = field(repr=False)
    decoded: Floats = field(repr=False)


def part_figures(state: LabState, most: int = MOST_PARTS) -> PartFigures:
    """Return the parts of the marked sample, of which the first `most` terms are by themselves."""
    prepared, sample = state.prepared, state.sample
    scores, axes = state.scores_of(sample)[: state.k], state.basis.axes[: state.k]
    decoded, original = state.decoded(sample), prepared.original[sample]
    shown = state.k if state.k <= most else most - 1
    terms = scores[:shown, None] * axes[:shown] * prepared.widths
    parts, names = [prepared.shift, *terms], ["mean", *(f"axis {axis}" for axis in range(1, shown + 1))]
    if shown < state.k:
        parts.append(decoded - prepared.shift - terms.sum(axis=0))
        names.append(f"{state.k - shown} more")
    parts.append(original - decoded)
    names.append("residual")
    whole = float(prepared.samples[sample] @ prepared.samples[sample])
    rest = prepared.samples[sample] - scores @ axes
    left = float(np.square(rest[np.abs(rest) > 1e-13 * np.maximum(prepared.reach, whole**0.5)]).sum())
    return PartFigures(sample, whole, np.square(scores), left, tuple(parts), tuple(names), original, decoded)


@dataclass(frozen=True, eq=False)
class KeptFigures:
    """The marked sample from several k, the last of which are all axes, and the PSNR of all samples.

    The peak is the range of the data; without an error the PSNR is infinite.
    """

    ks: tuple[int, ...]
    decoded: tuple[Floats, ...] = field(repr=False)
    psnrs: tuple[float, ...]
    peak: float


def kept_figures(state: LabState, most: int) -> KeptFigures:
    """Return the figures of at most so many k: the state's own, the ends, and round numbers between."""
    d = len(state.basis)
    usual = [number for number in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500) if number < d and number != state.k]
    places = np.linspace(0, len(usual) - 1, min(max(most - 2, 0), len(usual))).round().astype(int)
    ks = tuple(sorted({*(usual[place] for place in places), state.k, d}))
    peak = float(np.ptp(state.data.extent))
    errors = _mean_squares(state.basis, state.prepared)[list(ks)].tolist()
    psnrs = [10 * math.log10(peak**2 / each) if each > 0 else math.inf for each in errors]
    decoded = [replace(state, k=k).decoded(state.sample) for k in ks]
    return KeptFigures(ks, tuple(decoded), tuple(psnrs), peak)


@lru_cache(maxsize=1)
def _mean_squares(basis: Basis, prepared: Prepared) -> Floats:
    """Return the mean squared error of the numbers, in the units of the data, for each k from 0."""
    products = basis.matrix * (basis.axes * prepared.widths**2 @ basis.axes.T)
    left = products[::-1, ::-1].cumsum(axis=0).cumsum(axis=1).diagonal()[::-1]
    found = np.append(left, 0.0) * (prepared.divisor / prepared.original.size)
    return np.where(found > _DUST**2 * np.square(prepared.reach * prepared.widths).sum(), found, 0.0)


@dataclass(frozen=True, eq=False)
class SpaceFigures:
    """Three axes: samples as points, (n_samples, 3), features' own axes, (n_features, 3), and names."""

    axes: tuple[str, str, str]
    points: Floats = field(repr=False)
    arrows: Floats = field(repr=False)
    reach: float


def seen_from(turn: float, height: float) -> Floats:
    """Return what takes three axes, of which the third is up, to the two of a picture: (3, 2)."""
    across = [math.cos(turn), -math.sin(turn), 0.0]
    up = [math.sin(height) * math.sin(turn), math.sin(height) * math.cos(turn), math.cos(height)]
    return np.array([across, up]).T


def space(state: LabState) -> SpaceFigures:
    """Return the axes of the plane, and of the others the one of the largest variance; three at least."""
    variances = state.matrix.diagonal().copy()
    variances[list(state.plane)] = -1.0
    three = [*state.plane, int(variances.argmax())]
    axes, names = state.basis.axes[three], axis_names(state)
    points = state.samples @ axes.T
    reach = float(np.sqrt(np.square(points).sum(axis=1).max())) or 1.0
    return SpaceFigures((names[three[0]], names[three[1]], names[three[2]]), points, axes.T, reach)


@dataclass(frozen=True, eq=False)
class CostFigures:
    """The costs of the kept axes by a step of the scores, beside the error of keeping nothing."""

    step: float
    cost: Cost
    whole: float


def usual_step(state: LabState) -> float:
    """Return the step whose rounding costs as much as the first axis that is left out, to one figure.

    That is Δ²/12 = its variance; with all axes kept the last one that varies counts.
    """
    variances = np.maximum(state.basis.variances, 0.0)
    varies = variances[variances > 0]
    if not varies.size:
        return 1.0
    step = float(np.sqrt(12 * varies[min(state.k, len(varies) - 1)]))
    return float(f"{step:.1g}")


def cost_figures(state: LabState) -> CostFigures:
    """Return the figures of what the kept axes cost, with the state's step or the usual one."""
    step = usual_step(state) if state.rounding is None else state.rounding
    n, d = state.data.samples.shape
    return CostFigures(step, cost(state, step), state.prepared.trace * state.prepared.divisor / (n * d))


MODEL_BYTES = 4  # bytes of a number of axes, mean and deviations, whose rounding then does not count


@dataclass(frozen=True)
class Cost:
    """The costs and losses of k axes; losses are mean squared errors.

    Numbers are kept for scores and axes, mean and deviations. Those of rounded scores, and the data's at
    their own precision, take as few bits as the range of their column needs; those of axes, mean and
    deviations :data:`MODEL_BYTES` each.
    """

    numbers: int
    raw_numbers: int
    score_bytes: int
    model_bytes: int
    raw_bytes: int
    lost: float  # of the numbers that the axes leave out: PCA's own loss, unrounded
    rounded: float  # what rounding scores adds, about k Δ² / (12 d); none of it is PCA's

    @property
    def n_bytes(self) -> int:
        """Bytes of all that is kept."""
        return self.score_bytes + self.model_bytes

    @property
    def error(self) -> float:
        """Mean squared error altogether: residuals and rounding errors are orthogonal."""
        return self.lost + self.rounded


def cost(state: LabState, step: float) -> Cost:
    """Return what the axes that are kept cost, with scores rounded to multiples of a step Δ.

    The step is in the units of prepared samples; errors are measured, not estimated.
    """
    if not (math.isfinite(step) and step > 0):
        raise SettingsError(f"A step must be a positive number, not {step}.")
    n, d = state.data.samples.shape
    scores = state.scores[:, : state.k]
    rounded = np.round(scores / step)
    rest = state.prepared.samples - scores @ state.basis.axes[: state.k]
    rest[np.abs(rest) <= 1e-12 * state.prepared.reach] = 0  # what floating point has rounded
    return Cost(
        numbers=numbers_of(state),
        raw_numbers=n * d,
        score_bytes=math.ceil(n * float(np.log2(np.ptp(rounded, axis=0) + 1).sum()) / 8),
        model_bytes=MODEL_BYTES * (numbers_of(state) - state.k * n),
        raw_bytes=math.ceil(n * state.data.bits / 8),
        lost=float(np.square(rest).mean()),
        rounded=float(np.square(rounded * step - scores).sum()) / (n * d),
    )


def numbers_of(state: LabState) -> int:
    """Return how many numbers the kept axes take: scores, axes, and what undoes centring and scaling."""
    n, d = state.data.samples.shape
    return int(
        state.k * (n + d * (not state.basis.given))
        + d * (state.convention.centre + state.convention.standardized)
    )

"""Samples come from tables, text and images."""

from itertools import product

import numpy as np
import pytest

from pcaimage.errors import DataError
from pcaimage.insight.lab import (
    STEPS,
    TABLES,
    LabData,
    LabState,
    blocks,
    built_in,
    channels,
    neighbours,
    pasted,
    stack,
)
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.basis import variance_at
from pcaimage.insight.lab.figures import biplot, cost, cost_figures, numbers_of, part_figures, spectrum
from pcaimage.insight.lab.live import step_formula
from pcaimage.insight.lab.numbers import Kind, grid, to_csv
from pcaimage.insight.lab.python import MOST_WRITTEN, listing
from pcaimage.insight.numeric import Convention, Divisor, Sigma


def photo(height=40, width=61, depth=3):
    rng = np.random.default_rng(0)
    smooth = np.cumsum(rng.normal(0, 2, (height, width, depth)), axis=1) + 128
    return np.clip(smooth, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("name", TABLES)
def test_every_built_in_table_can_be_taken_apart(name):
    data = built_in(name)
    assert LabState.of(data).prepared.pca.variances[0] > 0
    assert data.n_samples == len(data.sample_names)
    with pytest.raises(DataError, match="no table 'wine'; there are five-features, three-prices"):
        built_in("wine")


def test_the_flowers_are_those_of_scikit_learn():
    from sklearn.datasets import load_iris  # scikit-learn takes a second to load

    iris, there = built_in("iris"), load_iris()
    assert iris.samples.tolist() == there.data.tolist()
    assert iris.groups == tuple(str(there.target_names[kind]) for kind in there.target)


def test_neighbouring_pixels_lie_along_the_diagonal():
    data = neighbours(photo(depth=1)[..., 0])
    assert data.samples.shape == (40 * 30, 2)
    first, second = LabState.of(data).prepared.pca.components
    assert first == pytest.approx(np.ones(2) / 2**0.5, abs=0.05)
    assert abs(second[0] + second[1]) < 0.1
    variances = LabState.of(data).prepared.pca.variances
    assert variances[1] < 0.05 * variances[0]
    assert neighbours(photo()).samples[0] == pytest.approx(photo()[0, :2].mean(axis=1))


def test_channels_and_blocks_are_samples():
    assert channels(photo()).features == ("red", "green", "blue")
    assert channels(photo()).samples[61] == pytest.approx(photo()[1, 0])
    assert channels(photo(depth=5)).features[4] == "band 5"
    assert channels(photo(), names=("l", "a", "b")).features == ("l", "a", "b")
    found = blocks(photo(), 4)
    assert (found.samples.shape, found.picture) == ((160, 48), (4, 4, 3))
    assert found.features[:4] == ("pixel 1,1 1", "pixel 1,1 2", "pixel 1,1 3", "pixel 1,2 1")
    grey = blocks(photo(depth=1)[..., 0], 2)
    assert (grey.picture, grey.features[1]) == ((2, 2), "pixel 1,2")
    many = np.arange(300 * 400, dtype=np.float64).reshape(300, 400)
    data = channels(many)  # of which the same are drawn every time
    assert data.samples.shape == (50_000, 1)
    assert (np.diff(data.samples[:, 0]) > 0).all()
    assert channels(many).samples.tolist() == data.samples.tolist()


def test_a_stack_keeps_its_labels():
    images = np.random.default_rng(0).integers(0, 255, (30, 4, 5)).astype(np.uint8)
    data = stack(images, np.arange(30) % 3)
    assert (data.samples.shape, data.picture) == ((30, 20), (4, 5))
    assert data.groups[:4] == ("0", "1", "2", "0")
    assert stack(images).groups is None
    with pytest.raises(DataError, match="29 labels do not fit 30 images"):
        stack(images, np.arange(29))


@pytest.mark.parametrize(
    ("make", "array", "more", "message"),
    [
        (blocks, photo(depth=5), (16,), "at most 1,024"),
        (blocks, photo(), (17,), "2 to 16 pixels, not 17"),
        (neighbours, np.zeros((4, 1)), (), "no neighbouring pixels"),
        (stack, np.zeros(7), (), "axes"),
    ],
)
def test_what_is_too_large_or_no_image_is_refused_in_a_sentence(make, array, more, message):
    with pytest.raises(DataError, match=message):
        make(array, *more)


def test_text_is_pasted_as_it_is_printed():
    data = pasted("name,x,y\nann,1,2\nbob,3,4\n")
    assert (data.features, data.labels) == (("x", "y"), ("ann", "bob"))
    assert pasted("[[1, 2], [3, 4], [5, 6]]", in_columns=True).samples.tolist() == [[1, 3, 5], [2, 4, 6]]
    with pytest.raises(DataError, match="The pasted table is empty"):
        pasted("")


def test_samples_and_features_change_places_and_back():
    data = built_in("three-prices")
    turned = data.transposed()
    assert (turned.features, turned.labels) == (data.labels, data.features)
    assert turned.transposed().samples.tolist() == data.samples.tolist()
    assert built_in("five-features").transposed().labels is None


def test_points_are_drawn_by_hand():
    data = built_in("cross")
    more = data.added(np.array([5.0, 5.0]))
    assert more.n_samples == data.n_samples + 1
    assert more.moved(0, np.array([1.0, 1.0])).samples[0].tolist() == [1, 1]
    assert data.samples[0].tolist() == [0, 3]
    assert more.without(0).samples.tolist() == more.samples[1:].tolist()
    named = built_in("three-prices").added(np.zeros(3))
    assert named.sample_names[-1] == "4"
    assert named.without(0).labels == ("year 2", "year 3", "4")
    assert built_in("iris").without(0).groups is not None


@pytest.mark.parametrize(
    ("names", "samples", "more", "message"),
    [
        (("x",), np.zeros((3, 2)), {}, "do not fit samples"),
        (("x",), np.zeros((1, 1)), {}, "at least two"),
        (("x",), np.array([[1.0], [np.nan]]), {}, "not finite"),
        (("x",), np.array([[1.0], [1e200]]), {}, "too large to be squared"),
        (("x",), np.zeros((2, 1)), {"labels": ("a",)}, "1 names do not fit 2 samples"),
        (("x", "y"), np.zeros((2, 2)), {"picture": (3, 1)}, "do not have 2 numbers"),
        (("x",) * 1025, np.zeros((2, 1025)), {}, "at most 200,000 samples of 1,024 features"),
    ],
)
def test_data_that_do_not_fit_are_refused(names, samples, more, message):
    with pytest.raises(DataError, match=message):
        LabData("t", names, samples, **more)


def test_a_column_of_words_that_repeat_has_the_classes():
    both = pasted("id,x,y,kind\na,1,2,u\nb,2,3,u\nc,3,5,v\nd,3,4,v")
    assert (both.features, both.labels, both.groups) == (("x", "y"), tuple("abcd"), tuple("uuvv"))
    assert both.reading == "4 × 2, classes from column 4, names from column 1, features from row 1"
    alone = pasted("x,kind\n1,u\n2,u\n3,v\n4,v")
    assert (alone.labels, alone.groups, alone.reading) == (
        None, tuple("uuvv"), "4 × 1, classes from column 2, features from row 1"
    )  # fmt: skip
    assert pasted("name,x\np,1\nq,3\nr,5").groups is None


CONVENTIONS = [Convention(*each) for each in product((True, False), Sigma, Divisor)]
# As a spreadsheet has them: names with commas, quotes and several lines, and a feature that never varies.
AWKWARD = LabData(
    "Awkward",
    ("height\n(cm)", 'so "called"', "a, b"),
    np.stack([np.linspace(150, 190, 80) ** 2, np.full(80, 0.1), np.sin(np.arange(80.0))], axis=1),
    tuple(f'{n}, #{n} "x"' for n in range(80)),
)
DATA = {**{name: built_in(name) for name in TABLES}, "awkward": AWKWARD}


def exported(state, folder):
    """Make the files that *Copy as CSV* makes of samples and axes."""
    for name, kind in (("X", Kind.DATA), ("axes", Kind.AXES)):
        (folder / f"{name}.csv").write_text(to_csv(grid(state, kind)), "utf-8", newline="")


def ran(state):
    names = {}
    exec(listing(state), names)  # noqa: S102 - the lab's own text
    return names


def same(found, shown, scale=1.0):
    np.testing.assert_allclose(found, shown, rtol=1e-9, atol=1e-9 * scale)


def agrees(state, names):
    """Compare what a listing found with what the panes of its step show."""
    prepared, step, scale = state.prepared, state.step, 1 + state.prepared.trace
    same(names["X"], grid(state, Kind.DATA).values)
    if "Z" in names:
        same(names["Z"], grid(state, Kind.PREPARED).values)
        same(names["mean"], prepared.shift)
    if step == "standardise" and not state.convention.standardized:
        same(names["sigma"], prepared.deviations, 1e-4)
    if "C" in names:
        same(names["C"], prepared.matrix, scale)
    # Axes along which nothing varies are arbitrary.
    varies = np.diagonal(state.basis.matrix) > 1e-9 * prepared.trace
    if "axes" in names:
        same(names["axes"][varies], state.basis.axes[varies], 10)
    if "codes" in names:
        kept = varies[: state.k]
        same(names["codes"][:, kept], grid(state, Kind.SCORES).values[:, kept], scale)
    for name, shown in shown_by(state).items():
        found = (
            names[name][state.sample]
            if name in {"whole", "kept", "left"} and step == "decode"
            else names[name]
        )
        same(found, shown, scale)
    if step == "biplot":
        same(names["points"] @ names["arrows"].T, biplot(state).points @ biplot(state).arrows.T, scale)


def shown_by(state):
    """Return what the pane of a step shows, by its name in the listing."""
    if state.step == "turn":
        along = float(variance_at(state.matrix, *state.plane, np.array(state.angle)))
        return {"along": along, "error": state.trace - along}
    if state.step == "diagonal":
        return {"present": grid(state, Kind.MATRIX).values, "eigenvalues": state.prepared.pca.variances}
    if state.step == "decode":
        found = part_figures(state)
        parts = {"whole": found.whole, "kept": found.squares.sum(), "left": found.left}
        return {"X_hat": grid(state, Kind.RECONSTRUCTION).values, **parts}
    if state.step == "keep":
        return {"kept": spectrum(state).cumulative[state.k], "k95": spectrum(state).k95}
    if state.step == "cost":
        spent = cost(state, cost_figures(state).step)
        return {"lost": spent.lost, "by_rounding": spent.rounded, "numbers": numbers_of(state)}
    return {}


@pytest.mark.parametrize("convention", CONVENTIONS, ids=str)
@pytest.mark.parametrize("table", DATA)
@pytest.mark.sweep(19)
def test_export_and_listing_agree_with_the_panes(table, convention, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begun = LabState.of(DATA[table], convention)
    for state in (begun, go.with_line(go.turned(begun, 0.7), 0.3), go.with_k(go.finished(begun), 1)):
        exported(state, tmp_path)
        for step in STEPS:
            at = go.with_step(state, step.key)
            agrees(at, ran(at))
    # Few numbers are written out, and many are read.
    many = begun.data.samples.size > MOST_WRITTEN
    assert ("loadtxt" in listing(begun)) == many
    assert ("choose “Samples X” among the numbers" in listing(begun)) == many


@pytest.mark.parametrize("convention", CONVENTIONS[::5], ids=str)
def test_power_iteration_and_deflation_are_listed_as_they_were_done(convention):
    state = go.with_line(go.turned(LabState.of(DATA["five-features"], convention), 0.7), 0.3)
    powered = go.powered(go.powered(go.with_step(state, "power")))
    same(ran(powered)["w"], powered.power)
    taken = go.taken_away(go.with_best_line(go.taken_away(go.with_step(state, "take"))))
    names = ran(taken)
    same(names["rest"], taken.taken[0], 1 + taken.prepared.trace)
    same(names["left"], taken.taken[1][-1].left, 1 + taken.prepared.trace)


def test_formulas_of_steps_follow_the_convention():
    plain, raw = Convention(), Convention(centre=False, divisor=Divisor.NONE)
    scaled = Convention(sigma=Sigma.N, divisor=Divisor.N)
    shown = {
        step: [step_formula(step, by) for by in (plain, raw, scaled)]
        for step in ("centre", "covariance", "turn", "encode", "decode", "cost")
    }
    assert shown == {
        "centre": ["x − x̄", "x, the mean left in", "x − x̄"],
        "covariance": ["C = X̃ᵀX̃ / (n − 1), x̃ = x − x̄", "C = X̃ᵀX̃, x̃ = x", "C = X̃ᵀX̃ / n, x̃ = (x − x̄) / σ"],
        "turn": ["variance + error = trace", "sum of squares + error = trace", "variance + error = trace"],
        "encode": ["c = V (x − x̄)", "c = V x", "c = V ((x − x̄) / σ)"],
        "decode": ["x̂ = x̄ + Σ cⱼ vⱼ", "x̂ = Σ cⱼ vⱼ", "x̂ = x̄ + σ · Σ cⱼ vⱼ"],
        "cost": ["k (n + d) + d numbers", "k (n + d) numbers", "k (n + d) + 2 d numbers"],
    }
    assert step_formula("standardise", scaled) == "x̃ = (x − x̄) / σ, σ² = Σ (x − x̄)² / n"
    assert all(step_formula(step.key, by) for step in STEPS for by in CONVENTIONS)

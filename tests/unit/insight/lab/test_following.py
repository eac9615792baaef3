"""The steps of the course check what was tried, and the later ones show what PCA is for."""

import math

import numpy as np
import pytest

from pcaimage.errors import SettingsError
from pcaimage.insight.lab import STEPS, LabData, LabState, built_in, check
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.by_hand import characteristic, reduced, whole_numbers
from pcaimage.insight.lab.figures import biplot, cost
from pcaimage.insight.numeric import Convention, Sigma


def at(step, table="iris", convention=None):
    return go.with_step(LabState.of(built_in(table), convention), step)


def test_the_lab_begins_with_the_first_step_and_goes_to_any():
    state = LabState.of(built_in("iris"))
    assert state.step == STEPS[0].key
    assert go.with_step(state, "cost").step == "cost"
    with pytest.raises(SettingsError, match="no step 'dance'; the steps are data, centre"):
        go.with_step(state, "dance")
    with pytest.raises(SettingsError, match="between 0 and 4, not 5"):
        go.with_k(state, 5)
    along = go.turned_to_line(go.with_best_line(go.with_plane(state, 0, 2)))  # the line becomes an axis
    assert along.basis.matrix[0, 2] == pytest.approx(0, abs=1e-12)
    assert along.angle == 0


def test_kept_variance_and_error_add_up():
    state = go.turned(LabState.of(built_in("iris")), 0.4)
    for k in range(5):
        kept = go.with_k(state, k)
        assert kept.kept_variance + kept.error == pytest.approx(state.prepared.trace)
        measured = float(np.square(kept.data.samples - kept.reconstruction).sum()) / kept.prepared.divisor
        assert kept.error == pytest.approx(measured, abs=1e-12)


def test_a_biplot_multiplies_back_to_the_table():
    state = go.with_plane(go.finished(LabState.of(built_in("three-prices"))), 0, 1)
    for alpha in (0.0, 0.5, 1.0):
        found = biplot(state, alpha)
        assert found.points @ found.arrows.T == pytest.approx(state.prepared.samples)
    assert np.linalg.norm(biplot(state).arrows, axis=1) == pytest.approx(state.prepared.deviations)
    with pytest.raises(SettingsError, match="from 0 to 1, not 2"):
        biplot(state, 2)


def test_features_lie_within_the_circle_of_correlations():
    state = go.with_plane(go.finished(at("biplot", convention=Convention(sigma=Sigma.N_MINUS_1))), 0, 1)
    found = biplot(state)
    wanted = [
        [np.corrcoef(state.data.samples[:, f], state.scores[:, axis])[0, 1] for axis in (0, 1)]
        for f in range(4)
    ]
    assert found.correlations == pytest.approx(np.array(wanted))
    assert (np.linalg.norm(found.correlations, axis=1) <= 1).all()
    assert check(at("biplot")).words == "Finish the PCA first."
    assert check(state).words == "Click two arrows."
    wrong = go.with_arrow(go.with_arrow(state, 0), 1)
    assert check(wrong).words == "The correlation of yours is −0.118; another pair has 0.963."
    right = go.with_arrow(go.with_arrow(wrong, 2), 3)
    assert (right.arrows, check(right).done) == ((2, 3), True)
    assert go.with_arrow(right, 3).arrows == (2,)


def test_losses_of_pca_and_of_rounding_are_told_apart():
    state = go.with_k(go.finished(at("cost")), 2)
    fine, coarse = cost(state, 0.01), cost(state, 0.5)
    assert fine.lost == coarse.lost
    assert fine.lost == pytest.approx(state.prepared.pca.variances[2:].sum() * 149 / 600)
    assert fine.rounded < 0.001 * coarse.rounded
    assert coarse.rounded == pytest.approx(2 * 0.5**2 / 12 / 4, rel=0.2)
    assert coarse.score_bytes < fine.score_bytes
    rounded = np.round(state.scores[:, :2] / 0.5) * 0.5 @ state.basis.axes[:2]
    assert coarse.error == pytest.approx(np.square(state.prepared.samples - rounded).mean())
    assert (fine.numbers, fine.raw_numbers) == (2 * 154 + 4, 600)
    assert check(state).done
    assert (cost(go.with_k(state, 4), 0.01).lost, check(go.with_k(state, 4)).done) == (0, False)
    with pytest.raises(SettingsError, match="positive number, not 0"):
        cost(state, 0)


def test_the_characteristic_polynomial_has_the_eigenvalues_as_roots():
    state = LabState.of(built_in("iris"))
    found = characteristic(state.prepared.matrix)
    assert found == pytest.approx(np.poly(state.prepared.matrix))
    assert np.sort(np.roots(found))[::-1] == pytest.approx(state.prepared.pca.variances)
    with pytest.raises(SettingsError, match="too large to be worked through by hand"):
        characteristic(np.eye(7))
    with pytest.raises(SettingsError, match="too large"):
        reduced(np.eye(7), 1.0)
    assert whole_numbers(np.array([0.5, -1.0, 0.0])) == pytest.approx([1, -2, 0])
    assert whole_numbers(np.array([1.0, math.pi])) is None


def test_bytes_are_those_of_scores_axes_and_mean_beside_the_data_at_their_own_precision():
    rng = np.random.default_rng(0)
    grey = rng.integers(0, 256, (4000, 1)).astype(np.float64)
    pixels = np.clip(grey + rng.integers(-9, 9, (4000, 3)), 0, 255)
    pixels[0], pixels[1] = 0, 255
    state = go.with_k(go.finished(LabState.of(LabData("Pixels", ("r", "g", "b"), pixels))), 1)
    spent = cost(state, 20.0)
    assert spent.raw_bytes == 4000 * 3
    assert spent.model_bytes == 4 * (3 + 3)
    levels = np.ptp(np.round(state.scores[:, 0] / 20)) + 1
    assert spent.score_bytes == math.ceil(4000 * math.log2(levels) / 8)
    assert spent.n_bytes == spent.score_bytes + spent.model_bytes
    scaled = LabState.of(state.data, Convention(sigma=Sigma.N))
    assert cost(go.with_k(scaled, 1), 0.1).model_bytes == 4 * (3 + 3 + 3)
    raw = go.with_k(LabState.of(state.data, Convention(centre=False)), 1)
    assert (cost(raw, 1.0).model_bytes, cost(raw, 1.0).numbers) == (4 * 3, 4003)


@pytest.mark.parametrize(
    ("numbers", "bits"),
    [
        ([0, 255, 7], 8),
        ([0.1, 0.2, 1.6], 4),
        ([0, 1 / 3, 5 / 3, 7 / 3], 3),
        ([0.25, 1.0, 2.0], 3),
        ([0.1 + 0.2, math.pi], 64),
        ([5, 5], 0),
    ],
)
def test_a_number_takes_as_many_bits_as_the_range_of_its_column_needs(numbers, bits):
    assert LabData("One", ("x",), np.array(numbers)[:, None]).bits == pytest.approx(bits)

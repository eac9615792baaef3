"""Gains of shrinkage bring what was coded closer to the photographs they were fitted to."""

import numpy as np
import pytest

from pcaimage.codec.photo.tables import NEWEST, Tables
from training.shrinkage import BANDS, SIZES, Equations, equations, fitted, gains_of

CELLS = BANDS * SIZES


def photograph(seed):
    """Return soft stripes in some colour, with an edge."""
    y, x = np.indices((40, 48))
    wave = 100 + 50 * np.sin(x / (3 + seed) + y / 9) + 60 * (x + 2 * y > 60)
    colours = wave[..., None] * np.array([1, 0.9 - seed / 10, 0.5])
    return np.clip(colours + np.random.default_rng(seed).normal(size=colours.shape), 0, 255).astype(np.uint8)


def better(gains, part):
    """Return by how much a channel's squared error falls, with the best strengths."""
    squares, helped = gains @ part.products @ gains.T, gains @ part.helped
    strengths = np.linalg.lstsq(squares, helped, rcond=None)[0]
    return float(2 * strengths @ helped - strengths @ squares @ strengths)


def plus(first, second):
    return Equations(first.products + second.products, first.helped + second.helped)


@pytest.fixture(scope="module")
def known():
    return [equations(photograph(seed), Tables.of(NEWEST), 24.0) for seed in (1, 2, 3)]


def test_taking_out_small_coefficients_helps(known):
    for channels in known:
        products, helped = channels[0]
        assert products.shape == (CELLS, CELLS)
        assert np.allclose(products, products.T, rtol=1e-4, atol=1e-4)
        # Gains are shares that are added: those of small coefficients are below zero.
        smallest = fitted([channels[0]], 1)[0].reshape(BANDS, SIZES)[:, 0]
        assert np.median(smallest) < -0.05
        assert helped.reshape(BANDS, SIZES)[:, 0].sum() < 0


@pytest.mark.slow
def test_two_components_fit_photographs_better_than_one(known):
    parts = [channels[0] for channels in known]
    one, two = (sum(better(fitted(parts, count), part) for part in parts) for count in (1, 2))
    assert 0 < one < 0.99 * two


def test_components_are_found_again_where_they_made_the_photographs():
    random = np.random.default_rng(5)
    true = np.kron(random.normal(size=(2, BANDS)), np.linspace(1, 2, SIZES))
    parts = []
    for strength in (-1.5, -0.6, 0.5, 1.6):
        cells = random.normal(size=(CELLS, 900)) * 9
        parts.append(Equations(cells @ cells.T, cells @ (cells.T @ (true[0] + strength * true[1]))))
    found = fitted(parts, 2)
    inside = found @ np.linalg.pinv(true) @ true
    assert np.abs(found - inside).max() < 0.02 * np.abs(found).max()


def test_grades_between_steps_learn_from_both(known):
    fine = [[channels[channel] for channels in known] for channel in range(3)]
    coarse = [parts[::-1] for parts in fine]
    both = [[plus(a, b) for a, b in zip(*each, strict=True)] for each in zip(fine, coarse, strict=True)]
    gains = gains_of([fine, coarse])
    assert gains.shape == (3, 2, 3, BANDS, SIZES)
    assert gains.any(axis=(2, 3, 4)).all()
    assert np.array_equal(gains[1], gains_of([both])[0])
    assert not np.array_equal(gains[1], gains[0])

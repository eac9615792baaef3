"""Fixtures of the tests of the mathematics."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(42)


@pytest.fixture
def correlated(rng):
    """Make (n, d) samples with a spectrum that falls like a photograph's, and a mean."""

    def make(n_samples, n_features, decay=1.0):
        rank = min(n_samples, n_features)
        axes, _ = np.linalg.qr(rng.standard_normal((n_features, rank)))
        deviations = 10 * np.arange(1, rank + 1.0) ** -decay
        return rng.standard_normal((n_samples, rank)) * deviations @ axes.T + rng.uniform(-5, 5, n_features)

    return make

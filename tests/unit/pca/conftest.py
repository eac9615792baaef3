"""Fixtures of the tests of the mathematics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(42)


@pytest.fixture
def correlated(rng: np.random.Generator) -> Callable[..., NDArray[np.float64]]:
    """Make (n, d) samples with a spectrum that falls like a photograph's, and a mean."""

    def make(n_samples: int, n_features: int, decay: float = 1.0) -> NDArray[np.float64]:
        rank = min(n_samples, n_features)
        axes, _ = np.linalg.qr(rng.standard_normal((n_features, rank)))
        deviations = 10 * np.arange(1, rank + 1.0) ** -decay
        return rng.standard_normal((n_samples, rank)) * deviations @ axes.T + rng.uniform(-5, 5, n_features)

    return make

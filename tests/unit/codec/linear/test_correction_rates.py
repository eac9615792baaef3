"""Estimates of what corrections of many bands take and leave."""

from itertools import pairwise

import numpy as np
import pytest

from pcaimage import codec
from pcaimage.codec import Step
from pcaimage.codec.linear import exact
from pcaimage.codec.linear.bands import BandsAnalysis
from pcaimage.codec.linear.exact import corrections
from pcaimage.codec.linear.statistics import spread_runs
from pcaimage.sampling import Bands
from tests.smooth import spectra


def cube(kind, height=64):
    return spectra(height, 70, 9, kind=kind, noise=7 * np.linspace(0.3, 2, 9))


def both(array, k, step, error, **how):
    """Return the estimate, and what it is an estimate of."""
    precision = error if array.dtype.kind == "f" else None
    analysis = codec.analyse(array, Bands(), max_error=precision, **how)
    assert isinstance(analysis, BandsAnalysis)
    model = codec.quantize(analysis, k, Step.nearest(step))
    encoding = codec.complete(array, analysis, model, max_error=error)
    assert encoding.compressed.residual is not None
    mse = float(np.nanmean(np.square(encoding.decoded().astype(float) - array)))
    return corrections(analysis, k, step, error), len(encoding.compressed.residual), mse


@pytest.mark.parametrize(
    ("kind", "k", "step", "error", "how"),
    [
        ("int16", 2, 40.0, 0.0, {}),
        ("int16", 1, 60.0, 5.0, {}),
        ("uint16", 4, 20.0, 2.0, {"standardize": False}),
        ("int16", 3, 2.0, 3.0, {"mnf": True}),
        ("int16", 3, 0.2, 3.0, {"standardize": True}),
        ("float32", 2, 0.04, 0.004, {}),
    ],
)
@pytest.mark.slow
def test_they_are_near_what_coding_finds(kind, k, step, error, how):
    found, n_bytes, mse = both(cube(kind), k, step, error, **how)
    assert found.n_bytes == pytest.approx(n_bytes, rel=0.04)
    assert found.mse == pytest.approx(mse, rel=0.06, abs=1e-12)


def test_what_was_not_measured_costs_nothing():
    array = cube("int16")
    array[5:40] = -1
    found, n_bytes, _ = both(array, 2, 40.0, 2.0, nodata=-1.0)
    assert found.n_bytes == pytest.approx(n_bytes, rel=0.06)


def test_some_lines_stand_for_all_of_a_large_image(monkeypatch):
    array = cube("int16", height=400)
    monkeypatch.setattr(exact, "SAMPLE_NUMBERS", 70 * 9 * 80)
    found, n_bytes, mse = both(array, 2, 40.0, 1.0)
    assert found.n_bytes == pytest.approx(n_bytes, rel=0.1)
    assert found.mse == pytest.approx(mse, rel=0.1)
    header = codec.analyse(array, Bands()).header
    runs = spread_runs(header, 70 * 9 * 80, exact.LEAST_LINES, exact.MOST_RUNS)
    assert len(runs) == 4
    assert sum(stop - start for start, stop in runs) == 80
    assert all(0 <= start < stop <= 400 for start, stop in runs)
    assert all(one[1] <= other[0] for one, other in pairwise(runs))

"""Bases of an image's own are the same on every machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pcaimage.codec.photo.own_bases import exact_moments

ROOT = Path(__file__).parents[4]

PROGRAM = """
import numpy as np
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.own_bases import own_bases
noise, (y, x) = np.random.default_rng(0), np.mgrid[0:300, 0:300]
for shift in range(3):
    smooth = 99 * np.sin(x / (7 + shift)) * np.cos(y / (5 + shift)) + 128
    array = (smooth + noise.normal(0, 4, smooth.shape)).clip(0, 255).astype(np.uint8)
    for bases in own_bases(PhotoAnalysis.fit(array)):
        print(bases.tolist())
"""


@pytest.mark.parametrize("peak", [1000, 1 << 22, 1 << 26])
def test_moments_are_exact(peak: int) -> None:
    planes = np.random.default_rng(1).integers(-peak, peak, (8, 8, 50)).astype(np.int32)
    whole = planes[1:].reshape(7, -1).astype(object)
    found = exact_moments(planes)
    assert np.array_equal(found[1:, 1:], (whole @ whole.T).astype(np.float64))
    assert not found[0].any()
    assert not found[:, 0].any()


@pytest.mark.slow
def test_bases_do_not_depend_on_the_kernels_of_the_blas() -> None:
    def told(kernels: str) -> str:
        changes = {"OPENBLAS_CORETYPE": kernels, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
        return subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, **changes},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout

    first = told("Prescott")
    assert first.count("\n") == 6
    assert told("Nehalem") == first

"""CCSDS 123.0-B-2, from samples to bits, and back."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.ccsds import Coded, Form, Integers, Sums, Tuning, decode, depth_of, encode
from benchmarks.ccsds_coding import (
    Adaptive,
    block_adaptive,
    from_hybrid,
    from_sample_adaptive,
    hybrid,
    sample_adaptive,
)

TUNINGS = (
    Tuning(),
    Tuning(error=1, damping=3, offset=5),
    Tuning(error=5, resolution=19, first=-6, last=9, interval=4),
    Tuning(error=300, resolution=4, damping=8, offset=7),
)
FORMS = [Form(previous, full, sums) for previous in (1, 3, 15) for full in (False, True) for sums in Sums]


@pytest.fixture(scope="module")
def cube() -> Integers:
    """Smooth spectra, of which some pixels are as dark or as bright as they can be."""
    random = np.random.default_rng(1)
    found = (np.cumsum(random.normal(size=(7, 9, 12)) * 30, axis=2) + 500).clip(0, 1023).astype(np.int64)
    found[0, 0, 3], found[3, 4], found[5] = 0, 1023, 0
    return found


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("twice", [False, True])
def test_indices_decode_to_values_within_the_error(cube: Integers, form: Form, *, twice: bool) -> None:
    for tuning, coded in zip(TUNINGS, encode(cube, form, TUNINGS, twice=twice), strict=True):
        decoded = decode(coded, cube.shape, depth_of(cube), form, tuning)
        assert np.array_equal(decoded, coded.values.reshape(cube.shape))
        assert np.abs(decoded - cube).max() <= tuning.error


@pytest.mark.parametrize("mean", [0.003, 0.05, 0.3, 1.5, 8, 300])
@pytest.mark.parametrize("pace", [(1, 4), (1, 6), (3, 9)])
def test_bits_decode_to_indices(mean: float, pace: tuple[int, int]) -> None:
    indices = (np.random.default_rng(2).exponential(mean, (700, 5)) * [1, 0.3, 2, 1, 4]).astype(np.int64)
    indices, coder = indices.clip(0, 1023), Adaptive(10, *pace)
    indices[0], indices[50, 2] = [5, 900, 0, 3, 1], 1000
    for found, read in ((sample_adaptive, from_sample_adaptive), (hybrid, from_hybrid)):
        fields = found(indices, coder)
        assert len(fields.text()) == fields.bits
        assert np.array_equal(read(fields.text(), len(indices), 5, coder), indices)


def test_blocks_of_zeros_take_few_bits_and_others_less_than_their_depth() -> None:
    zeros = np.zeros((64 * 32, 1), np.int64)
    # A label, one bit more for which of two kinds, and the word for all blocks to the end.
    assert block_adaptive(zeros, 10) == 4 + 1 + 5
    assert block_adaptive(zeros + 1023, 10) == 64 * (32 * 10 + 4)


def test_encode(benchmark: BenchmarkFixture, cube: Integers) -> None:
    def coded() -> list[Coded]:
        return list(encode(cube, FORMS[0], TUNINGS))

    benchmark(coded)

"""From an image to its components."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.photographs import Bytes
from benchmarks.stages import SAMPLING
from pcaimage.codec import Analysis
from pcaimage.sampling import Blocks, Channels, Sampling


def test_product(benchmark: BenchmarkFixture, photograph: Bytes) -> None:
    """XᵀX of the float32 matrix, the reference of all other times."""
    matrix = SAMPLING.to_samples(photograph).astype(np.float32)
    benchmark(lambda: matrix.T @ matrix)


@pytest.mark.parametrize("size", [4, 8, 16, 24])
def test_cutting(benchmark: BenchmarkFixture, photograph: Bytes, size: int) -> None:
    benchmark(Blocks(size).to_samples, photograph)


@pytest.mark.parametrize("size", [8, 16])
def test_joining(benchmark: BenchmarkFixture, photograph: Bytes, size: int) -> None:
    samples = Blocks(size).to_samples(photograph)
    benchmark(Blocks(size).from_samples, samples, photograph.shape)


@pytest.mark.parametrize("sampling", [Blocks(8), Blocks(16), Channels()], ids=str)
def test_fit(benchmark: BenchmarkFixture, photograph: Bytes, sampling: Sampling) -> None:
    benchmark(Analysis.fit, photograph, sampling)


def test_scores(benchmark: BenchmarkFixture, analysis: Analysis) -> None:
    benchmark(analysis.scores)

"""From components to bytes, and back."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import pcaimage
from benchmarks.photographs import Bytes
from pcaimage import Settings
from pcaimage.codec import Analysis, IntegerModel, RateModel, pack, unpack
from pcaimage.codec.linear.quantize import quantize as quantized


@pytest.fixture(scope="module", params=[8, 64])
def model(request: pytest.FixtureRequest, analysis: Analysis) -> IntegerModel:
    k: int = request.param
    return quantized(analysis, k, analysis.step_for(k))


@pytest.mark.parametrize("k", [8, 64])
def test_quantize(benchmark: BenchmarkFixture, analysis: Analysis, k: int) -> None:
    benchmark(quantized, analysis, k, analysis.step_for(k))


def test_reconstruct(benchmark: BenchmarkFixture, model: IntegerModel) -> None:
    benchmark(model.reconstruct)


def test_pack(benchmark: BenchmarkFixture, model: IntegerModel, analysis: Analysis) -> None:
    benchmark(pack, model, analysis.variances)


def test_unpack(benchmark: BenchmarkFixture, model: IntegerModel, analysis: Analysis) -> None:
    benchmark(unpack, pack(model, analysis))


@pytest.mark.parametrize("k", [8, 64])
def test_encode(benchmark: BenchmarkFixture, photograph: Bytes, k: int) -> None:
    benchmark(pcaimage.encode, photograph, Settings(k=k))


@pytest.mark.parametrize("k", [8, 64])
def test_decode(benchmark: BenchmarkFixture, photograph: Bytes, k: int) -> None:
    benchmark(pcaimage.decode, pcaimage.encode(photograph, Settings(k=k)))


def test_first_estimate(benchmark: BenchmarkFixture, analysis: Analysis) -> None:
    benchmark(lambda: RateModel(analysis).estimate(32))

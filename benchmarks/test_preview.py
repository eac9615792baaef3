"""Rendering of a picture for every frame of a drag."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.stages import VIEW
from pcaimage.codec import Analysis, Preview, Region


@pytest.mark.parametrize("k", [4, 48, 192])
@pytest.mark.parametrize("percent", [25, 50, 75, 100, 400])
def test_render(
    benchmark: BenchmarkFixture, analysis: Analysis, preview: Preview, percent: int, k: int
) -> None:
    scale, (height, width) = percent / 100, analysis.header.shape[:2]
    region = Region(0, 0, min(width, round(VIEW[0] / scale)), min(height, round(VIEW[1] / scale)))
    benchmark(preview.render, region, scale, k, step=float(analysis.step_for(k)))

"""Fixtures of the timed functions."""

from __future__ import annotations

import pytest

from benchmarks.photographs import Bytes, made_photograph
from benchmarks.stages import SAMPLING
from pcaimage.codec import Analysis, Preview


@pytest.fixture(scope="session")
def photograph() -> Bytes:
    """Six megapixels with the statistics of a photograph."""
    return made_photograph(2000, 3000)


@pytest.fixture(scope="session")
def analysis(photograph: Bytes) -> Analysis:
    """Return the components of the photograph."""
    return Analysis.fit(photograph, SAMPLING)


@pytest.fixture(scope="session")
def preview(analysis: Analysis) -> Preview:
    """Return the renderer of the photograph."""
    return Preview.of_analysis(analysis)

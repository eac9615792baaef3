"""Photographs that the codec's tests share."""

import numpy as np
import pytest
from skimage import data

from pcaimage.codec import Analysis, RateModel
from pcaimage.sampling import Blocks


@pytest.fixture(scope="session")
def astronaut():
    return np.ascontiguousarray(data.astronaut()[:176, 100:276])


@pytest.fixture
def thorough(monkeypatch):
    """Leave out next to nothing of what photos are shown with."""
    monkeypatch.setattr("pcaimage.codec.photo.screen.preview.NEGLIGIBLE", 0.003)


@pytest.fixture(scope="session")
def fitted(astronaut):
    analysis = Analysis.fit(astronaut, Blocks(8))
    return astronaut, analysis, RateModel(analysis)

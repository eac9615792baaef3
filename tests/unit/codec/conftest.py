"""Photographs that the codec's tests share."""

import numpy as np
import pytest
from skimage import data

from pcaimage.codec import Analysis, RateModel
from pcaimage.sampling import Blocks


@pytest.fixture(scope="session")
def astronaut():
    return np.ascontiguousarray(data.astronaut()[:176, 100:276])


@pytest.fixture(scope="session")
def fitted(astronaut):
    analysis = Analysis.fit(astronaut, Blocks(8))
    return astronaut, analysis, RateModel(analysis)

import numpy as np
import pytest

from pcaimage.errors import DataError
from pcaimage.imaging.measures.metrics import Ssimulacra


def test_more_noise_scores_less_and_grey_counts_as_three_equal_channels(smooth):
    noise = np.random.default_rng(1).normal(0, 1, smooth.shape)
    noisy = [np.clip(smooth + noise * much, 0, 255).astype(np.uint8) for much in (0, 1, 4, 16, 64)]
    found = [Ssimulacra(smooth).score(each) for each in noisy]
    assert found == sorted(found, reverse=True)
    assert found[0] == 100
    assert found[1] > 80 + found[-1] / 2
    grey = smooth[..., :1]
    thrice = Ssimulacra(np.repeat(grey, 3, axis=2)).score(np.repeat(grey // 2, 3, axis=2))
    assert Ssimulacra(grey).score(grey // 2) == pytest.approx(thrice)


def test_what_is_tiny_is_measured_and_other_shapes_are_refused():
    dot = np.full((1, 1, 3), 90, np.uint8)
    assert Ssimulacra(dot).score(dot) == 100 > Ssimulacra(dot).score(255 - dot)
    with pytest.raises(DataError, match="cannot be compared"):
        Ssimulacra(dot).score(np.zeros((2, 1, 3), np.uint8))

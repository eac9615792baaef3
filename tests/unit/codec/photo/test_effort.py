"""The effort of a photo's encoder: what it costs and saves is the encoder's matter alone."""

import numpy as np
import pytest

import pcaimage
from pcaimage import Settings, container
from pcaimage.codec import Basis, Effort
from pcaimage.errors import SettingsError
from pcaimage.imaging import psnr
from pcaimage.sampling import Lapped


def stripes(height, width):
    """Return slanted stripes in some noise."""
    y, x = np.indices((height, width))
    random = np.random.default_rng(3)
    wave = 120 + 60 * np.sin(x / 5 + y / 9) + random.normal(0, 6, (height, width))
    return np.clip(wave[..., None] * [1, 0.8, 0.6], 0, 255).astype(np.uint8)


def encoded(array, **settings):
    return pcaimage.encode(array, Settings(Lapped(), **settings))


@pytest.mark.slow
def test_fast_files_have_independent_scores_and_standard_ones_are_smaller():
    array = stripes(96, 128)
    fast, standard = (encoded(array, psnr=44.0, effort=effort) for effort in (Effort.FAST, Effort.STANDARD))
    assert not container.read(fast).header.dependent
    assert container.read(standard).header.dependent
    assert len(standard) < len(fast)
    for file in (fast, standard):
        assert 44 <= psnr(array, pcaimage.decode(file)) <= 44.1


@pytest.mark.slow
def test_fast_files_keep_within_their_size_or_are_lossless_and_have_own_components_only_if_asked():
    array = stripes(64, 96)
    assert 0.9 * 2500 < len(encoded(array, size=2500, effort=Effort.FAST)) <= 2500
    array = stripes(24, 32)
    file = encoded(array, lossless=True, effort=Effort.FAST)
    assert np.array_equal(pcaimage.decode(file), array)
    fast = encoded(array, step=10.0, effort=Effort.FAST)
    assert fast == encoded(array, step=10.0, effort=Effort.FAST, basis=Basis.BUILTIN)
    assert fast != encoded(array, step=10.0, effort=Effort.FAST, basis=Basis.OWN)
    with pytest.raises(SettingsError, match="The effort is one of fast, standard, best"):
        Settings(effort="slow")


@pytest.mark.parametrize("own", [False, True])
def test_best_tries_components_of_the_image_s_own(own):
    # Blocks of checks of the finest kind are what no photograph looks like.
    array = np.kron(np.indices((32, 48)).sum(axis=0) % 2, np.ones((3, 3))) * 150 if own else stripes(40, 56)
    array = array.astype(np.uint8)
    best = encoded(array, step=10.0, effort=Effort.BEST)
    basis = Basis.OWN if own else Basis.BUILTIN
    assert best == encoded(array, step=10.0, effort=Effort.BEST, basis=basis)

"""The effort of a photo's encoder: what it costs and saves is the encoder's matter alone."""

import numpy as np
import pytest
from skimage import data

import pcaimage
from pcaimage import Settings, container
from pcaimage.codec import Basis, Effort, Step, Tune
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import quantize
from pcaimage.codec.photo.layout import UNIT
from pcaimage.codec.photo.slices import DEPENDENT_PRICE
from pcaimage.codec.photo.strengths import SHARE, foreseen
from pcaimage.errors import SettingsError
from pcaimage.imaging import psnr
from pcaimage.quality import squared_error
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


@pytest.mark.slow
@pytest.mark.parametrize("step", [25.0, 40.0])
def test_best_foresees_what_shrinkage_adds(step):
    array = data.astronaut()  # of a small part, chance would decide
    price = 8 * DEPENDENT_PRICE * step**2  # the squared error that a byte is worth
    losses = []
    for effort in (Effort.BEST, Effort.STANDARD):
        file = encoded(array, step=step, effort=effort, basis=Basis.BUILTIN, tune=Tune.PSNR)
        losses.append(squared_error(array, pcaimage.decode(file)) + price * len(file))
    assert losses[0] < 0.9997 * losses[1]


def test_what_shrinkage_adds_is_taken_from_scores_in_part():
    array = np.ascontiguousarray(data.astronaut()[20:84, 160:256])
    analysis = PhotoAnalysis.fit(array)
    model = quantize(analysis, 150, Step.nearest(30.0))
    found = foreseen(analysis, model)
    added = model.reconstruct().astype(np.float64) - model.unshrunk.reconstruct()
    taken = (analysis.planes - found.planes.astype(np.float64)) * UNIT
    assert not taken[::64].any()
    assert 0.85 < np.sum(taken**2) / np.sum((SHARE * added) ** 2) < 1.05
    assert foreseen(analysis, model.unshrunk) is analysis

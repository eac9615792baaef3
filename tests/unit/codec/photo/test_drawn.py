"""Tiles of photos that are drawn from their neighbours."""

from dataclasses import replace

import numpy as np
import pytest

import pcaimage
from pcaimage import container
from pcaimage.choices import Effort
from pcaimage.codec import Settings, Step, methods
from pcaimage.codec.compressed import DRAWN, TILED
from pcaimage.codec.photo import coding
from pcaimage.codec.photo.aims.rates import PhotoRates
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import holds
from pcaimage.codec.photo.drawing import USUAL, together, transformed
from pcaimage.codec.photo.tiles.drawn import Drawn
from pcaimage.codec.photo.tiles.tiles import flatness, grid_of
from pcaimage.quality import mean_squared_error, psnr_of_mse
from pcaimage.sampling import Lapped
from tests.golden.make import drawn, ribbons
from tests.reference.photo import decode as decoded_by_reference

RANDOM = np.random.default_rng(8)


def every(image):
    return np.ones(grid_of(image.shape), np.bool_)


def photo(image, step, chosen):
    """Return a photo some of whose tiles are drawn."""
    analysis, found = PhotoAnalysis.fit(image), flatness(image)
    known = {"cascade": analysis.cascade, "header": analysis.header, "levels": chosen.astype(np.uint8)}
    analysis = replace(analysis, graphic=Drawn(image, found, chosen, **known))
    return coding.quantize(analysis, analysis.k_for_step(step), Step.nearest(step))


IMAGES = {
    "ribbons": (ribbons(70, 133, 3), 30.0),
    "four channels": (ribbons(33, 30, 4), 7.0),
    "noise": (RANDOM.integers(0, 256, (20, 67, 3), np.uint8), 0.2),
    "one pixel": (np.full((1, 1, 3), 200, np.uint8), 20.0),
    "one column of two channels": (ribbons(140, 1, 2), 3.0),
}


@pytest.mark.parametrize("name", IMAGES)
def test_photos_decode_to_what_was_drawn(name):
    image, step = IMAGES[name]
    model = photo(image, step, every(image))
    assert np.array_equal(pcaimage.decode(container.write(coding.pack(model))), model.tiles.image)
    assert mean_squared_error(image, model.tiles.image) < max(step, 1) ** 2 / 2


def test_some_tiles_are_drawn_and_the_others_are_transformed():
    image = ribbons(150, 133, 3)
    chosen = np.array([[True, False, True], [False, False, True], [True, True, False]])
    model = photo(image, 20.0, chosen)
    packed = container.read(container.write(coding.pack(model)))
    assert coding.unpack(packed).same_as(model)
    inside = np.kron(chosen, np.ones((64, 64), np.bool_))[:150, :133]
    found = pcaimage.decode(container.write(packed))
    assert np.array_equal(found[inside], model.tiles.image[inside])
    assert psnr_of_mse(mean_squared_error(image, found), 255) > 30


def test_an_independent_decoder_draws_the_same():
    image = ribbons(100, 150, 3)
    image[20:50, 20:50] = RANDOM.integers(0, 256, (30, 30, 3))
    data = drawn(image, 25.0, in_part=True)
    assert np.array_equal(decoded_by_reference(data).pixels, pcaimage.decode(data))


def test_tiles_of_one_kind_keep_together():
    cheap, dear = np.full((6, 9), 100.0), np.full((6, 9), 130.0)
    chosen, cost = together(cheap, dear)
    assert chosen.all()
    assert cost == pytest.approx(5400)
    dear[:, 5:] = 20
    chosen, cost = together(cheap, dear)
    assert np.array_equal(chosen, np.broadcast_to(np.arange(9) < 5, (6, 9)))
    assert cost > np.minimum(cheap, dear).sum()
    dear[2, 2] = 95  # it would save less than its four borders cost
    assert np.array_equal(together(cheap, dear)[0], chosen)
    assert not together(dear, cheap * 0.1)[0].any()


def test_costs_of_a_photo_are_estimated():
    image = np.clip(ribbons(192, 256, 3) + RANDOM.normal(0, 6, (192, 256, 3)), 0, 255).astype(np.uint8)
    analysis = replace(PhotoAnalysis.fit(image), graphic=None)
    model = coding.quantize(analysis, analysis.k_for_step(24.0), USUAL)
    cost = model.mean_squared_error(image) * image.size / 24**2 + 0.11 * 8 * sum(map(len, model.segments))
    found = transformed(analysis.planes, analysis)
    assert found.shape == grid_of(image.shape)
    assert found.sum() == pytest.approx(cost, rel=0.25)


def analysed(image, effort=Effort.STANDARD):
    return methods.analyse(image, Lapped(), effort=effort)


@pytest.fixture(scope="module")
def large():
    return analysed(ribbons(256, 320, 3))


def test_clean_edges_are_drawn_where_that_is_worth_it(large):
    assert isinstance(large.graphic, Drawn)
    textured = np.clip(ribbons(256, 256, 3) + RANDOM.normal(0, 25, (256, 256, 3)), 0, 255).astype(np.uint8)
    assert analysed(textured).graphic is None
    best = analysed(textured, Effort.BEST)
    assert coding.quantize(best, 40, Step.nearest(16.0)).tiles is None
    assert coding.quantize(best, 40, Step.nearest(128.0)).tiles.whole
    assert analysed(large.graphic.image, Effort.FAST).graphic is None
    assert analysed(RANDOM.integers(0, 256, (512, 576, 3), np.uint8)).graphic is None
    assert analysed(ribbons(512, 576, 3)).graphic.whole


def test_edges_beside_texture_are_drawn_alone():
    image, noise = ribbons(320, 384, 3), RANDOM.normal(0, 30, (320, 192))
    smoothed = sum(np.roll(noise, place, (0, 1)) for place in np.ndindex(3, 3)) / 3
    image[:, 192:] = np.clip(128 + smoothed, 0, 255)[..., np.newaxis]
    analysis = analysed(image)
    assert np.array_equal(analysis.graphic.chosen, np.broadcast_to(np.arange(6) < 3, (5, 6)))
    model = coding.quantize(analysis, analysis.k_for_step(30.0), Step.nearest(30.0))
    data = container.write(coding.pack(model))
    whole, few = pcaimage.decode(data), pcaimage.decode(data, k=3)
    assert np.array_equal(whole[:, :192], few[:, :192])
    errors = [mean_squared_error(image[:, 192:], found[:, 192:]) for found in (few, whole)]
    assert errors[0] > errors[1]


def test_drawn_photos_have_less_error_and_fewer_bytes_as_is_estimated(large):
    image, step = large.graphic.image, Step.nearest(30.0)
    model = coding.quantize(large, large.k_for_step(30.0), step)
    plain = coding.quantize(replace(large, graphic=None), model.k, step)
    assert model.header.tools & (DRAWN | TILED) == DRAWN | TILED
    data, error = container.write(coding.pack(model)), model.mean_squared_error(image)
    n_bytes, squares = len(container.write(coding.pack(plain))), plain.mean_squared_error(image)
    assert error + len(data) / 310 < 0.9 * (squares + n_bytes / 310)
    packed = container.read(data)
    assert holds(packed, model)
    assert coding.unpack(packed).same_as(model)
    assert np.array_equal(pcaimage.decode(data), model.reconstruct())
    found = PhotoRates(large).sampled(model.k, 30.0)
    assert found.n_bytes == pytest.approx(len(data), rel=0.1)
    assert found.psnr == pytest.approx(psnr_of_mse(error, 255), abs=0.2)


def test_targets_are_reached():
    image, usual = ribbons(256, 256, 3), Settings()
    found = pcaimage.decode(pcaimage.encode(image, replace(usual, psnr=36.0)))
    assert 36 <= psnr_of_mse(mean_squared_error(image, found), 255) < 36.6
    assert len(pcaimage.encode(image, replace(usual, size=2500))) <= 2500
    assert np.array_equal(pcaimage.decode(pcaimage.encode(image, replace(usual, lossless=True))), image)

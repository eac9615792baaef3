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
from pcaimage.codec.photo.drawing import coherence
from pcaimage.codec.photo.tiles.drawn import Drawn, encode_drawn
from pcaimage.codec.photo.tiles.tiles import flatness, grid_of
from pcaimage.quality import mean_squared_error, psnr_of_mse
from pcaimage.sampling import Lapped
from tests.golden.make import ribbons
from tests.reference.drawn import drawn as drawn_by_reference

RANDOM = np.random.default_rng(8)


def every(image):
    return np.ones(grid_of(image.shape), np.bool_)


def cascade_of(image):
    return PhotoAnalysis.fit(image).cascade


def photo(image, step, chosen):
    """Return a photo some of whose tiles are drawn."""
    analysis, found = PhotoAnalysis.fit(image), flatness(image)
    analysis = replace(analysis, graphic=Drawn(image, found, chosen, cascade=analysis.cascade))
    return coding.quantize(analysis, analysis.k_for_step(step), Step.nearest(step))


IMAGES = {
    "ribbons": (ribbons(70, 133, 3), 30.0),
    "grey": (ribbons(66, 40, 1), 12.0),
    "two channels": (ribbons(20, 65, 2), 50.0),
    "four channels": (ribbons(33, 30, 4), 7.0),
    "noise": (RANDOM.integers(0, 256, (20, 67, 3), np.uint8), 0.2),
    "one pixel": (np.full((1, 1, 3), 200, np.uint8), 20.0),
    "one column": (ribbons(140, 1, 1), 3.0),
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
    image = ribbons(70, 133, 3)
    image[20:50, 20:50] = RANDOM.integers(0, 256, (30, 30, 3))
    chosen = np.array([[True, False, True], [True, True, False]])
    cascade = cascade_of(image)
    coded = encode_drawn(image, chosen, cascade, 25.0, 0.11)
    pixels, tiles = drawn_by_reference(coded.data[4:], image.shape, 400, cascade.mean, cascade.rotation)
    assert np.array_equal(tiles, chosen)
    inside = np.kron(chosen, np.ones((64, 64), np.bool_))[:70, :133]
    assert np.array_equal(pixels[inside], coded.image[inside])


def test_any_bytes_decode_to_something():
    packed = coding.pack(photo(ribbons(70, 90, 3), 50.0, np.ones((2, 2), np.bool_)))
    for size in (0, 3, 500):
        data = size.to_bytes(4, "little") + RANDOM.integers(0, 256, size, np.uint8).tobytes()
        assert pcaimage.decode(container.write(replace(packed, tiles=data))).shape == (70, 90, 3)


def test_coherence_tells_edges_from_texture():
    assert coherence(ribbons(128, 128, 1)[..., 0]) > 0.7
    assert coherence(RANDOM.integers(0, 256, (128, 128), np.uint8)) < 0.55
    assert coherence(np.full((64, 64), 7, np.uint8)) == 0.0


def analysed(image, effort=Effort.BEST):
    return methods.analyse(image, Lapped(), effort=effort)


@pytest.fixture(scope="module")
def large():
    return analysed(ribbons(256, 320, 3))


def test_clean_edges_are_drawn_where_that_is_worth_it(large):
    assert isinstance(large.graphic, Drawn)
    textured = np.clip(ribbons(256, 256, 3) + RANDOM.normal(0, 25, (256, 256, 3)), 0, 255)
    assert analysed(textured.astype(np.uint8)).graphic is None
    assert analysed(large.graphic.image, Effort.STANDARD).graphic is None


def test_drawn_photos_have_less_error_and_fewer_bytes(large):
    image, step = large.graphic.image, Step.nearest(30.0)
    model = coding.quantize(large, large.k_for_step(30.0), step)
    plain = coding.quantize(replace(large, graphic=None), model.k, step)
    assert model.header.tools & DRAWN
    assert model.header.tools & TILED
    first, second = (
        each.mean_squared_error(image) * image.size
        + 0.11 * 30.0**2 * 8 * len(container.write(coding.pack(each)))
        for each in (model, plain)
    )
    assert first < 0.9 * second
    packed = container.read(container.write(coding.pack(model)))
    assert holds(packed, model)
    assert coding.unpack(packed).same_as(model)
    assert np.array_equal(pcaimage.decode(container.write(packed)), model.reconstruct())


def test_size_and_error_are_estimated(large):
    model = coding.quantize(large, large.k_for_step(30.0), Step.nearest(30.0))
    found = PhotoRates(large).sampled(model.k, 30.0)
    assert found.n_bytes == pytest.approx(len(container.write(coding.pack(model))), rel=0.1)
    psnr = psnr_of_mse(model.mean_squared_error(large.graphic.image), 255)
    assert found.psnr == pytest.approx(psnr, abs=0.2)


def test_targets_are_reached():
    image, best = ribbons(256, 256, 3), Settings(effort=Effort.BEST)
    found = pcaimage.decode(pcaimage.encode(image, replace(best, psnr=36.0)))
    assert 36 <= psnr_of_mse(mean_squared_error(image, found), 255) < 36.6
    assert len(pcaimage.encode(image, replace(best, size=2500))) <= 2500
    assert np.array_equal(pcaimage.decode(pcaimage.encode(image, replace(best, lossless=True))), image)

"""Tiles of photos that are coded by prediction among pixels."""

from dataclasses import replace
from weakref import ref

import numpy as np
import pytest

import pcaimage
from pcaimage import container
from pcaimage.codec import Compressed, Header, Settings, Step, methods
from pcaimage.codec.compressed import DEPENDENT, TILED
from pcaimage.codec.photo import coding
from pcaimage.codec.photo.aims.rates import PhotoRates
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import holds, quantize_checked
from pcaimage.codec.photo.method import EXACT_TILES
from pcaimage.codec.photo.screen.preview import PhotoPreview
from pcaimage.codec.photo.tiled import kept_exact
from pcaimage.codec.photo.tiles.graphics import concealed, filled
from pcaimage.codec.photo.tiles.tiles import TILE, Tiles, encode_tiles, flatness, grid_of
from pcaimage.codec.view import Drawing, Region
from pcaimage.errors import Cancelled, FormatError, SettingsError
from pcaimage.sampling import Lapped
from tests.golden.make import drawing
from tests.stop import stop
from tests.unit.codec.photo.corrections import mean

RANDOM = np.random.default_rng(3)


def decode_tiles(data, shape):
    """Decode tiles as those of a file whose components are none."""
    header = Header(shape, "uint8", Lapped(), Step.nearest(64.0), tables=1, tools=DEPENDENT | TILED)
    return coding.unpack(Compressed(header, mean(shape[2]), (), tiles=data)).tiles


def every(image):
    return np.ones(grid_of(image.shape), np.bool_)


IMAGES = {
    "drawing": drawing(70, 133, 3),
    "grey": drawing(66, 40, 1),
    "two channels": drawing(20, 65, 2),
    "four channels": drawing(33, 30, 4),
    "noise": RANDOM.integers(0, 256, (20, 67, 3), np.uint8),
    "one pixel": np.full((1, 1, 3), 200, np.uint8),
    "one column": drawing(140, 1, 1),
}


@pytest.mark.parametrize("name", IMAGES)
def test_tiles_come_back_exactly(name):
    image = IMAGES[name]
    coded = encode_tiles(image, every(image))
    assert np.array_equal(coded.image, image)
    assert decode_tiles(coded.data, image.shape).same_as(coded)
    with pytest.raises(Cancelled):
        encode_tiles(image, every(image), progress=stop)


def test_only_chosen_tiles_are_coded():
    image = drawing(70, 133, 3)
    chosen = np.array([[True, False, True], [False, False, True]])
    coded = encode_tiles(image, chosen)
    assert np.array_equal(coded.chosen, chosen)
    assert np.array_equal(coded.costs > 0, chosen)
    assert coded.costs.sum() == pytest.approx(8 * len(coded.data), rel=0.05)
    found = decode_tiles(coded.data, image.shape)
    lines = np.zeros_like(image)
    found.paint(lines, 0)
    inside = np.kron(chosen, np.ones((TILE, TILE), bool))[:70, :133]
    assert np.array_equal(lines, np.where(inside[..., None], image, 0))
    part = np.zeros((9, 133, 3), np.uint8)
    found.paint(part, 61)
    assert np.array_equal(part, lines[61:70])


def test_rounded_colours_are_close_and_cheaper():
    image = drawing(64, 64, 3)
    soft = np.clip(image + RANDOM.integers(-9, 10, image.shape) * (RANDOM.random((64, 64, 1)) < 0.2), 0, 255)
    exact = encode_tiles(soft.astype(np.uint8), every(image))
    for price in (0.0, 40.0):
        coded = encode_tiles(soft.astype(np.uint8), every(image), 16.0, price)
        assert len(coded.data) < 0.8 * len(exact.data)
        assert np.square(coded.image.astype(float) - soft).mean() < 16**2 / 4
        assert np.array_equal(decode_tiles(coded.data, image.shape).image, coded.image)


def test_any_bytes_decode_to_something_but_lengths_that_do_not_fit_are_refused():
    for size in (0, 3, 50):
        data = RANDOM.integers(0, 256, size, np.uint8).tobytes()
        for shape in ((9, 70, 3), (65, 3, 1)):
            found = decode_tiles(size.to_bytes(4, "little") + data, shape)
            assert found.image.shape == shape
    for data in (b"", b"\1\0\0\0", b"\0\0\0\0\0", b"\xff\xff\xff\xff"):
        with pytest.raises(FormatError, match="tiles are damaged"):
            decode_tiles(data, (9, 9, 3))


def test_flat_shares_count_pixels_that_are_as_their_neighbours():
    image = RANDOM.integers(0, 256, (100, 70, 3), np.uint8)
    image[:64, :64] = 7
    image[64:, :64] = np.arange(36)[:, None, None]
    found = flatness(image)
    shares = found.repeated / found.sizes
    assert shares[0, 0] == pytest.approx(1, abs=0.001)
    assert shares[1, 0] == pytest.approx(63 / 64, abs=0.01)
    assert shares[0, 1] < 0.02
    assert found.sizes.sum() == 7000
    assert found.new[0].tolist() == [1, 64 * 6]


def test_cut_tiles_are_filled_without_edges():
    image = np.full((128, 200, 3), 90, np.uint8)
    image[:64, 64:128] = RANDOM.integers(0, 256, (64, 64, 3), np.uint8)
    cut = np.zeros((2, 4), np.bool_)
    cut[0, 1] = True
    assert (filled(image, cut) == 90).all()
    whole = filled(image, np.ones_like(cut))
    assert (whole == whole[0, 0]).all()


def quantized(array, step=30.0):
    analysis = PhotoAnalysis.fit(array)
    return analysis, coding.quantize(analysis, analysis.k_for_step(step), Step.nearest(step))


@pytest.mark.slow
def test_flat_tiles_of_a_photo_are_coded_apart():
    image = drawing(128, 133, 3)
    analysis, model = quantized(image)
    assert model.header.tools & TILED
    assert not model.tiles.chosen[0, 1]
    assert model.tiles.chosen[:, 0].all()
    plain = coding.quantize(replace(analysis, graphic=None), model.k, model.header.step)
    first, second = (
        each.mean_squared_error(image) * image.size
        + 0.11 * 30.0**2 * 8 * len(container.write(coding.pack(each)))
        for each in (model, plain)
    )
    assert first < 0.95 * second
    packed = container.read(container.write(coding.pack(model)))
    assert holds(packed, model)
    assert coding.unpack(packed).same_as(model)
    assert np.array_equal(methods.decompress(packed), model.reconstruct())
    again = quantize_checked(analysis, model.k, model.header.step, image, proven=True)
    assert again.same_as(model)
    assert again.mean_squared_error(image) == pytest.approx(model.mean_squared_error(image))


@pytest.mark.slow
def test_tiles_belong_to_every_k():
    image = drawing(64, 133, 3)
    data = container.write(coding.pack(quantized(image)[1]))
    whole, few = (coding.unpack(container.read(data), k) for k in (None, 3))
    inside = np.repeat(np.repeat(whole.tiles.chosen, TILE, axis=0), TILE, axis=1)[:64, :133]
    assert np.array_equal(whole.reconstruct()[inside], few.reconstruct()[inside])
    trimmed = coding.unpack(container.read(container.trim(data, 3)))
    assert np.array_equal(trimmed.reconstruct(), few.reconstruct())


def test_noise_stays_with_the_photo_and_sameness_is_of_bytes_and_pixels():
    noise, image = RANDOM.integers(0, 256, (70, 70, 3), np.uint8), drawing(70, 70, 3)
    assert PhotoAnalysis.fit(noise).graphic is None
    assert PhotoAnalysis.fit(image.astype(np.uint16)).graphic is None
    one, other = encode_tiles(image, every(image)), encode_tiles(255 - image, every(image))
    assert not one.same_as(other)
    assert not one.same_as(Tiles(one.data, ~one.chosen, one.image))


@pytest.mark.parametrize("size", [(60, 50), (70, 133)])
def test_lossless_graphics_come_back_and_tell_how_far_they_are(size):
    image, done = drawing(*size, 3), list[float]()
    analysis, model = quantized(image, 128.0)
    method = methods.method_of(model.header.sampling)
    encoding = method.complete(image, model, analysis, None, 0.0, lambda now, total: done.append(now / total))
    packed = container.read(container.write(encoding.compressed))
    assert packed.residual is not None
    assert np.array_equal(np.concatenate(list(methods.decode_strips(packed))), image)
    assert np.array_equal(methods.decompress(packed), image)
    assert size == (60, 50) or any(0 < share < EXACT_TILES for share in done)
    assert done == sorted(done)
    assert done[-1] == 1


def test_an_image_that_may_be_all_tiles_stays_so_unless_others_save_much():
    bits, possible = np.array([[900.0, 5000.0], [900.0, 900.0]]), np.ones((2, 2), np.bool_)
    little, much = np.where(bits > 1000, 4000.0, 1000.0), np.where(bits > 1000, 500.0, 1000.0)
    assert kept_exact(bits, little, possible).all()
    assert kept_exact(bits, much, possible).tolist() == [[True, False], [True, True]]
    possible[1, 1] = False
    assert kept_exact(bits, little, possible).tolist() == [[True, False], [True, False]]


def test_headers_chunks_and_corrections_must_agree_on_tiles():
    packed = coding.pack(quantized(drawing(70, 133, 3))[1])
    with pytest.raises(FormatError, match="missing"):
        coding.unpack(replace(packed, residual=b""))
    header = packed.header
    plain, deep = replace(header, tools=header.tools & ~TILED), replace(header, dtype="uint16")
    for wrong in ({"tiles": None}, {"header": plain}, {"header": deep}):
        with pytest.raises(SettingsError):
            container.write(replace(packed, **wrong))


@pytest.mark.slow
def test_pictures_of_a_file_show_its_tiles():
    image = drawing(128, 133, 3)
    packed = coding.pack(quantized(image)[1])
    preview = PhotoPreview.of(coding.unpack(packed))
    exact = coding.unpack(packed).reconstruct()
    whole = Region(0, 0, 133, 128)
    shown = preview.render(whole, 1.0, packed.k)
    assert np.array_equal(shown.pixels[:128, :60], exact[:, :60])
    for scale, size in ((0.5, 2), (0.125, 8), (0.0625, 16)):
        small = preview.render(whole, scale, packed.k).pixels
        mean = exact[:, :48].reshape(128 // size, size, 48 // size, size, 3).mean(axis=(1, 3))
        assert np.abs(small[: len(mean), : 48 // size] - mean).max() <= 1
    grey = preview.render(whole, 1.0, packed.k, Drawing(bands=(1,), white=510.0)).pixels
    assert np.abs(grey[:128, :60, 0] - exact[:, :60, 1] / 2.0).max() <= 1


def window():
    """Return a picture like that of a program's window: ground, letters, lines, and part of a photograph."""
    random = np.random.default_rng(5)
    image = np.full((128, 128, 3), (240, 240, 235), np.uint8)
    letters = [random.integers(0, 256, (7, 3, 1), np.uint8) for _ in range(6)]
    for row in range(8, 120, 12):
        for column in range(8, 120, 9):
            image[row : row + 7, column : column + 3] = letters[random.integers(6)]
    image[:64, :64] = drawing(64, 128, 3)[:, 64:]
    return image


def test_estimates_count_tiles():
    image = window()
    analysis = PhotoAnalysis.fit(image)
    assert analysis.graphic.chosen.tolist() == [[False, True], [True, True]]
    rates, k = PhotoRates(analysis), analysis.k_for_step(30.0)
    model = coding.quantize(analysis, k, Step.nearest(30.0))
    size = len(container.write(coding.pack(model)))
    for found in (rates.sampled(k, 30.0), rates.estimate(k, 30.0)):
        assert found.n_bytes == pytest.approx(size, rel=0.12)
        assert found.mse == pytest.approx(model.mean_squared_error(image), rel=0.3)


def test_scores_beside_tiles_are_released_before_checking_and_found_again():
    array = window()
    analysis = PhotoAnalysis.fit(array)
    before = analysis.rest.planes.copy()
    kept = ref(analysis.rest.planes)
    step = Step.nearest(20)
    model = quantize_checked(analysis, analysis.k_for_step(20), step, array, proven=False)
    assert kept() is None
    assert np.array_equal(analysis.rest.planes, before)
    assert model.same_as(quantize_checked(analysis, model.k, step, array, proven=False))


@pytest.mark.slow
def test_a_size_is_kept_with_tiles_and_text_alone_is_exact_whatever_is_asked():
    assert 2700 <= len(pcaimage.encode(window(), Settings(size=3000))) <= 3000
    image = window()[64:]
    assert np.array_equal(pcaimage.decode(pcaimage.encode(image, Settings(psnr=38.0))), image)


@pytest.mark.parametrize("image", [drawing(20, 30, 3), RANDOM.integers(0, 256, (20, 30, 3), np.uint8)])
def test_only_colours_that_are_not_seen_are_changed(image):
    made = concealed(image, np.where(np.arange(30) < 12, 0, image[..., 0] | 1).astype(np.uint8))
    assert np.array_equal(made[:, 12:], image[:, 12:])
    assert made[:, :12].std() < 40


def test_pictures_of_an_analysis_show_tiles_at_a_step_and_components_alone_without_one():
    image = drawing(128, 133, 3)
    analysis = PhotoAnalysis.fit(image)
    preview, whole = PhotoPreview.of(analysis), Region(0, 0, 133, 128)
    tiled, plain = (preview.render(whole, 1.0, 1, Drawing(step)).pixels[:128, :60] for step in (20.0, None))
    assert np.array_equal(tiled, image[:, :60])
    assert not np.array_equal(plain, image[:, :60])
    model = coding.quantize(analysis, 1, Step.nearest(20.0))
    assert model.tiles is not None
    again = preview.render(whole, 1.0, 1, Drawing(step=20.0)).pixels
    assert np.array_equal(again[:128, :60], model.reconstruct()[:, :60])


def test_a_sample_tells_how_tiles_of_a_large_image_are_coded(monkeypatch):
    image = drawing(256, 60, 3)
    analysis = PhotoAnalysis.fit(image)
    whole = analysis.graphic.coded(40.0)
    monkeypatch.setattr("pcaimage.codec.photo.tiles.graphics.SLICE_PIXELS", 2 * TILE * 60)
    graphic = PhotoAnalysis.fit(image).graphic
    assert graphic.coded(40.0).same_as(whole)
    assert len(whole.data) / 2 < graphic.costs(40.0).n_bytes < 2 * len(whole.data)
    assert graphic.costs(0.6).squares == 0

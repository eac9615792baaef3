"""The look of an image of many bands: the bands that are shown, and their stretch."""

from dataclasses import replace

import numpy as np
import pytest

from pcaimage.codec import Region
from pcaimage.gui.session.display import Display, Layers, Look, display_of, first_look, offered
from pcaimage.gui.session.requests import Choose, ShowBands
from pcaimage.insight.bands import BandNames

VISIBLE = BandNames(61, tuple(400.0 + 10 * n for n in range(61)))


def cube(channels=9, dtype="uint16"):
    rng = np.random.default_rng(0)
    base = rng.integers(20, 120, (40, 50, 1)) * np.linspace(1, 1.2, channels)
    return (base + rng.normal(0, 3, (40, 50, channels)) + 10 * np.arange(channels)).clip(0, 255).astype(dtype)


@pytest.mark.slow
def test_percentiles_of_each_band_become_black_and_white():
    pixels = cube()
    display = display_of(Look("own", (8, 3, 0), (2.0, 98.0)), BandNames(9), pixels)
    shown = display.to_bytes(pixels).astype(float)
    for colour, band in enumerate((8, 3, 0)):
        black, white = np.percentile(pixels[..., band], (2, 98))
        expected = np.clip((pixels[..., band] - black) / (white - black), 0, 1) * 255
        assert shown[..., colour] == pytest.approx(expected, abs=1)
    assert 0.03 < (shown == 255).mean() + (shown == 0).mean() < 0.07


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32"])
def test_every_type_can_be_stretched_and_the_full_range_clips_nothing(dtype):
    pixels = cube(5, dtype)
    shown = display_of(Look(), BandNames(5), pixels).to_bytes(pixels)
    assert (shown.dtype, shown.shape, shown.min(), shown.max()) == (np.uint8, (40, 50, 3), 0, 255)
    full, band = display_of(Look("own", (4, 2, 0), (0.0, 100.0)), BandNames(5), pixels), pixels[..., 4]
    assert full.ranges[0] == pytest.approx((band.min(), band.max()))


def test_what_was_not_measured_is_black_and_does_not_count():
    pixels = cube(5, "float32")
    known = display_of(Look(), BandNames(5), pixels)
    pixels[:4] = np.nan
    pixels[4:8] = -9999
    found = display_of(Look(), BandNames(5), pixels, nodata=-9999)
    assert np.array(found.ranges) == pytest.approx(np.array(known.ranges), rel=0.1)
    assert not found.to_bytes(pixels)[:8].any()
    nothing = np.full((3, 3, 5), np.nan, np.float32)
    for look in (Look(), Look("components")):
        assert not display_of(look, BandNames(5), nothing).to_bytes(nothing).any()


def test_components_are_the_scores_of_the_pixels():
    pixels = cube()
    display = display_of(Look("components", percentiles=(0.0, 100.0)), BandNames(9), pixels)
    rows = pixels.reshape(-1, 9).astype(float)
    axis = np.linalg.svd(rows - rows.mean(0), full_matrices=False)[2][0]
    scores = (rows @ axis).reshape(40, 50)
    shown = display.to_bytes(pixels)[..., 0].astype(float)
    assert abs(np.corrcoef(scores.ravel(), shown.ravel())[0, 1]) > 0.9999
    assert (shown.min(), shown.max()) == (0, 255)


def test_the_map_for_previews_shows_the_same_as_bytes_do():
    pixels = cube()
    for look in (Look("own", (1, 1, 5)), Look("components"), Look()):
        display = display_of(look, BandNames(9), pixels)
        screen = display.screen_of(9)
        expected = np.clip(pixels.astype(np.float32) @ screen.mix + screen.offset + 0.5, 0, 255).astype(
            np.uint8
        )
        assert np.abs(display.to_bytes(pixels).astype(int) - expected).max() <= 1


def test_presets_by_wavelength_are_offered_only_where_bands_are_near():
    assert offered(VISIBLE) == ("usual", "true-colour", "infrared", "components", "own")
    assert offered(BandNames(9)) == ("usual", "components", "own")
    assert first_look(VISIBLE).bands_of(VISIBLE) == (24, 15, 6)
    assert first_look(VISIBLE, (3, 2, 1)).bands_of(VISIBLE) == (3, 2, 1)
    assert first_look(BandNames(9)).bands_of(BandNames(9)) == (6, 4, 2)
    assert first_look(BandNames(9)).bands_of(BandNames(9, ranked=(8, 5, 0))) == (8, 5, 0)
    assert not Look("own", (3, 2, 9)).fits(BandNames(9))
    assert not Look("infrared").fits(BandNames(9))


def test_layers_shown_otherwise_share_their_copies():
    layers = Layers(cube(), Display((0, 1, 2), 255.0))
    other = layers.shown(Display((4, 4, 4), 255.0))
    assert other.pyramid is layers.pyramid
    assert layers.display.bands == (0, 1, 2)
    assert other.render(Region(0, 0, 50, 40), 1.0).pixels[5, 5, 0] == cube()[5, 5, 4]


@pytest.mark.slow
def test_choosing_bands_shows_original_and_reconstruction_anew(session_user, draw, tmp_path):
    session_user.open(draw(tmp_path / "cube.tif", 40, 30, 9))
    session_user.until(lambda: session_user.state.settled is not None)
    settled, history = session_user.state.settled, session_user.state.history
    session_user.session.request(ShowBands(Look("own", (8, 7, 0), (0.0, 100.0))))
    session_user.until(lambda: session_user.state.display is not None)
    assert session_user.state.shown_by.bands == (8, 7, 0)
    assert session_user.state.original.display is session_user.state.display
    assert session_user.state.settled.layers.display is session_user.state.display
    assert session_user.state.settled.pixels is settled.pixels
    assert session_user.state.history is history
    assert not session_user.state.touched


@pytest.mark.slow
def test_pictures_while_k_moves_are_stretched_like_the_original(session_user, draw, tmp_path):
    session_user.open(draw(tmp_path / "cube.tif", 40, 30, 9))
    session_user.session.request(Choose(method="channels"))
    session_user.rest()
    task = session_user.session.task()
    display = display_of(Look("components"), BandNames(9), task.document.image.pixels)
    task = replace(task, display=display, setting=replace(task.setting, k=9, step=0.5))
    shown = task.rendering.render(Region(0, 0, 30, 40), 1.0).pixels
    expected = display.to_bytes(task.document.image.pixels)
    assert np.abs(shown.astype(int) - expected).mean() < 2


@pytest.mark.slow
def test_the_next_image_is_shown_like_the_last(session_user, draw, tmp_path):
    session_user.open(draw(tmp_path / "first.tif", 40, 30, 9))
    look = Look("own", (8, 7, 0), (5.0, 95.0))
    session_user.session.request(ShowBands(look))
    session_user.session.request(ShowBands(Look("own", (8, 7, 99))))
    assert session_user.state.look == look
    session_user.open(draw(tmp_path / "second.tif", 40, 30, 9, seed=1))
    session_user.until(lambda: session_user.state.display is not None)
    assert session_user.state.look == look
    session_user.open(draw(tmp_path / "few.tif", 40, 30, 5))
    session_user.rest()
    assert (session_user.state.look, session_user.state.display) == (None, None)
    session_user.open(draw(tmp_path / "photo.png", 40, 30, 3))
    session_user.session.request(ShowBands(look))
    assert session_user.state.look is None

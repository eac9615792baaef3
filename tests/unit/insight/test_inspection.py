"""One sample taken apart, against sums made by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcaimage import codec
from pcaimage.codec import Region, Screen, methods
from pcaimage.codec.step import WIDEST_ZONE
from pcaimage.errors import Cancelled
from pcaimage.insight.inspection import MOST_PIXELS, Inspection, RenderSettings, Samples, components_to_show
from pcaimage.sampling import Bands, Blocks, Channels, Lapped, Stack
from tests.stop import stop


def image(*shape, dtype="uint8"):
    rng = np.random.default_rng(1)
    peak = np.iinfo(dtype).max
    walk = np.cumsum(rng.normal(0, peak / 60, shape), axis=-2)
    return np.clip(peak / 2 + walk, 0, peak).astype(dtype)


def taken_apart(pixels, sampling, at, *, k, left_out=frozenset(), step=None, zone=0.0, frame=0, screen=None):
    pictures = codec.pictures(codec.analyse(pixels, sampling))
    channels = pixels.shape[-1]
    bands = tuple(range(3)) if channels >= 3 else (0,)
    view = RenderSettings(k, left_out, step, zone, bands, float(np.iinfo(pixels.dtype).max), screen)
    place = Samples.of(pictures.header).at(*at, frame)
    original = pixels[frame] if pixels.ndim == 4 else pixels
    return Inspection.of(pictures, place, view, original), pictures


@given(st.integers(1, 50), st.integers(1, 50), st.integers(-5, 60), st.integers(-5, 60))
def test_every_pixel_belongs_to_a_block_that_lies_in_its_surroundings(width, height, x, y):
    for size in (0, 1, 8):
        place = Samples(width, height, size).at(x, y)
        inside, around = place.region, place.around
        assert inside.left <= min(max(x, 0), width - 1) < inside.right
        assert inside.top <= min(max(y, 0), height - 1) < inside.bottom
        assert 0 <= around.left <= inside.left < inside.right <= around.right <= width
        assert 0 <= around.top <= inside.top < inside.bottom <= around.bottom <= height
        assert Samples(width, height, size).at(*place.centre) == place


def test_neighbours_end_at_the_edge_of_the_image_and_an_image_of_a_stack_has_none():
    samples = Samples(20, 20, 8)
    corner = samples.at(17, 17)
    assert corner.region == Region(16, 16, 20, 20)
    assert samples.neighbour(corner, 1, 1) == corner
    assert samples.neighbour(corner, -1, 0).region == Region(8, 16, 16, 20)
    assert samples.neighbour(corner, -9, -9).region == Region(0, 0, 8, 8)
    place = Samples(20, 20, 0).at(3, 3, 5)
    assert (place.row, place.column) == (0, 5)
    assert Samples(20, 20, 0).neighbour(place, 1, 1) == place


def test_of_few_components_all_are_shown_of_many_those_with_large_scores_and_the_last():
    scores = np.arange(10, dtype=np.float32)
    assert components_to_show(scores, 7, frozenset({2, 9})) == [1, 3, 4, 5, 6, 7]
    assert components_to_show(scores, 99, frozenset()) == list(range(1, 11))
    assert components_to_show(scores, 2, frozenset({1, 2})) == []
    scores = np.zeros(100, np.float32)
    scores[[40, 60, 80]] = [5, -9, 3]
    scores[95] = 100
    assert components_to_show(scores, 90, frozenset({61}), 4, 7) == [1, 2, 3, 4, 41, 81, 90]


def test_steps_that_are_passed_over_are_counted_in_and_those_left_out_add_nothing():
    found, _ = taken_apart(image(120, 120, 3), Blocks(8), (9, 9), k=150)
    assert sum(stage.skipped for stage in found.stages) == 150 - (len(found.stages) - 1)
    assert found.stages[-1].number == 150
    found, _ = taken_apart(image(21, 30, 3), Blocks(4), (13, 9), k=6, left_out=frozenset({2, 3}))
    assert [stage.number for stage in found.stages] == [0, 1, 4, 5, 6]
    assert [stage.skipped for stage in found.stages] == [0, 0, 2, 0, 0]


@pytest.mark.parametrize("k", [1, 5, 48])
def test_the_sums_of_a_block_are_the_mean_and_its_components(k):
    pixels = image(21, 30, 3)
    found, pictures = taken_apart(pixels, Blocks(4), (13, 9), k=k)
    scores = pictures.scores_at(2, 3)
    left, top, right, bottom = found.inner
    assert (right - left, bottom - top) == (4, 4)
    # Of what is shown as the mean, only the rounding is not known.
    total = found.stages[0].picture[top:bottom, left:right].astype(float)
    for stage in found.stages:
        if stage.number:
            total += scores[stage.number - 1] * pictures.component_picture(stage.number)
        shown = stage.picture[top:bottom, left:right]
        assert np.abs(shown - np.clip(total, 0, 255)).max() < 1.6
        difference = shown.astype(float) - pixels[8:12, 12:16]
        assert stage.rms == pytest.approx(np.sqrt(np.square(difference).mean()), abs=1e-4)
        if stage.skipped:
            break


def test_rounding_shows_in_the_sums():
    exact, _ = taken_apart(image(21, 30, 3), Blocks(4), (13, 9), k=20)
    coarse, _ = taken_apart(image(21, 30, 3), Blocks(4), (13, 9), k=20, step=60.0, zone=WIDEST_ZONE)
    assert coarse.stages[-1].rms > exact.stages[-1].rms + 1
    left, top, right, bottom = coarse.inner
    shown = coarse.stages[-1].picture[top:bottom, left:right].astype(float)
    difference = shown - image(21, 30, 3)[8:12, 12:16]
    assert coarse.stages[-1].rms == pytest.approx(np.sqrt(np.square(difference).mean()), abs=0.01)


def test_the_block_of_a_photo_leans_on_its_neighbours():
    found, pictures = taken_apart(image(40, 48, 3), Lapped(), (20, 20), k=192)
    assert found.lapped
    assert found.inner == (8, 8, 16, 16)
    assert found.stages[1].part.shape == (16, 16, 3)
    assert found.scores == pytest.approx(pictures.scores_at(2, 2))
    assert found.stages[-1].rms == pytest.approx(0, abs=0.6)


def test_of_channels_a_pixel_is_shown_among_others():
    pixels = image(30, 40, 5, dtype="uint16")
    found, _ = taken_apart(pixels, Channels(), (39, 0), k=5)
    assert found.original.shape == (16, 16, 3)
    assert found.inner == (15, 0, 16, 1)
    assert [stage.number for stage in found.stages] == [0, 1, 2, 3, 4, 5]
    assert found.stages[-1].rms < 257


def test_many_bands_are_shown_stretched_as_the_window_shows_them():
    pixels = image(30, 40, 5, dtype="uint16")
    mix = np.zeros((5, 3), np.float32)
    mix[[4, 2, 0], range(3)] = 255 / 20_000
    screen = Screen(mix, np.full(3, -50, np.float32))
    found, _ = taken_apart(pixels, Channels(), (20, 10), k=5, screen=screen)
    plain, _ = taken_apart(pixels, Channels(), (20, 10), k=5)
    assert found.original is not None
    around = found.place.around
    part = pixels[around.top : around.bottom, around.left : around.right]
    expected = np.clip(part @ mix - 49.5, 0, 255).astype(int)
    assert np.abs(found.original - expected).max() <= 1
    assert np.abs(found.stages[-1].picture - expected).max() <= 1
    assert [stage.rms for stage in found.stages] == [stage.rms for stage in plain.stages]


@pytest.mark.parametrize("dtype", ["int16", "float32"])
def test_what_signed_and_real_values_lack_is_measured_in_their_own_size(dtype):
    pixels = (image(30, 40, 5).astype(float) - 128).astype(dtype)
    pictures = codec.pictures(methods.analyse(pixels, Bands()))
    view = RenderSettings(2, frozenset(), None, 0.0, (4, 2, 0), 255.0)
    found = Inspection.of(pictures, Samples.of(pictures.header).at(20, 10, 0), view, pixels)
    vectors = np.concatenate([pictures.component_picture(n).reshape(1, 5) for n in (1, 2)]).astype(float)
    mean = pixels.reshape(-1, 5).mean(axis=0, dtype=float)
    expected = mean + (pixels[10, 20] - mean) @ vectors.T @ vectors
    expected = np.rint(expected) if dtype == "int16" else expected
    lacking = math.sqrt(np.square(expected - pixels[10, 20]).mean())
    assert found.stages[-1].rms == pytest.approx(lacking, abs=0.02)


def test_images_of_a_stack_are_shown_reduced():
    pixels = image(4, 350, 250, 1)
    found, _ = taken_apart(pixels, Stack(), (0, 0), k=3, frame=2)
    assert max(found.original.shape) <= MOST_PIXELS
    assert found.stages[-1].picture.shape == found.original.shape
    assert found.stages[-1].rms == pytest.approx(0, abs=0.6)
    assert found.stages[0].rms > 5


def test_a_file_without_its_original_is_taken_apart_all_the_same():
    pictures = codec.pictures(codec.analyse(image(20, 20, 3), Blocks(4)))
    view, place = RenderSettings(5, frozenset(), None, 0.0, (0, 1, 2), 255.0), Samples.of(pictures.header)
    found = Inspection.of(pictures, place.at(0, 0), view, None)
    assert found.original is None
    assert {stage.rms for stage in found.stages} == {None}
    with pytest.raises(Cancelled):
        Inspection.of(pictures, place.at(0, 0), view, None, stop)


def test_a_block_of_one_colour_has_no_changes_to_show():
    found, _ = taken_apart(np.full((16, 16, 3), 90, np.uint8), Blocks(8), (3, 3), k=3)
    assert all((stage.part == 128).all() for stage in found.stages if stage.part is not None)
    assert found.stages[-1].rms == 0

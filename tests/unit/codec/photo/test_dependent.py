"""Photos that are quantised dependently, and shrunk after decoding."""

from dataclasses import replace

import numpy as np
import pytest

from pcaimage import codec
from pcaimage.codec import Step
from pcaimage.codec.compressed import SHRUNK
from pcaimage.codec.photo import coding
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import holds
from pcaimage.codec.photo.screen.preview import PhotoPreview
from pcaimage.imaging.reading.samples import read_sample


@pytest.fixture(scope="module")
def cat():
    return np.ascontiguousarray(read_sample("cat").pixels[60:157, 100:241])


def coded(array, step, **changes):
    analysis = PhotoAnalysis.fit(array)
    analysis = replace(analysis, header=replace(analysis.header, **changes))
    return coding.quantize(analysis, analysis.k_for_step(step), Step.nearest(step))


def bare(model):
    header = model.header
    return replace(model, header=replace(header, tools=header.tools & ~SHRUNK, strengths=()))


def wrong(model, array):
    return float(np.square(model.reconstruct().astype(float) - array).mean())


@pytest.mark.slow
@pytest.mark.parametrize("step", [2.0, 20.0, 90.0])
@pytest.mark.parametrize("slice_rows", [0, 5])
def test_scores_come_back(cat, step, slice_rows):
    model = coded(cat, step, slice_rows=slice_rows)
    packed = coding.pack(model)
    assert coding.unpack(packed).same_as(model)
    assert holds(packed, model)
    few = coding.unpack(packed, 20)
    assert all(map(np.array_equal, few.scores, (part[:20] for part in model.scores)))


@pytest.mark.slow
def test_points_lie_more_densely_at_the_same_step(cat):
    plain, dependent = bare(coded(cat, 30.0, tools=0)), bare(coded(cat, 30.0))
    assert wrong(dependent, cat) < 0.97 * wrong(plain, cat)
    assert sum(map(len, dependent.segments)) < 1.06 * sum(map(len, plain.segments))


def test_fine_steps_take_wide_numbers():
    deep = (np.indices((24, 26)).sum(axis=0) * 1311 % 65536).astype(np.uint16)[..., None]
    model = coded(deep, 30.0)
    assert model.scores[0].dtype == np.int32
    assert coded(deep, 120.0).scores[0].dtype == np.int16
    assert coding.unpack(coding.pack(model)).same_as(model)


@pytest.mark.slow
def test_shrinkage_brings_a_photo_closer_than_with_another_strength_of_the_first_channel(cat):
    for step in (12.0, 45.0):
        model = coded(cat, step)
        assert len(model.header.strengths) == 6
        assert wrong(model, cat) < 0.995 * wrong(bare(model), cat)
    model = coded(cat, 30.0)
    strength, *others = model.header.strengths
    errors = {
        other: wrong(replace(model, header=replace(model.header, strengths=(other, *others))), cat)
        for other in (strength - 2, strength, strength + 2)
    }
    assert min(errors, key=errors.__getitem__) == strength


@pytest.mark.parametrize("step", [0.5, 400.0])
def test_very_fine_and_very_coarse_steps_are_not_shrunk(cat, step):
    small = np.ascontiguousarray(cat[:24, :24])
    assert coded(small, step).header.strengths == ()


@pytest.mark.slow
def test_lines_of_slices_join_to_the_image(cat):
    model = coded(cat, 35.0, slice_rows=3)
    assert any(model.header.strengths)
    whole = model.reconstruct()
    assert np.array_equal(codec.decompress(coding.pack(model)), whole)
    assert np.array_equal(model.lines(29, 43), whole[29:43])


def test_a_preview_shows_scores_where_they_lie(cat):
    model = bare(coded(cat, 25.0))
    preview = PhotoPreview.of(model)
    exact = model.picture.coefficients(0, model.layout.grid[0]) * (float(model.header.step) / 256)
    planes = PhotoAnalysis.fit(cat).order
    for number in (1, 2, 7, 40):
        assert preview.score_plane(number) == pytest.approx(exact[planes[number - 1]], abs=0.06)


@pytest.mark.slow
def test_an_image_that_ends_in_a_block_of_few_lines_is_shrunk_by_what_it_has(cat):
    for height in (65, 66, 68, 69):  # the last group of lines has none, or some
        model = coded(np.ascontiguousarray(cat[:height, :40]), 35.0)
        assert any(model.header.strengths)
        assert wrong(model, cat[:height, :40]) < wrong(model.unshrunk, cat[:height, :40])

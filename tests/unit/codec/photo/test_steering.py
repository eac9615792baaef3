"""Meeting an error in one pass: by what bits are worth to a photo's second half."""

import numpy as np
import pytest
from skimage import data

from pcaimage import Settings, api, imaging
from pcaimage.codec import Step
from pcaimage.codec.method import Near
from pcaimage.codec.photo import coding, layout
from pcaimage.codec.photo.aims import steering
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.progress import no_progress
from pcaimage.quality import mean_squared_error, psnr_of_mse

STEP = Step.nearest(9.0)


@pytest.fixture(scope="module")
def picture():
    return np.ascontiguousarray(data.chelsea()[60:220, 100:260])


@pytest.fixture
def analysis(picture, monkeypatch):
    monkeypatch.setattr(layout, "SLICE_BLOCKS", 100)
    return PhotoAnalysis.fit(picture)


def psnr(picture, model):
    return psnr_of_mse(mean_squared_error(picture, model.reconstruct()), 255)


@pytest.mark.slow
@pytest.mark.parametrize("decibels", [-0.5, -0.1, 0.1])
def test_an_error_near_that_of_the_step_is_met(picture, analysis, decibels):
    k = analysis.k_for_step(float(STEP))
    plain = coding.quantize_checked(analysis, k, STEP, picture, proven=False)
    wanted = psnr(picture, plain) + decibels
    near = Near(picture, 255**2 / 10 ** (wanted / 10), 0.05)
    found = steering.quantize_near(analysis, k, STEP, near, no_progress)
    assert abs(psnr(picture, found) - wanted) <= 0.05
    assert found.mean_squared_error(picture) == mean_squared_error(picture, found.reconstruct())
    assert coding.unpack(coding.pack(found)).same_as(found)
    # A step that is a little too fine or too coarse is kept.
    assert (found.header.step == STEP) == (abs(decibels) < 0.3)


@pytest.mark.slow
def test_few_slices_are_coded_as_ever(picture):
    analysis = PhotoAnalysis.fit(picture)
    near = Near(picture, 10.0, 0.05)
    found = steering.quantize_near(analysis, 90, STEP, near, no_progress)
    assert found.same_as(coding.quantize(analysis, 90, STEP))


@pytest.mark.slow
def test_components_that_are_left_out_count(picture, analysis):
    analysis = analysis.without(frozenset({60, 90}))
    k = analysis.k_for_step(float(STEP))
    plain = coding.quantize_checked(analysis, k, STEP, picture, proven=False)
    near = Near(picture, plain.mean_squared_error(picture) * 0.98, 0.05)
    found = steering.quantize_near(analysis, k, STEP, near, no_progress)
    assert found.header.step == STEP
    assert abs(psnr(picture, found) - psnr_of_mse(near.mse, 255)) <= 0.05


@pytest.mark.slow
def test_an_error_out_of_reach_is_as_near_as_it_can_be(picture, analysis):
    k = analysis.k_for_step(float(STEP))
    found = steering.quantize_near(analysis, k, STEP, Near(picture, 1e-6, 0.05), no_progress)
    assert float(found.header.step) < 9
    assert psnr(picture, found) > psnr(picture, coding.quantize(analysis, k, STEP))


@pytest.mark.slow
def test_it_does_not_depend_on_the_number_of_cores(picture, analysis, monkeypatch):
    k, near = 60, Near(picture, 30.0, 0.05)
    first = steering.quantize_near(analysis, k, STEP, near, no_progress)
    monkeypatch.setattr("pcaimage.machine.parallel.cores", lambda: 1)
    assert steering.quantize_near(analysis, k, STEP, near, no_progress).same_as(first)


def test_a_photo_of_many_slices_reaches_a_quality_in_one_trial(picture, analysis):
    assert len(coding.quantize(analysis, 1, STEP).scores) >= steering.FEWEST
    encoding = api.compress_image(imaging.Image(picture), Settings(psnr=38.0), checked=True)
    assert 38 <= psnr(picture, encoding.model) <= 38.1  # it is a photo's
    assert coding.holds(encoding.compressed, encoding.model)

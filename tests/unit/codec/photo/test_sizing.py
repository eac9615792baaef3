"""Meeting a size in little more than one pass: some slices tell what the others must cost."""

import numpy as np
import pytest
from skimage import data

from pcaimage import Settings, api, imaging
from pcaimage.codec import Step, targets
from pcaimage.codec.method import Sized
from pcaimage.codec.photo import coding, layout
from pcaimage.codec.photo.aims import steering
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.progress import no_progress

STEP = Step.nearest(9.0)


@pytest.fixture(scope="module")
def picture():
    return np.ascontiguousarray(data.astronaut()[60:220, 150:310])


def analysed(picture, slices, monkeypatch, *, eye=False):
    monkeypatch.setattr(layout, "SLICE_BLOCKS", 400 // slices)
    return PhotoAnalysis.fit(picture).tuned(for_the_eye=eye)


def file_size(model):
    return api.size_of(coding.pack(model))


@pytest.mark.parametrize("slices", [5, 2, 4, 3])
@pytest.mark.parametrize("part", [0.75, 0.98, 1.02, 1.3])
@pytest.mark.parametrize("eye", [True, False])
@pytest.mark.sweep(12)
def test_a_size_is_met(picture, slices, part, monkeypatch, *, eye):
    analysis = analysed(picture, slices, monkeypatch, eye=eye)
    k = analysis.k_for_step(float(STEP))
    plain = coding.quantize(analysis, k, STEP)
    assert len(plain.scores) == slices
    wanted = part * file_size(plain)
    found = steering.quantize_sized(analysis, k, STEP, Sized(wanted, 0.02), no_progress)
    assert abs(file_size(found) / wanted - 1) <= 0.03
    # A step that is a little too fine or too coarse is kept.
    assert (found.header.step == STEP) == (abs(part - 1) < 0.1)
    assert coding.unpack(coding.pack(found)).same_as(found)


def test_one_slice_is_coded_as_ever(picture):
    analysis = PhotoAnalysis.fit(picture)
    found = steering.quantize_sized(analysis, 90, STEP, Sized(1000.0, 0.02), no_progress)
    assert found.same_as(coding.quantize(analysis, 90, STEP))


@pytest.mark.slow
def test_it_does_not_depend_on_the_number_of_cores(picture, monkeypatch):
    analysis, sized = analysed(picture, 5, monkeypatch), Sized(6000.0, 0.01)
    first = steering.quantize_sized(analysis, 90, STEP, sized, no_progress)
    monkeypatch.setattr("pcaimage.machine.parallel.cores", lambda: 1)
    assert steering.quantize_sized(analysis, 90, STEP, sized, no_progress).same_as(first)


@pytest.mark.parametrize("slices", [2, 1, 3, 4, 5])
@pytest.mark.parametrize(
    "settings", [Settings(size=4000), Settings(size=9000), Settings(size=6000, tune="psnr")]
)
@pytest.mark.sweep(3)
def test_a_size_is_never_exceeded_and_nearly_used(picture, slices, settings, monkeypatch):
    monkeypatch.setattr(layout, "SLICE_BLOCKS", 400 // slices)
    monkeypatch.setattr(targets, "SMALL", 0)  # as for photos that have several slices
    encoding = api.compress_image(imaging.Image(picture), settings, checked=True)
    assert settings.size is not None
    assert 0.97 * settings.size <= api.size_of(encoding.compressed) <= settings.size
    assert coding.holds(encoding.compressed, encoding.model)  # it is a photo's

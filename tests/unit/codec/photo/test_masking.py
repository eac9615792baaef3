from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcaimage.codec.photo import PhotoAnalysis
from pcaimage.codec.photo.coding import quantize
from pcaimage.codec.photo.local_steps import exponents
from pcaimage.codec.photo.masking import COARSEST, COLOURS, at_step
from pcaimage.codec.step import Step


@pytest.fixture(scope="module")
def analysis() -> PhotoAnalysis:
    pixels = np.random.default_rng(5).integers(0, 256, (48, 64, 3), np.uint8)
    return PhotoAnalysis.fit(pixels)


@pytest.mark.parametrize(("step", "coarser"), [(2, 0), (24, 0), (48, 2), (96, 4), (512, COARSEST)])
def test_for_the_eye_steps_of_all_but_the_means_grow_faster_than_the_images_own(
    analysis: PhotoAnalysis, step: float, coarser: int
) -> None:
    header = at_step(analysis.tuned(for_the_eye=True).header, Step.nearest(step))
    assert float(header.step) == pytest.approx(step, rel=1e-3)
    assert header.weights[1:] == (coarser, coarser + COLOURS, coarser + COLOURS)
    assert exponents(header)[header.middle, 0] == coarser


def test_weights_that_are_given_stay_and_for_the_psnr_there_are_none(analysis: PhotoAnalysis) -> None:
    step = Step.nearest(64)
    header = replace(analysis.tuned(for_the_eye=True).header, weights=(5, 1, 2, 3))
    assert at_step(header, step).weights == header.weights
    assert at_step(analysis.tuned(for_the_eye=False).header, step).weights == ()


def test_a_photo_is_coded_with_the_weights_of_its_step(analysis: PhotoAnalysis) -> None:
    photo, step = analysis.tuned(for_the_eye=True), Step.nearest(40)
    assert quantize(photo, 12, step).header.weights == at_step(photo.header, step).weights

"""Meeting a size in little more than one pass: every other slice says how large the others become."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from skimage import data

from pcaimage.codec import Step, photo
from pcaimage.codec.method import Sized
from pcaimage.codec.photo import coding, layout, sizing
from pcaimage.progress import no_progress
from tests.cases import one_in

STEP = Step.nearest(9.0)


@pytest.fixture(scope="module")
def picture() -> NDArray[Any]:
    return np.tile(data.astronaut()[100:124, 150:310], (7, 1, 1))


@pytest.fixture
def analysis(picture: NDArray[Any], monkeypatch: pytest.MonkeyPatch) -> photo.PhotoAnalysis:
    monkeypatch.setattr(layout, "SLICE_BLOCKS", 60)
    return photo.PhotoAnalysis.fit(picture)


def size(model: photo.PhotoModel) -> int:
    return sum(map(len, model.segments))


@pytest.mark.parametrize("part", one_in(3, [0.7, 1.0, 1.3]))
def test_a_size_is_nearly_met(analysis: photo.PhotoAnalysis, part: float) -> None:
    k = analysis.k_for_step(float(STEP))
    plain = coding.quantize(analysis, k, STEP)
    sized = Sized(part * size(plain), 0.02)
    found = sizing.quantize_sized(analysis, k, STEP, sized, no_progress)
    assert size(found) == pytest.approx(part * size(plain), rel=0.05)
    assert (float(found.header.step) < float(STEP)) == (part > 1.1)
    assert (float(found.header.step) > float(STEP)) == (part < 0.9)
    again = coding.quantize(analysis, found.k, found.header.step)
    assert found.same_as(again)


def test_few_slices_are_coded_as_ever(picture: NDArray[Any]) -> None:
    analysis = photo.PhotoAnalysis.fit(picture)
    found = sizing.quantize_sized(analysis, 90, STEP, Sized(10.0, 0.01), no_progress)
    assert found.same_as(coding.quantize(analysis, 90, STEP))

"""After warming up, nothing is left to be compiled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pcaimage import codec
from pcaimage.codec import photo
from pcaimage.codec.photo import prediction
from pcaimage.codec.step import Step
from pcaimage.errors import Cancelled


def compiled() -> list[int]:
    """Return how many versions there are of each loop that is called from outside."""
    loops: list[Any] = [prediction.differences, prediction.expect, prediction.settle]
    return [len(each.signatures) for each in loops]


@pytest.mark.parametrize("slice_rows", [None, 3])
def test_everything_is_compiled_that_a_photo_needs(slice_rows: int | None) -> None:
    codec.warm_up()
    before = compiled()
    assert min(before) >= 1
    array = np.random.default_rng(1).integers(0, 256, (80, 50, 3)).astype(np.uint8)
    analysis = photo.PhotoAnalysis.fit(array)
    if slice_rows:
        analysis = replace(analysis, header=replace(analysis.header, slice_rows=slice_rows))
    model = photo.quantize(analysis, 20, Step.nearest(30.0))
    sources: list[Any] = [analysis, model, model.trimmed(7), photo.unpack(photo.pack(model), 3)]
    for source in sources:
        for scale in (1.0, 0.5, 0.25, 0.125, 1 / 16):
            codec.pictures(source).render(codec.Region(0, 0, 50, 80), scale, 5, step=30.0)
    assert compiled() == before


def test_it_can_be_stopped() -> None:
    def stop(done: int, total: int) -> None:
        assert total > 10
        if done == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        codec.warm_up(stop)

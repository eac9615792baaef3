"""Ahead-of-time compilation of the loops, by compressing tiny pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pcaimage.codec.compressed import Compressed
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import pack, quantize, unpack
from pcaimage.codec.photo.preview import PhotoPreview
from pcaimage.codec.step import Step
from pcaimage.codec.view import Region
from pcaimage.progress import Progress, no_progress

SIZE = (72, 24)
"""Height and width of the pictures; high enough for two slices of unequal height."""

SLICE_ROWS = 5

_K = 12
_SCALES = (1.0, 0.125, 1 / 16)


def warm_up(progress: Progress = no_progress) -> None:
    """Compress, show and decode tiny pictures, so that all loops are compiled.

    On a machine where that was never done it takes some ten seconds, later a fraction of one.

    Parameters
    ----------
    progress : Progress, optional
        Told of the steps done, and asked whether to go on.
    """
    steps = [
        work
        for channels in (3, 1)
        for slice_rows in (None, SLICE_ROWS)
        for work in _steps(channels, slice_rows)
    ]
    for done, work in enumerate(steps):
        progress(done, len(steps))
        work()
    progress(len(steps), len(steps))


def _steps(channels: int, slice_rows: int | None) -> list[Callable[[], object]]:
    """Return the steps of compressing, showing and decoding one picture."""
    noise = np.random.default_rng(0).integers(0, 256, (*SIZE, channels))
    found: list[PhotoAnalysis] = []
    coded: list[Compressed] = []

    def analyse() -> None:
        analysis = PhotoAnalysis.fit(noise.astype(np.uint8))
        if slice_rows is not None:
            analysis = replace(analysis, header=replace(analysis.header, slice_rows=slice_rows))
        found.append(analysis)

    def show() -> None:
        _show(PhotoPreview.of(found[0]), 20.0)

    def code() -> None:
        model = quantize(found[0], _K, Step.nearest(20.0))
        model.reconstruct()
        coded.append(pack(model))

    def decode() -> None:
        _show(PhotoPreview.of(unpack(coded[0])), None)

    return [analyse, show, code, decode]


def _show(preview: PhotoPreview, step: float | None) -> None:
    for scale in _SCALES:
        preview.render(Region(0, 0, SIZE[1], SIZE[0]), scale, _K, step=step)

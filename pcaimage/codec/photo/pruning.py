"""The tables that one photo needs: a page that shows it carries these alone.

Decoding visits the same contexts for every number of components, as each of these only reads on. So what no
slice has used can be left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.memory import Memory
from pcaimage.codec.compressed import DRAWN, Compressed
from pcaimage.codec.decoding import Decoding
from pcaimage.codec.photo.coding import unpack
from pcaimage.codec.photo.layout import PhotoLayout
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.tables import Arrays, Bytes, Plan, Tables, flat, parsed, plan_of
from pcaimage.core.library import Array, function, size_of
from pcaimage.progress import Progress, no_progress, part

_PLACES = function("pcai_models_places", None, Array(np.int64, writable=True))
_ROWS = {"scores": 16, "means": 32}
_WEIGHTS = ("scores_weights", "scores_more", "means_weights", "means_more")
"""What models have: rows of so many, of which those made have a number; and sets of eight weights."""
_PRIOR, _COUNT = 30, 1023
"""The most that models start with of what they count, in these bits of their words."""

_SHRUNK = 18
"""The component of a channel whose step shrinkage goes by."""
_GRADES = 4 * 2 ** (np.arange(10) / 2 + 0.25)
"""Where a grade of shrinkage ends, in grey levels of 255."""


def used_tables(compressed: Compressed, progress: Progress = no_progress) -> tuple[Arrays, Arrays, int]:
    """Return the arrays that all grades share, those of a photo's grade that it uses, and the grade.

    They decode it to the same pixels, which was tried.
    """
    plan, tables = plan_of(compressed.header), Tables.of(compressed.header.tables)
    shared, own = tables.arrays, parsed(tables.graded(plan.grade).tobytes())
    fresh, *learned = (
        Memory().array("models", (size_of("Models"),), np.uint8)
        for _ in range(len(PhotoLayout(compressed.header).slices) + 1)
    )
    plan.take_models(fresh)
    model = unpack(compressed, progress=part(progress, 0.0, 0.4), learned=learned)
    used = _used(own, fresh, learned)
    # Weights may be used without being changed, which only pixels show; what is drawn may use any gain.
    gains = shared if compressed.header.tools & DRAWN else _gains(shared, plan, model)
    for whole in ((), _WEIGHTS):
        kept = gains, _kept(own, used) | {name: own[name] for name in whole}
        if same_pixels(compressed, kept, plan.grade, part(progress, 0.4, 1.0)):
            return *kept, plan.grade
    return shared, own, plan.grade


def same_pixels(
    compressed: Compressed, tables: tuple[Arrays, Arrays], grade: int, progress: Progress = no_progress
) -> bool:
    """Whether a photo has the same pixels by these tables as by the program's own."""
    arrays = dict(zip((0, 1 + grade), tables, strict=True))
    given = [np.frombuffer(flat(arrays[n]), np.uint8) if n in arrays else None for n in range(4)]
    with Decoding(compressed) as wanted, Decoding(compressed, tables=given) as found:
        halves = part(progress, 0.0, 0.5), part(progress, 0.5, 1.0)
        with closing(wanted.strips(halves[0])) as own, closing(found.strips(halves[1])) as others:
            return all(np.array_equal(*pair) for pair in zip(own, others, strict=True))


def _used(own: Arrays, fresh: Bytes, learned: Sequence[Bytes]) -> Arrays:
    """Tell how many of each row's models, and which weights, any slice has used."""
    places = np.empty(2 * len(_ROWS) + len(_WEIGHTS), np.int64)
    _PLACES(places)

    def taken(models: Bytes, place: int, shape: tuple[int, ...], kind: type[np.generic]) -> NDArray[Any]:
        size = math.prod(shape) * np.dtype(kind).itemsize
        return models[places[place] :][:size].view(kind).reshape(shape)

    used = Arrays()
    for number, (name, width) in enumerate(_ROWS.items()):
        trained: NDArray[Any] = own[f"{name}_trained"]
        starts = np.zeros((len(trained), width), np.uint32)
        starts[np.arange(width) < trained[:, None]] = np.minimum(own[f"{name}_counts"], _PRIOR)
        used[name] = np.zeros(len(trained), np.int64)
        for models in learned:
            numbers = taken(models, 2 * number, trained.shape, np.uint16)
            words = taken(models, 2 * number + 1, (len(trained) + 1, width, 2), np.uint32)[numbers, :, 0]
            seen = (words & _COUNT != starts) & (numbers > 0)[:, None]
            np.maximum(used[name], (seen * np.arange(1, width + 1)).max(axis=1), out=used[name])
    for place, name in enumerate(_WEIGHTS, 2 * len(_ROWS)):
        before, *after = (taken(models, place, (len(own[name]), 8), np.int32) for models in (fresh, *learned))
        used[name] = np.any([weights != before for weights in after], axis=(0, 2))
    return used


def _kept(own: Arrays, used: Arrays) -> Arrays:
    """Return the arrays of a grade without what was not used."""
    kept = dict(own)
    for name, width in _ROWS.items():
        trained: NDArray[Any] = own[f"{name}_trained"]
        kept[f"{name}_trained"] = rest = np.minimum(trained, used[name]).astype(np.uint8)
        had, chosen = (np.arange(width) < counts[:, None] for counts in (trained, rest))
        for kind in ("logits", "counts"):
            kept[f"{name}_{kind}"] = own[f"{name}_{kind}"][chosen[had]]
    for name in _WEIGHTS:
        kept[name] = np.where(used[name][:, None], own[name], own[name].dtype.type(0))
    return kept


def _gains(shared: Arrays, plan: Plan, model: PhotoModel) -> Arrays:
    """Return shared arrays with those gains of shrinkage alone that a photo's steps and strengths ask for."""
    header, gains = model.header, np.zeros_like(shared["shrink_gains"])
    levels = np.unique(np.concatenate([level.ravel() for level in model.levels] or [np.zeros(1, np.int8)]))
    for channel, strengths in enumerate(zip(header.strengths[::2], header.strengths[1::2], strict=True)):
        factors = plan.factors[64 * channel + _SHRUNK, levels] / (1 << 20)
        steps = factors * float(header.step) * 255 / header.peak
        # Factors are rounded to a few bits first.
        grades = np.searchsorted(_GRADES, np.outer([0.96, 1.04], steps), side="right").ravel()
        for place in np.flatnonzero(strengths):
            used = grades, place, min(channel, 2)
            gains[used] = shared["shrink_gains"][used]
    return shared | {"shrink_gains": gains}

"""The tables that one photo needs: a page that shows it carries these alone.

Decoding visits the same contexts for every number of components, as each of these only reads on. So what no
slice has used can be left out.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.memory import Memory
from pcaimage.codec.compressed import Compressed
from pcaimage.codec.decoding import Decoding
from pcaimage.codec.photo.layout import PhotoLayout
from pcaimage.codec.photo.tables import Arrays, Plan, Tables, flat, parsed, plan_of
from pcaimage.core.library import Array, function, size_of
from pcaimage.progress import Progress, no_progress, part

_PLACES = function("pcai_models_places", None, Array(np.int64, writable=True))
_ROWS = ("scores", "means")
_WEIGHTS = ("scores_weights", "scores_more", "means_weights", "means_more")
"""What models have in their order: numbers of rows, 0 where none was made, and sets of eight weights."""

Flags = dict[str, NDArray[np.bool_]]


def used_tables(compressed: Compressed, progress: Progress = no_progress) -> tuple[Arrays, Arrays, int]:
    """Return the arrays that all grades share, those of a photo's grade that it uses, and the grade.

    They decode it to the same pixels, which was tried.
    """
    plan, tables = plan_of(compressed.header), Tables.of(compressed.header.tables)
    shared, own = tables.arrays, parsed(tables.graded(plan.grade).tobytes())
    used = _used(compressed, plan, own, part(progress, 0.0, 0.4))
    # Weights may be used without being changed, which is seen in nothing but the pixels.
    for whole in ((), _WEIGHTS):
        kept = _gains(shared, compressed), _kept(own, used) | {name: own[name] for name in whole}
        if same_pixels(compressed, kept, plan.grade, part(progress, 0.4, 1.0)):
            return *kept, plan.grade
    return shared, own, plan.grade


def same_pixels(
    compressed: Compressed, tables: tuple[Arrays, Arrays], grade: int, progress: Progress = no_progress
) -> bool:
    """Whether a photo has the same pixels by these tables as by the program's own."""
    given: list[NDArray[np.uint8] | None] = [None] * 4
    for place, arrays in zip((0, 1 + grade), tables, strict=True):
        given[place] = np.frombuffer(flat(arrays), np.uint8)
    with Decoding(compressed) as wanted, Decoding(compressed, tables=given) as found:
        halves = part(progress, 0.0, 0.5), part(progress, 0.5, 1.0)
        with closing(wanted.strips(halves[0])) as own, closing(found.strips(halves[1])) as others:
            return all(np.array_equal(*pair) for pair in zip(own, others, strict=True))


def _used(compressed: Compressed, plan: Plan, own: Arrays, progress: Progress) -> Flags:
    """Tell which contexts, and which weights, any slice has used."""
    look, slices = _looker(own), len(PhotoLayout(compressed.header).slices)
    fresh, *learned = (Memory().array("models", (size_of("Models"),), np.uint8) for _ in range(slices + 1))
    plan.take_models(fresh)
    before = look(fresh)
    with Decoding(compressed) as decoding:
        for number, models in enumerate(learned):
            decoding.core.put_models(number, models)
        decoding.decode_all(progress)
    found = [look(models) for models in learned]
    return {name: np.any([each[name] != was for each in found], axis=0) for name, was in before.items()}


def _looker(own: Arrays) -> Callable[[NDArray[np.uint8]], Arrays]:
    """Return a function that takes arrays out of models."""
    places = np.empty(len(_ROWS) + len(_WEIGHTS), np.int64)
    _PLACES(places)
    shapes = {name: (own[f"{name}_trained"].shape, np.uint16) for name in _ROWS}
    kinds = shapes | {name: ((len(own[name]), 8), np.int32) for name in _WEIGHTS}

    def look(models: NDArray[np.uint8]) -> Arrays:
        found = Arrays()
        for place, (name, (shape, kind)) in zip(places, kinds.items(), strict=True):
            size = int(np.prod(shape)) * np.dtype(kind).itemsize
            found[name] = models[place : place + size].view(kind).reshape(shape).copy()
        return found

    return look


def _kept(own: Arrays, used: Flags) -> Arrays:
    """Return the arrays of a grade without what was not used."""
    kept = dict(own)
    for name in _ROWS:
        trained = own[f"{name}_trained"].astype(np.int64)
        chosen = np.repeat(used[name], trained)
        kept[f"{name}_trained"] = np.where(used[name], trained, 0).astype(np.uint8)
        for kind in ("logits", "counts"):
            kept[f"{name}_{kind}"] = own[f"{name}_{kind}"][chosen]
    for name in _WEIGHTS:
        wanted = np.any(used[name], axis=1, keepdims=True)
        kept[name] = np.where(wanted, own[name], own[name].dtype.type(0))
    return kept


def _gains(shared: Arrays, compressed: Compressed) -> Arrays:
    """Return shared arrays without gains of shrinkage, where nothing is shrunk."""
    if any(compressed.header.strengths):
        return shared
    return shared | {"shrink_gains": np.zeros_like(shared["shrink_gains"])}

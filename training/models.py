"""Training of the adaptive models by running the coder over many images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.slices import PhotoSliceCoder
from pcaimage.codec.photo.tables import Arrays
from pcaimage.core.library import size_of
from training.files import LOGIT_UNIT, ROWS, tables_of

STEPS = ((1.0, 1.8, 3.0, 4.6), (6.0, 8.0, 11.0, 15.0, 20.0), (26.0, 36.0, 50.0, 70.0, 98.0))
"""The steps that are coded for each of the three grades."""

CROP = (64, 96)
"""Rows and columns of blocks of the crop that is coded at each step."""

LOGIT_LIMIT, COUNT_BITS, ROWS_COUNTED = 2815, 10, 64
"""Logits are in 1/256 and limited, models have counts in the bits below their probability, curves have a
point for each whole logit from -11 on, and rows of models are counted by so many."""

BITS, ESCAPES, LEVELS = 32, 24, 8192
"""Bits of means and of large magnitudes that have models, and expected magnitudes that have bins."""

PRIOR = 30
"""Largest count that trained models start with."""

TRAINED_LIMIT = 1023
FINER_UNIT = 8
"""Logits, in 1/256, are rounded to multiples of this where they are not kept by rows."""

QUANTIZERS = 2
_CHANNELS = 3

_UNARY, _QUIET, _BINS, _GROUPS, _AROUND = 16, 8, 40, 12, 8
_CONTEXTS = (3780, 1500, 8000, 6000, 2400)
"""Number of contexts of each input of magnitudes, for each of the quantisers."""

_SIGN_CONTEXTS = (160, 2646, 1701, 400, 1701, 320)
_MEAN_CONTEXTS, _MEAN_SETS, _MEAN_SIGNS = (60, 1200, 600, 507, 3000, 480), 60, 3 * 9 * 45 * 8
"""Contexts of each input of means, sets of weights of each bit, and contexts of signs."""

_ROWS = {"scores": (QUANTIZERS * sum(_CONTEXTS), _UNARY), "means": (sum(_MEAN_CONTEXTS), BITS)}
"""Contexts, and models of each, of what is kept by rows."""

_SPREAD, _LINE = 8, 64
"""Places of each set of weights that the core holds in vectors, the last of them zeros; and bytes of a cache
line, at which its rows of models begin."""


def scales() -> Arrays:
    """Return the tables of logits, probabilities, learning rates and bins; see ``docs/format.md``."""
    chances = (np.arange(65536) + 0.5) / 65536
    logits = np.clip(np.rint(256 * np.log(chances / (1 - chances))), -LOGIT_LIMIT, LOGIT_LIMIT)
    units = np.arange(-LOGIT_LIMIT, LOGIT_LIMIT + 1) / 256
    expected = np.maximum(np.arange(LEVELS) / 64, 1 / 64)
    bins = np.clip(np.rint(3 * np.log2(expected) + 18.5), 0, _BINS - 1)
    return {
        "logits": logits.astype(np.int16),
        "probabilities": np.clip(np.rint(65536 / (1 + np.exp(-units))), 1, 65535).astype(np.uint16),
        "rates": (65536 / (np.arange(1024) + 1.5)).astype(np.uint16),
        "bins": bins.astype(np.uint8),
    }


def untrained() -> Arrays:
    """Return the tables of untrained models, most of them for each of the two quantisers."""
    arrays = Arrays()
    sizes: dict[str, int | tuple[int, int]] = {
        **_ROWS,
        "signs": sum(_SIGN_CONTEXTS),
        "mean_signs": _MEAN_SIGNS,
        "escapes": _CHANNELS * ESCAPES,
    }
    for name, size in sizes.items():
        arrays[f"{name}_logits"] = np.zeros(size, np.int16)
        arrays[f"{name}_counts"] = np.zeros(size, np.uint8)
    for name, n_inputs, sets, more, share in (
        ("scores", len(_CONTEXTS), QUANTIZERS * _BINS * _UNARY, _GROUPS * _AROUND * _UNARY, 1.5),
        ("signs", len(_SIGN_CONTEXTS), 64, 1, 1.5),
        ("means", len(_MEAN_CONTEXTS), _MEAN_SETS * BITS, _CHANNELS * BITS, 1.5),
    ):
        arrays[f"{name}_weights"] = np.full((sets, n_inputs), round(65536 * share / n_inputs), np.int32)
        arrays[f"{name}_more"] = np.zeros((more, n_inputs), np.int32)
    return arrays


def train_models(planes: Sequence[NDArray[np.float32]], arrays: Arrays, seed: int = 1) -> Arrays:
    """Return all tables, with models that the coder learned from images.

    `planes` are the images' scores, (192, rows, columns) each; `arrays` are the bases and relations; `seed`
    decides the order of the images and the crop of each.
    """
    arrays = {**arrays, **scales()}
    fresh = untrained()
    grades = [_grade(planes, {**arrays, **fresh}, steps, seed) for steps in STEPS]
    return arrays | {name: np.stack([grade[name] for grade in grades]) for name in grades[0]}


def _grade(
    planes: Sequence[NDArray[np.float32]], arrays: Arrays, steps: tuple[float, ...], seed: int
) -> Arrays:
    """Train the models at some steps.

    Models follow the latest pictures; their means over the second half of all pictures fit others better.
    """
    random = np.random.default_rng(seed)
    jobs = [(image, step) for image in range(len(planes)) for step in steps]
    learner = ModelTrainer(arrays)
    late = range(len(jobs) // 2, len(jobs))
    total: dict[str, NDArray[np.int64]] = {}
    for done, job in enumerate(random.permutation(len(jobs)).tolist()):
        image, step = jobs[job]
        rows, columns = planes[image].shape[1:]
        height, width = min(CROP[0], rows), min(CROP[1], columns)
        top = int(random.integers(0, rows - height + 1))
        left = int(random.integers(0, columns - width + 1))
        crop = planes[image][:, top : top + height, left : left + width]
        learner.code(crop / np.float32(step * 2 ** random.uniform(-0.3, 0.3)))
        if done in late:
            for name, array in learner.arrays().items():
                total[name] = total.get(name, 0) + array.astype(np.int64)
    last = learner.arrays()
    return {name: _kept(name, array, len(late)).astype(last[name].dtype) for name, array in total.items()}


def _kept(name: str, total: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the mean of the learned numbers, rounded as coarsely as costs no compression."""
    mean = (2 * total + count) // (2 * count)
    if name.endswith("_logits"):
        unit = LOGIT_UNIT if name.removesuffix("_logits") in ROWS else FINER_UNIT
        most = LOGIT_LIMIT // unit * unit
        return np.clip((mean + unit // 2) // unit * unit, -most, most)
    if name.endswith("_counts"):
        return np.minimum(mean, PRIOR)
    return mean


_MODEL = np.dtype([("words", np.uint32), ("logits", np.int32)])


def _learned() -> np.dtype[np.void]:
    """Return the type of the core's struct of models."""
    sets = 2 * _BINS * _UNARY
    counted = {name: -(-rows // ROWS_COUNTED) for name, (rows, _) in _ROWS.items()}
    parts: list[Any] = [
        ("scores_weights", np.int32, (sets, _SPREAD)),
        ("scores_more", np.int32, (_GROUPS * _AROUND * _UNARY, _SPREAD)),
        ("signs_weights", np.int32, (64, _SPREAD)),
        ("signs_more", np.int32, (1, _SPREAD)),
        ("means_weights", np.int32, (_MEAN_SETS * BITS, _SPREAD)),
        ("means_more", np.int32, (_CHANNELS * BITS, _SPREAD)),
        *((f"{name}_rows", np.int64, (9,)) for name in ROWS),
        *((f"{name}_before", np.int32, (counted[name],)) for name in ROWS),
        *((f"{name}_numbers", np.uint16, (_ROWS[name][0],)) for name in ROWS),
        ("signs", _MODEL, (sum(_SIGN_CONTEXTS),)),
        ("mean_signs", np.uint32, (_MEAN_SIGNS,)),
        ("quiet", np.uint32, (QUANTIZERS * _QUIET,)),
        ("escapes", np.uint32, (_CHANNELS * ESCAPES,)),
        ("limit", np.int64),
        ("means_limit", np.int64),
    ]
    parts.append(("", np.uint8, (-np.dtype(parts, align=True).itemsize % _LINE,)))
    parts += [(name, _MODEL, (rows + 1, width)) for name, (rows, width) in _ROWS.items()]
    return np.dtype(parts, align=True)


class ModelTrainer:
    """Codes pictures one after the other, and keeps the adaptive state."""

    def __init__(self, arrays: Arrays) -> None:
        self._logits, self._before = arrays["logits"], arrays
        self._plan = tables_of(arrays).components(_CHANNELS)
        self._memory = np.zeros(size_of("Models"), np.uint8)
        self._plan.take_models(self._memory)
        self._models = self._memory.view(_learned())[0]
        self._models["limit"] = TRAINED_LIMIT

    def code(self, planes: NDArray[np.float32]) -> int:
        """Code a picture of scores, (192, rows, columns) in units of the step; return its size in bytes."""
        order = self._plan.planes
        integers: NDArray[Any] = np.zeros(planes.shape, np.int32)
        coder = PhotoSliceCoder(self._plan, integers, models=self._memory)
        coded, _ = coder.encode(lambda index: planes[order[index]], coder.price, lambda _: None)
        return len(coded)

    def arrays(self) -> Arrays:
        """Return the tables of the models as learned so far."""
        models = self._models
        arrays = Arrays()
        for name in ("scores", "signs", "means", "mean_signs", "escapes"):
            words = models[name]["words"] if name in {*ROWS, "signs"} else models[name]
            chances = (words >> np.uint32(COUNT_BITS + 6)).astype(np.int64)
            logits, counts = self._logits[chances], np.minimum(words & np.uint32(1023), 255).astype(np.uint8)
            if name in ROWS:
                # Rows that were never asked for were not made.
                numbers = models[f"{name}_numbers"]
                made = (numbers > 0)[:, np.newaxis]
                logits = np.where(made, logits[numbers], self._before[f"{name}_logits"])
                counts = np.where(made, counts[numbers], self._before[f"{name}_counts"])
            arrays[f"{name}_logits"], arrays[f"{name}_counts"] = logits, counts
        for name in ("scores", "signs", "means"):
            for kind in ("weights", "more"):
                inputs = self._before[f"{name}_{kind}"].shape[1]
                arrays[f"{name}_{kind}"] = models[f"{name}_{kind}"][:, :inputs].copy()
        return arrays

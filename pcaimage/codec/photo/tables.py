"""Trained tables: bases, dependencies between components, and the initial state of adaptive models.

Files name the version of the tables that they were made with; every version ever shipped is kept.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import STRENGTHS, Header
from pcaimage.codec.photo.layout import PER_CHANNEL, channel_map
from pcaimage.codec.photo.local_steps import CHANNEL_FACTOR, channel_factors
from pcaimage.codec.photo.memory import Memory
from pcaimage.codec.photo.scores import component, means
from pcaimage.codec.photo.scores.component import LearnedScores
from pcaimage.codec.photo.scores.means import Means
from pcaimage.codec.photo.scores.mixing import COUNT_BITS, LOGIT_LIMIT, Mixer, Scales
from pcaimage.codec.photo.scores.networks import Networks, networks_of
from pcaimage.codec.photo.scores.ordering import ranked
from pcaimage.codec.photo.scores.relations import Plan, predictors_of
from pcaimage.codec.photo.scores.shrinkage import Shrinkage, combined, finer_of, grade_of
from pcaimage.codec.settings import MOST_PHOTO_CHANNELS
from pcaimage.errors import FormatError
from pcaimage.machine.folders import asset
from pcaimage.sampling.lapped import BLOCK

Arrays = dict[str, NDArray[np.generic]]


def read_arrays(path: Path) -> Arrays:
    """Return the arrays of a file by their names."""
    data, place, arrays = zlib.decompress(path.read_bytes()), 0, Arrays()
    while place < len(data):
        stop = place + 1 + data[place]
        name, kind, axes = (
            data[place + 1 : stop].decode("ascii"),
            data[stop : stop + 2].decode(),
            data[stop + 2],
        )
        shape = np.frombuffer(data, "<u4", axes, stop + 3).tolist()
        place, dtype = stop + 3 + 4 * axes, np.dtype(f"<{kind}")
        values = np.frombuffer(data, dtype, math.prod(shape), place)
        arrays[name] = values.astype(dtype.newbyteorder("="), copy=False).reshape(shape)
        place += values.nbytes
    return arrays


NEWEST = 1
"""Version used for new files."""

PRIOR = 30
"""Largest count that a trained model starts with."""

GRADES = (5.5, 23.0)
"""Steps, on a scale of 255, that separate the models trained at fine, medium and coarse steps."""

LEARNED = frozenset(
    {"by_component", "by_place"}
    | {f"{name}_{kind}" for name in ("scores", "signs", "means") for kind in ("weights", "more")}
    | {
        f"{name}_{kind}"
        for name in ("scores", "signs", "means", "mean_signs", "quiet", "escapes")
        for kind in ("logits", "counts")
    }
)
"""Arrays whose first axis is the grade: fine, medium or coarse steps."""

QUIET_PRIOR = 255
LIMIT, SPEED = 255, 6
TRAINED_CHANNELS = 3

_AT_ONCE = 1 << 14
"""Number of models expanded at once, which limits the memory of intermediate arrays."""


@dataclass(frozen=True, eq=False)
class Components:
    """The components of images with a given number of channels, in the order of the file."""

    planes: NDArray[np.int64]  # in the cascade, constant components first
    plan: Plan  # trained parameters of the others
    prediction: NDArray[np.int32]  # of the others from differences of means, in 2^-11


@dataclass(frozen=True, eq=False)
class Tables:
    """One version of the trained tables.

    Those from a `folder` have what all grades share; the :data:`LEARNED` arrays are in those of one grade.
    """

    arrays: Arrays = field(repr=False)
    folder: Path | None = None
    of_all_grades: Tables | None = None

    @classmethod
    def of(cls, version: int) -> Tables:
        """Return the tables of a version."""
        if version != NEWEST:
            raise FormatError(
                f"The photo was made with tables {version}, which this version of the program does not have."
            )
        return _load(asset("resources", f"photo-{version}"))

    @cached_property
    def networks(self) -> Networks:
        """The networks that expect components."""
        return networks_of(self.arrays) if self.of_all_grades is None else self.of_all_grades.networks

    @property
    def basis(self) -> NDArray[np.int64]:
        """Trained components of eight lapped samples, in units of 2^-14, shape (8, 8)."""
        return self.arrays["basis"].astype(np.int64)

    @property
    def scales(self) -> Scales:
        """Constant tables of the mixing arithmetic."""
        return Scales(
            self.arrays["logits"].astype(np.int16),
            self.arrays["probabilities"].astype(np.int32),
            self.arrays["rates"].astype(np.int32),
        )

    def shrinkage(self, header: Header, levels: NDArray[np.int8]) -> Shrinkage | None:
        """Return the shrinkage of an image's channels; None where there is none.

        `levels` are those of the steps in all blocks, shape (rows, columns).
        """
        if not any(header.strengths):
            return None
        channels = header.shape[-1]
        kinds = np.minimum(np.arange(channels), TRAINED_CHANNELS - 1)
        strengths = np.array(header.strengths).reshape(channels, STRENGTHS)
        factors, step = channel_factors(header), float(header.step) * 255 / header.peak
        trained = self.arrays["shrink_gains"].astype(np.int32)
        grades, gains = np.zeros(factors.shape, np.int64), list[NDArray[np.int16]]()
        for level, by_channel in enumerate(factors.tolist()):
            grades[level] = [grade_of(step * factor / CHANNEL_FACTOR) for factor in by_channel]
            own = trained[grades[level], :, kinds].swapaxes(0, 1)
            gains.append(combined(own, strengths))
        return Shrinkage(
            np.stack(gains),
            tuple(bool(any(each)) for each in strengths),
            header.step,
            finer_of(grades),
            factors,
            levels,
        )

    def components(self, channels: int, slopes: tuple[int, ...] = ()) -> Components:
        """Return the components of one to four channels, in an image's own order if it has slopes."""
        known = self.of_all_grades or self
        return _ordered(known, channels, slopes) if slopes else _components(known, channels)

    def for_step(self, header: Header) -> Tables:
        """Return the tables with the models trained at steps like an image's."""
        relative = float(header.step) * 255 / header.peak
        return _graded(self, sum(relative >= edge for edge in GRADES))

    def learned(self, memory: Memory | None = None) -> LearnedScores:
        """Return the initial adaptive state of the coding of scores, which the next in this memory ends."""
        arrays, memory = self.arrays, memory or Memory()
        return LearnedScores(
            mixer=_mixer(self, "scores", SPEED, memory, with_logits=True),
            by_component=arrays["by_component"].astype(np.int32),
            by_place=arrays["by_place"].astype(np.int32),
            signs=_mixer(self, "signs", component.SIGN_SPEED, memory, with_logits=True),
            quiet=_words(self, "quiet", QUIET_PRIOR).copy(),
            escapes=_words(self, "escapes", PRIOR).copy().reshape(TRAINED_CHANNELS, component.ESCAPES),
        )

    def means(self, channels: int, rows: int, columns: int, memory: Memory | None = None) -> Means:
        """Return the initial adaptive state of the coding of means, which the next in this memory ends."""
        memory = memory or Memory()
        return Means(
            mixer=_mixer(self, "means", SPEED, memory),
            signs=_words(self, "mean_signs", PRIOR).copy(),
            errors=memory.zeros("errors of means", (means.N_RULES, rows + 1, columns + 2), np.int32),
            left=memory.zeros("means left", (channels, rows, columns), np.int32),
            bias=np.zeros((2, means.BIASES), np.int32),
            rows=rows,
            columns=columns,
        )


@lru_cache(maxsize=4)
def _load(folder: Path) -> Tables:
    return Tables(read_arrays(folder / "shared.tables"), folder)


@lru_cache(maxsize=8)
def _graded(tables: Tables, grade: int) -> Tables:
    if tables.folder is not None:
        learned = read_arrays(tables.folder / f"grade-{grade}.tables")
        return Tables({**tables.arrays, **learned}, of_all_grades=tables)
    given = tables.arrays.items()
    graded = {name: array[grade] if name in LEARNED else array for name, array in given}
    return Tables(graded, of_all_grades=tables)


@lru_cache(maxsize=18)
def _words(tables: Tables, name: str, prior: int) -> NDArray[np.uint32]:
    """Return models from the file's logits and counts; every slice starts from a copy."""
    arrays = tables.arrays
    logits, counts = arrays[f"{name}_logits"].astype(np.int16), arrays[f"{name}_counts"].astype(np.uint8)
    table = arrays["probabilities"].astype(np.uint32) << np.uint32(6 + COUNT_BITS)
    words = np.empty(len(logits), np.uint32)
    for start in range(0, len(words), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        words[part] = table[logits[part].astype(np.int64) + LOGIT_LIMIT] | np.minimum(counts[part], prior)
    words.setflags(write=False)
    return words


@lru_cache(maxsize=6)
def _models(tables: Tables, name: str) -> NDArray[np.uint32]:
    """Return models together with the logits of their probabilities."""
    words = _words(tables, name, PRIOR)
    logits = tables.arrays["logits"].astype(np.int32)[words >> np.uint32(16)]
    models = np.stack([words, logits.view(np.uint32)], axis=1)
    models.setflags(write=False)
    return models


def _mixer(tables: Tables, name: str, speed: int, memory: Memory, *, with_logits: bool = False) -> Mixer:
    weights, more = (tables.arrays[f"{name}_{kind}"].astype(np.int32) for kind in ("weights", "more"))
    known = _models(tables, name) if with_logits else _words(tables, name, PRIOR)
    models = memory.array(f"models of {name}", known.shape, np.uint32)
    models[:] = known
    return Mixer(models, weights, more, LIMIT, speed)


@lru_cache(maxsize=8)
def _components(tables: Tables, channels: int) -> Components:
    arrays = tables.arrays
    order = arrays["order"].astype(np.int64)
    pairs = channel_map(order, channels)
    channel, place = pairs[:, 0], pairs[:, 1]
    trained = np.ix_(place, place)
    # A fourth channel shares the third's parameters, and predicts nothing but itself.
    apart = (channel[:, None] == TRAINED_CHANNELS) != (channel[None, :] == TRAINED_CHANNELS)
    sizes = np.stack(
        [np.where(apart, 0, arrays[name].astype(np.int16)[trained]) for name in ("own", "side", "corner")],
        axis=2,
    )
    signs = _sign_weights(arrays, order, pairs)
    bands = np.minimum(order[place, 1:].sum(axis=1) // 2, 3)
    flat = channel * PER_CHANNEL + order[place, 1] * 8 + order[place, 2]
    plan = Plan(
        *_by_target(sizes),
        *_by_target(signs),
        own_sign=np.ascontiguousarray(np.diagonal(signs).T[:, :2]),
        causal=arrays["causal"].astype(np.int16)[place],
        level=arrays["level"].astype(np.int16)[place] * np.int16(2),
        related=_related(flat),
        channel=channel.astype(np.int16),
        group=(4 * np.minimum(channel, 2) + bands).astype(np.int16),
        place=place.astype(np.int16),
        bins=arrays["bins"].astype(np.int8),
        components=len(pairs),
    )
    planes = np.concatenate([np.arange(channels) * PER_CHANNEL, flat])
    weights = arrays["prediction"].astype(np.int32)[np.minimum(channel, 2), flat % PER_CHANNEL]
    return Components(planes, plan, np.ascontiguousarray(weights))


@lru_cache(maxsize=4)
def _ordered(tables: Tables, channels: int, slopes: tuple[int, ...]) -> Components:
    """Return components in an image's own order, in which only earlier ones predict later ones."""
    usual = _components(tables, channels)
    plan, order = usual.plan, ranked(usual.planes[channels:], slopes)
    planes = usual.planes[channels:][order]
    return Components(
        np.concatenate([usual.planes[:channels], planes]),
        plan.in_order(order, _related(planes)),
        np.ascontiguousarray(usual.prediction[order]),
    )


def _by_target(weights: NDArray[np.int16]) -> tuple[NDArray[np.uint64], NDArray[np.int16]]:
    """Return for each component the bit set of earlier ones with nonzero weights, and these weights.

    `weights` has shape (n, n, m), with the predicting component first.
    """
    weights = np.ascontiguousarray(weights.swapaxes(0, 1))
    return predictors_of(weights), weights


def _sign_weights(arrays: Arrays, order: NDArray[np.int64], pairs: NDArray[np.int64]) -> NDArray[np.int16]:
    """Return the weights of scores in predicting signs in the blocks beside, shape (n, n, 2 or 4)."""
    channel, place = pairs[:, 0], pairs[:, 1]
    target, weight = (
        arrays["sign_target"].astype(np.int64)[place],
        arrays["sign_weight"].astype(np.int16)[place],
    )
    number = np.zeros((MOST_PHOTO_CHANNELS, BLOCK, BLOCK), np.int64)
    number[channel, order[place, 1], order[place, 2]] = np.arange(len(pairs))
    own, side, position = np.nonzero(target >= 0)
    _, u, v = order[target[own, side, position]].T
    weights = np.zeros((len(pairs), len(pairs), target.shape[1]), np.int16)
    np.add.at(weights, (own, number[channel[own], u, v], side), weight[own, side, position])
    return weights


def _related(planes: NDArray[np.int64]) -> NDArray[np.int16]:
    """Return the earlier components that serve as context for each component, see :class:`Plan`."""
    own = np.arange(len(planes))
    channel, u, v = planes // PER_CHANNEL, planes // BLOCK % BLOCK, planes % BLOCK
    # Two lines above and to the left are empty, and so is what follows the last channel.
    number = np.full((MOST_PHOTO_CHANNELS + 1, BLOCK + 2, BLOCK + 2), -1)
    number[channel, u + 2, v + 2] = own
    less, other = channel == 0, np.where((channel == 1) | (channel == 2), 3 - channel, MOST_PHOTO_CHANNELS)
    found = (
        number[channel, u + 1, v + 2],
        number[channel, u + 2, v + 1],
        number[0, np.where(less, np.maximum(u - 1, 0), u) + 2, np.where(less, np.maximum(v - 1, 0), v) + 2],
        number[other, u + 2, v + 2],
        number[channel, u, v + 2],
        number[channel, u + 2, v],
    )
    return np.stack([np.where(each < own, each, -1) for each in found], axis=1).astype(np.int16)

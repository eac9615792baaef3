"""Sharing bytes among photographs: one level of visible quality for all of them, at which their files fit.

A photograph's :class:`Curve` has sizes and visible qualities (SSIMULACRA 2) of some of its files. It is first
that of a sample of the picture, and then goes through the file that a goal asks for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.batching.recipes import Export
from pcaimage.batching.tasks import Result, Task
from pcaimage.batching.work import ask
from pcaimage.errors import SettingsError
from pcaimage.imaging.disk.urls import located
from pcaimage.imaging.image.formats import Format, format_named
from pcaimage.progress import part

if TYPE_CHECKING:
    from pcaimage.imaging.rivals.alternatives import Trials

LOSSY = ("JPEG", "WEBP", "AVIF")  # the formats whose files can share bytes, by name
ALIKE = 90.0
"""The visible quality from which on nobody sees a difference; more bytes would be spent for nothing."""
_LEVELS = np.arange(0.0, 100.25, 0.25)
_SHARES = (0.15, 0.45, 0.75, 0.88, 0.93, 0.97)  # shares of the best quality at which samples are tried
_SAMPLE, _LARGEST = 1 << 19, 1 << 22  # pixels of a sample, and of what is measured of a whole picture
_ROUNDS = 3  # of measuring whole files
_NEAR, _CLOSE = 3, 0.75  # steps of quality, and points of visible quality, for which one file tells enough
_FINE = "-444"  # of names of formats whose colours have their full resolution
_LOWER, _SPREAD = 8, 0.75  # levels that are tried for files that look alike, and points that these differ by
_SPARE = 0.985  # share of the bytes that is planned with; the rest is room for what files take more


Values = NDArray[np.float64]


class Point(NamedTuple):
    """A file of a photograph: the quality of its format, its bytes, and its visible quality."""

    quality: float
    n_bytes: float
    visible: float


@dataclass(frozen=True)
class Curve:
    """Files of a photograph by rising quality: of a sample, and whole ones that correct them where they are.

    `most` is the bytes of the photograph, which none of its files is to exceed.
    """

    points: tuple[Point, ...]
    most: int
    format: str = ""  # another way to write the format, if this photograph needs it
    whole: tuple[Point, ...] = ()

    def through(self, point: Point) -> Curve:
        """Return the curve that goes through a whole file, too."""
        return replace(self, whole=tuple(sorted({*self.whole, point})))

    def tells(self, portion: Portion) -> bool:
        """Return whether a whole file tells enough about one with a portion."""
        return any(
            abs(portion.quality - each.quality) <= _NEAR and abs(portion.visible - each.visible) <= _CLOSE
            for each in self.whole
        )

    @cached_property
    def qualities(self) -> Values:
        """The quality for each of the levels of visible quality."""
        qualities, _, visible = self._lines
        fineness = format_named(self.format).fineness if self.format else 1
        found: Values = np.rint(fineness * np.interp(_LEVELS, visible, qualities)) / fineness
        return found

    @cached_property
    def seen(self) -> Values:
        """The visible quality of the files at the levels, which lie between two qualities."""
        qualities, _, visible = self._lines
        found: Values = np.interp(self.qualities, qualities, visible)
        return found

    @property
    def best(self) -> float:
        """The best visible quality."""
        return float(self._lines[2][-1])

    @cached_property
    def sizes(self) -> Values:
        """The bytes at each of the levels."""
        qualities, sizes, _ = self._lines
        found: Values = np.minimum(np.exp(np.interp(self.qualities, qualities, sizes)), self.most)
        return found

    @cached_property
    def _lines(self) -> tuple[Values, Values, Values]:
        """Qualities, logarithms of sizes, and visible qualities, which rise."""
        sample, whole = _columns(self.points), _columns(self.whole)
        grid = np.union1d(sample[0], whole[0])
        sizes, seen = (np.interp(grid, sample[0], values) for values in sample[1:])
        if self.whole:
            sizes, seen = (
                values + np.interp(grid, whole[0], true - np.interp(whole[0], grid, values))
                for values, true in zip((sizes, seen), whole[1:], strict=True)
            )
        return grid, np.maximum.accumulate(sizes), np.maximum.accumulate(seen)


def _columns(points: tuple[Point, ...]) -> tuple[Values, Values, Values]:
    table = np.array(points, np.float64).reshape(-1, 3).T
    return table[0], np.log(table[1]), table[2]


class Portion(NamedTuple):
    """What one photograph gets: a quality, what is expected of its file, and the most bytes it may take."""

    quality: float
    n_bytes: float
    visible: float
    most: int
    format: str = ""


@dataclass(frozen=True)
class Goal:
    """What files of a batch keep to: bytes of all or of each, and a visible quality that suffices."""

    total: int | None = None
    each: int | None = None
    visible: float = ALIKE

    def __post_init__(self) -> None:
        sizes = [size for size in (self.total, self.each) if size is not None]
        if min(sizes, default=1) < 1 or not 0 < self.visible <= 100:
            raise SettingsError("A size is at least one byte, and a visible quality above 0 and at most 100.")

    def shared(self, curves: Mapping[str, Curve], count: int = 0) -> dict[str, Portion]:
        """Return the portions of photographs, of which there may be more than have curves by now."""
        rooms: Mapping[str, float] = dict.fromkeys(curves, math.inf if self.each is None else self.each)
        levels = {source: _last(each.sizes, rooms[source]) for source, each in curves.items()}
        if self.total is not None and curves:
            share = self.total * len(curves) / max(count, len(curves))
            sizes = np.sum([each.sizes for each in curves.values()], axis=0)
            level = _most_alike([*curves.values()], min(_last(sizes, share), self._enough))
            levels = dict.fromkeys(curves, level)
            rooms = {source: share * each.sizes[level] / sizes[level] for source, each in curves.items()}
        found = dict[str, Portion]()
        for source, curve in curves.items():
            level = min(levels[source], self._enough)
            room = int(min(rooms[source], curve.most))
            expected = float(curve.sizes[level]), float(curve.seen[level])
            found[source] = Portion(float(curve.qualities[level]), *expected, room, curve.format)
        return found

    @property
    def _enough(self) -> int:
        return int(np.searchsorted(_LEVELS, self.visible))


def _last(sizes: Values, room: float) -> int:
    """Return the last level at which sizes fit; the first if none does."""
    return max(0, int(np.searchsorted(sizes, _SPARE * room, side="right")) - 1)


def _most_alike(curves: Sequence[Curve], level: int) -> int:
    """Return the highest level, from one down to two points below, at which files look alike, or the best."""
    levels = np.arange(max(0, level - _LOWER), level + 1)
    seen = np.array([each.seen[levels] for each in curves])
    # What cannot be better does not count.
    capped = np.array([[each.best] for each in curves]) < _LEVELS[levels]
    spread = np.ptp(np.where(capped, _LEVELS[levels], seen), axis=0)
    good = np.flatnonzero(spread <= _SPREAD)
    return int(levels[good[-1] if good.size else np.argmin(spread)])


def shared(
    tasks: Iterable[Task],
    goal: Goal,
    known: Mapping[str, Curve],
    surveys: Callable[[Iterable[Task]], Iterable[tuple[str, Curve] | Result]],
) -> tuple[list[Task], list[Result]]:
    """Return tasks that keep to a goal, and the failures of those that cannot be judged.

    `surveys` calls :func:`survey` for tasks; curves that are known are not made again.
    """
    given, failures = list(tasks), list[Result]()
    curves = {task.source: known[task.source] for task in given if task.source in known}
    for each in surveys(task for task in given if task.source not in known):
        if isinstance(each, Result):
            failures.append(each)
        else:
            curves[each[0]] = each[1]
    for _ in range(_ROUNDS):
        portions = goal.shared(curves)
        near = {source for source, each in portions.items() if curves[source].tells(each)}
        for each in surveys(_portioned((task for task in given if task.source not in near), portions)):
            if not isinstance(each, Result):
                curves[each[0]] = curves[each[0]].through(each[1].points[0])
    return _portioned(given, goal.shared(curves)), failures


def _portioned(tasks: Iterable[Task], portions: Mapping[str, Portion]) -> list[Task]:
    """Return the tasks of photographs that have a portion, with recipes for it."""
    return [
        replace(
            task,
            recipe=replace(
                recipe, format=portion.format or recipe.format, quality=portion.quality, most=portion.most
            ),
        )
        for task in tasks
        if (portion := portions.get(task.source)) is not None and isinstance(recipe := task.recipe, Export)
    ]


def survey(task: Task) -> tuple[str, Curve]:
    """Return the curve of an image by a sample, or the point of its file if the recipe has a quality.

    PcaImageError if the image cannot be read, or has none.
    """
    # The process that waits for curves loads no format.
    # ruff: noqa: PLC0415
    from pcaimage.imaging.rivals.alternatives import Trials, decoded
    from pcaimage.imaging.writing.write import encode_image

    recipe = task.recipe
    if not isinstance(recipe, Export):
        raise SettingsError("Only files of other formats share bytes by what is seen.")
    target = format_named(recipe.format)
    with located(task.source) as source:
        image, most = recipe.image(source, part(ask, 0.0, 0.5)), source.stat().st_size
    if recipe.quality is not None:
        trials = Trials(image, _LARGEST)
        ask(6, 10)
        data = encode_image(image, target.name, recipe.quality)
        seen = trials.compared(decoded(data, image, target))[1]
        return task.source, Curve((Point(recipe.quality, len(data), seen),), most)
    trials = Trials(image, _SAMPLE)
    curve = _curve(trials, target, most)
    if curve.best < ALIKE and target.name in ("JPEG", "AVIF"):  # colours of half the resolution do not do
        curve = _curve(trials, format_named(f"{target.name}{_FINE}"), most)
    return task.source, curve


def _curve(trials: Trials, target: Format, most: int) -> Curve:
    points = list[Point]()
    for share in _SHARES:
        ask(len(_SHARES) + len(points), 2 * len(_SHARES))
        made = trials.alternative(target, round(share * target.max_quality))
        points.append(Point(made.quality or 0, made.n_bytes, made.score))
    return Curve(tuple(points), most, target.name)

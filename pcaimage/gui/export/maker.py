"""Makes exports: the picture as it is wanted, the size of its file, and a preview of a detail. No Qt here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage import api, imaging
from pcaimage.gui.export.plan import PAGE, PCAI, QUALITIES, Equal, ExportPlan, comparable
from pcaimage.gui.session.state import ExactReconstruction
from pcaimage.gui.session.targets import find_size
from pcaimage.gui.session.work import Task
from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.imaging.image.formats import SEVERAL, Format, files_of
from pcaimage.imaging.rivals.alternatives import INVISIBLE, PROPOSED
from pcaimage.imaging.writing.adapt import Adaptation
from pcaimage.progress import Progress, part

DETAIL = 264  # side of the preview of a detail, in pixels

MOST_BYTES = 400_000_000
"""Size in bytes of images up to which the exact size of a file is measured; otherwise it is estimated."""

_ROUNDS, _NEAR, _DOUBLED = 4, 0.7, 11.0
"""Most compressed files that are tried for the looks of another, how near they need to be in points of
SSIMULACRA 2, and the points that twice the bytes are worth."""

_PROPOSAL_PIXELS = 6 << 16  # pixels of the sample on which a format is proposed


@dataclass(frozen=True, eq=False)
class Glimpse:
    """The first information about a plan's file: its approximate size, and the look of a detail."""

    plan: ExportPlan
    size: tuple[int, int]  # width and height in pixels
    n_bytes: int
    exact: bool  # whether the size is exact rather than an estimate
    detail: NDArray[np.uint8] | None  # a detail as the file shows it, shape (h, w, 1 or 3); None for stacks


@dataclass(eq=False)
class ExportMaker:
    """Makes the files of one image, for one plan after another; used by several threads."""

    task: Task
    settled: ExactReconstruction | None
    centre: tuple[float, float] = (0.5, 0.5)  # the middle of the detail, as shares of width and height
    _reconstruction: imaging.Image | None = field(default=None, init=False)
    _trials: tuple[tuple[Adaptation, bool], imaging.Trials] | None = field(default=None, init=False)
    _made_page: bytes = field(default=b"", init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def trials(self, plan: ExportPlan, progress: Progress) -> imaging.Trials:
        """Return trial files of the picture with the plan's size, colours and metadata."""
        original = plan.picture == "original" and self.task.original is not None
        key = plan.adaptation(self.task.document), original
        with self._lock:
            if self._trials is None or self._trials[0] != key:
                self._trials = key, imaging.Trials(self._picture(plan, progress, original=original))
            return self._trials[1]

    def _picture(self, plan: ExportPlan, progress: Progress, *, original: bool) -> imaging.Image:
        source = self.task.original if original else None
        if source is None:
            if self._reconstruction is None:
                self._reconstruction = self.task.reconstruction(self.settled, part(progress, 0.0, 0.8))
            source = self._reconstruction
        return plan.adaptation(self.task.document).apply(source, part(progress, 0.8, 1.0))

    def propose(self, plan: ExportPlan, progress: Progress) -> ExportPlan:
        """Return a plan with the smallest file that looks like the picture: lossless if that is smaller.

        All formats get the qualities at which they look so; the plan stays where nothing can be compared.
        """
        formats = [each for each in comparable(self.task.document) if each.name in PROPOSED]
        if not formats:
            return plan
        image = self.trials(plan, part(progress, 0.0, 0.1)).image
        sample = imaging.Trials(image, _PROPOSAL_PIXELS)
        found = imaging.smallest(sample, formats, INVISIBLE, part(progress, 0.1, 1.0))
        for each in found:
            if each.score > INVISIBLE - 1:  # it can look so at all
                plan = plan.taking(each.format.name, each.quality)
        return replace(plan, format=found[0].format.name)

    def glimpse(self, plan: ExportPlan, progress: Progress) -> Glimpse:
        """Return the approximate size of a plan's file, and a preview of a detail."""
        trials = self.trials(plan, part(progress, 0.0, 0.5))
        image, step = trials.image, part(progress, 0.5, 1.0)
        sizes: dict[Format, Callable[[Progress], int]]
        sizes = {PCAI: self._own_size, PAGE: lambda step: len(self._page(step))}
        own = (sizes[plan.target](step), True) if plan.own else None
        n_bytes, exact = own or trials.size(plan.target, plan.quality, step)
        return Glimpse(plan, (image.width, image.height), n_bytes, exact, self._detail(image, plan, step))

    def _own_size(self, progress: Progress) -> int:
        """Return the size of the compressed file."""
        known = self.task.fit.file_size(self.task.setting.k)
        return self.task.measure(progress).n_bytes if known is None else known

    def _page(self, progress: Progress) -> bytes:
        """Return the web page that shows the compressed file."""
        if not self._made_page:
            with TemporaryDirectory() as folder:
                path = Path(folder) / f"{self.task.document.suggested_name}{api.SUFFIX}"
                self.task.save(path, part(progress, 0.0, 0.5))
                self._made_page = api.web_page(
                    path.read_bytes(), path.name, progress=part(progress, 0.5, 1.0)
                )
        return self._made_page

    def side_by_side(
        self,
        plan: ExportPlan,
        equal: Equal,
        found: Callable[[imaging.Alternative], object],
        progress: Progress,
    ) -> None:
        """Find files in all formats that are as large as a plan's, or look as good, and the compressed file.

        Estimates of large pictures come first, scaled by the whole file of the plan's format; then every file
        is made, and `found` is called again for it. The plan's own file is the first of all.
        """
        trials = self.trials(plan, part(progress, 0.0, 0.1))
        quick = self.task.document.raw_bytes <= MOST_BYTES
        make = trials.measure if quick else trials.alternative
        if plan.own:
            own = pcai = self._compressed(plan, trials, self.task, part(progress, 0.1, 0.2))
        else:
            found(trials.alternative(plan.target, plan.quality))
            progress(2, 10)
            own = make(plan.target, plan.quality)
            found(own)
            if quick and self.task.original is not None and self.task.fit.points.by_step:
                pcai = self._alike(own, equal, plan, trials, part(progress, 0.2, 0.3))
            else:
                pcai = self._compressed(plan, trials, self.task, part(progress, 0.2, 0.3))
        found(pcai)

        def equally(target: Format, step: Progress) -> imaging.Alternative:
            if equal == "size":
                return trials.at_size(target, own.n_bytes, QUALITIES, step)
            return trials.at_score(target, own.score, QUALITIES, step)

        others = [each for each in comparable(self.task.document) if each.name != plan.format]
        share = 0.3 / max(len(others), 1)
        for done, target in enumerate(others):
            found(equally(target, part(progress, 0.2 + share * done, 0.2 + share * (done + 1))))
        for done, target in enumerate(others if quick else []):
            progress(5 * len(others) + 5 * done, 10 * len(others))
            row = make(*_key(equally(target, progress)))
            better = equally(target, progress)  # by the whole file, which may differ from the estimate
            found(row if _key(better) == _key(row) else make(*_key(better)))

    def _compressed(
        self, plan: ExportPlan, trials: imaging.Trials, task: Task, progress: Progress
    ) -> imaging.Alternative:
        """Return the compressed file of a setting, whose sides are the image's whatever a plan's are."""
        if task is self.task:
            shown, n_bytes = self._picture(plan, progress, original=False), self._own_size(progress)
        else:
            shown = plan.adaptation(task.document).apply(task.reconstruction(None, progress), progress)
            n_bytes = task.measure(progress).n_bytes
        return imaging.Alternative(PCAI, None, n_bytes, *trials.compared(shown), exact=True)

    def _alike(
        self,
        own: imaging.Alternative,
        equal: Equal,
        plan: ExportPlan,
        trials: imaging.Trials,
        progress: Progress,
    ) -> imaging.Alternative:
        """Return a compressed file as large as a plan's, or one that looks as good."""
        tried = [] if equal == "size" else [self._compressed(plan, trials, self.task, progress)]
        size = float(own.n_bytes)
        for number in range(1 if equal == "size" else _ROUNDS):
            step = part(progress, number / _ROUNDS, (number + 1) / _ROUNDS)
            setting = find_size(self.task, round(size), step).applied(self.task.setting)
            tried.append(self._compressed(plan, trials, replace(self.task, setting=setting), step))
            if abs(missing := own.score - tried[-1].score) < _NEAR:
                break
            size = tried[-1].n_bytes * 2 ** min(max(missing / _DOUBLED, -2), 2)
        return min(tried, key=lambda row: abs(row.score - own.score))

    def measurable(self, plan: ExportPlan) -> bool:
        """Return whether the exact size of a plan's file can be measured quickly enough."""
        return plan.format not in SEVERAL and not plan.own and self.task.document.raw_bytes <= MOST_BYTES

    def measure(self, plan: ExportPlan, progress: Progress) -> int:
        """Encode the file of a plan, and return its size in bytes."""
        return len(self._data(plan, progress))

    def _data(self, plan: ExportPlan, progress: Progress) -> bytes:
        trials = self.trials(plan, part(progress, 0.0, 0.5))
        return trials.encode(plan.target, plan.quality, part(progress, 0.5, 1.0))

    def write(self, plan: ExportPlan, path: Path, progress: Progress) -> int:
        """Write the file of a plan, replacing one that exists, and return its size in bytes."""
        if plan.own or self.measurable(plan):
            data = self._page(progress) if plan.own else self._data(plan, progress)
            progress(1, 1)  # cancelled work must not leave a file
            atomic_write_bytes(path, data, overwrite=True)
            return len(data)
        image = self.trials(plan, part(progress, 0.0, 0.5)).image
        step = part(progress, 0.5, 1.0)
        imaging.write_image(path, image, step, quality=plan.quality, overwrite=True, format=plan.format)
        return sum(each.stat().st_size for each in files_of(path))

    def _detail(self, image: imaging.Image, plan: ExportPlan, progress: Progress) -> NDArray[np.uint8] | None:
        """Return a detail of the picture as the file shows it."""
        if image.is_stack:
            return None
        sides = zip(self.centre[::-1], (image.height, image.width), strict=True)
        top, left = (_start(share, side) for share, side in sides)
        shown = self._picture(plan, progress, original=False) if plan.own else image
        detail: NDArray[Any] = np.ascontiguousarray(shown.pixels[top : top + DETAIL, left : left + DETAIL])
        if not plan.own and image.channels in (1, 3) and detail.dtype == np.uint8:
            detail = np.ascontiguousarray(
                imaging.as_written(imaging.Image(detail), plan.target, plan.quality)
            )
        return (self.task.display or self.task.document.display).to_bytes(detail)


def _key(row: imaging.Alternative) -> tuple[Format, int | None]:
    return row.format, row.quality


def _start(share: float, side: int) -> int:
    """Return the start of a detail along an axis, at a multiple of the codecs' blocks."""
    return min(max(round(share * side) - DETAIL // 2, 0), max(side - DETAIL, 0)) // 16 * 16

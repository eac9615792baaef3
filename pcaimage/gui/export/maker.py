"""Makes exports: the adapted image, the size of its file, and a preview of a detail. No Qt here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage import imaging
from pcaimage.gui.export.plan import PCAI, Equal, ExportPlan, comparable, quality_range
from pcaimage.gui.session.state import ExactReconstruction
from pcaimage.gui.session.work import Task
from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.imaging.image.formats import envi_values
from pcaimage.imaging.writing.adapt import Adaptation
from pcaimage.progress import Progress, part

DETAIL = 264
"""Side of the preview of a detail, in pixels."""

MOST_BYTES = 400_000_000
"""Size in bytes of images up to which the exact size of a file is measured; otherwise it is estimated."""

_HIGHEST = 60.0
"""Decibels above which differences are invisible."""

_KEPT_BYTES = 64_000_000
"""Size in bytes of files above which they are not kept, but encoded again when they are written."""


@dataclass(frozen=True, eq=False)
class Glimpse:
    """The first information about a plan's file: its approximate size, and the look of a detail."""

    plan: ExportPlan
    size: tuple[int, int]
    """Width and height in pixels."""
    n_bytes: int
    exact: bool
    """Whether the size is exact rather than an estimate."""
    detail: NDArray[np.uint8] | None  # a detail at 100 %, shape (h, w, 1 or 3); None for stacks


@dataclass(eq=False)
class ExportMaker:
    """Makes the files of one reconstruction, for one plan after another; used by several threads."""

    task: Task
    settled: ExactReconstruction | None
    centre: tuple[float, float] = (0.5, 0.5)
    """The middle of the detail, as shares of width and height."""
    _source: imaging.Image | None = field(default=None, init=False)
    _adapted: tuple[Adaptation, imaging.Image] | None = field(default=None, init=False)
    _file: tuple[ExportPlan, bytes] | None = field(default=None, init=False)
    _trials: tuple[Adaptation, imaging.Trials] | None = field(default=None, init=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def adapted(self, plan: ExportPlan, progress: Progress) -> imaging.Image:
        """Return the exact reconstruction with the plan's size, colours and metadata."""
        wanted = plan.adaptation(self.task.document)
        with self._lock:
            if self._source is None:
                self._source = self.task.reconstruction(self.settled, part(progress, 0.0, 0.8))
            if self._adapted is None or self._adapted[0] != wanted:
                self._adapted = wanted, wanted.apply(self._source, part(progress, 0.8, 1.0))
            return self._adapted[1]

    def glimpse(self, plan: ExportPlan, progress: Progress) -> Glimpse:
        """Return the approximate size of a plan's file, and a preview of a detail."""
        image = self.adapted(_shown(plan), part(progress, 0.0, 0.5))
        detail = self._detail(image, plan)
        if plan.own:
            n_bytes, exact = self._own_size(part(progress, 0.5, 1.0)), True
        else:
            n_bytes, exact = imaging.estimate_size(image, plan.target, plan.quality, part(progress, 0.5, 1.0))
        return Glimpse(plan, (image.width, image.height), n_bytes, exact, detail)

    def _own_size(self, progress: Progress) -> int:
        """Return the size of the compressed file."""
        known = self.task.fit.file_size(self.task.setting.k)
        return self.task.measure(progress).n_bytes if known is None else known

    def side_by_side(
        self,
        plan: ExportPlan,
        equal: Equal,
        found: Callable[[imaging.Alternative], object],
        progress: Progress,
    ) -> None:
        """Find files of the original that are as large as a plan's, or as good, and the compressed file.

        Without the original, they are files of the reconstruction. Estimates of large pictures come first,
        scaled by the whole file of the plan's format; then every file is made, and `found` is called again
        for it. The plan's own file is the first of all.
        """
        trials = self._trials_of(plan, part(progress, 0.0, 0.1))
        own = pcai = self._compressed(plan, part(progress, 0.1, 0.2))
        large = self.task.document.raw_bytes <= MOST_BYTES
        if not plan.own:
            found(trials.alternative(plan.target, plan.quality))
            progress(2, 10)
            own = (trials.measure if large else trials.alternative)(plan.target, plan.quality)
            found(own)
        found(pcai)
        others = [each for each in comparable(self.task.document) if each.name != plan.format]
        rows = list[imaging.Alternative]()
        for done, target in enumerate(others):
            step = part(progress, 0.2 + 0.4 * done / len(others), 0.2 + 0.4 * (done + 1) / len(others))
            qualities = quality_range(target)
            if equal == "size":
                rows.append(trials.at_size(target, own.n_bytes, qualities, step))
            else:
                rows.append(trials.at_psnr(target, min(own.psnr, _HIGHEST), qualities, step))
            found(rows[-1])
        for done, row in enumerate(rows * large):
            progress(6 * len(rows) + 4 * done, 10 * len(rows))
            if not row.exact:
                found(trials.measure(row.format, row.quality))

    def _trials_of(self, plan: ExportPlan, progress: Progress) -> imaging.Trials:
        shown, original = _shown(plan), self.task.original
        wanted = shown.adaptation(self.task.document)
        if self._trials is None or self._trials[0] != wanted:
            image = self.adapted(shown, progress) if original is None else wanted.apply(original, progress)
            self._trials = wanted, imaging.Trials(image)
        return self._trials[1]

    def _compressed(self, plan: ExportPlan, progress: Progress) -> imaging.Alternative:
        """Return the compressed file, which keeps its size whatever a plan's is, beside the original."""
        whole = self.adapted(replace(plan, format="TIFF", resize_by="off", srgb=False), progress).pixels
        original = whole if self.task.original is None else self.task.original.pixels
        n_bytes, similar = self._own_size(progress), imaging.ssim(original, whole)
        return imaging.Alternative(PCAI, None, n_bytes, imaging.psnr(original, whole), similar, exact=True)

    def measurable(self, plan: ExportPlan) -> bool:
        """Return whether the exact size of a plan's file can be measured quickly enough."""
        return plan.format not in ("ENVI", "PCAI") and self.task.document.raw_bytes <= MOST_BYTES

    def measure(self, plan: ExportPlan, progress: Progress) -> int:
        """Encode the file of a plan, and return its size in bytes."""
        image = self.adapted(plan, part(progress, 0.0, 0.5))
        data = imaging.encode_image(image, plan.format, plan.quality, progress=part(progress, 0.5, 1.0))
        if len(data) <= _KEPT_BYTES:
            self._file = plan, data
        return len(data)

    def write(self, plan: ExportPlan, path: Path, progress: Progress) -> int:
        """Write the file of a plan, replacing one that exists, and return its size in bytes."""
        known = self._file
        if known is not None and known[0] == plan:
            progress(1, 1)  # cancelled work must not leave a file
            atomic_write_bytes(path, known[1], overwrite=True)
            return len(known[1])
        image = self.adapted(plan, part(progress, 0.0, 0.5))
        imaging.write_image(path, image, part(progress, 0.5, 1.0), quality=plan.quality, overwrite=True)
        written = [path, *([envi_values(path)] if plan.format == "ENVI" else [])]
        return sum(each.stat().st_size for each in written)

    def _detail(self, image: imaging.Image, plan: ExportPlan) -> NDArray[np.uint8] | None:
        if image.is_stack:
            return None
        top, left = (
            _start(share, side)
            for share, side in zip(self.centre[::-1], (image.height, image.width), strict=True)
        )
        rows, columns = slice(top, top + DETAIL), slice(left, left + DETAIL)
        pixels: NDArray[Any] = np.ascontiguousarray(image.pixels[rows, columns])
        if not plan.own and image.channels in (1, 3) and pixels.dtype == np.uint8:
            pixels = imaging.as_written(imaging.Image(pixels), plan.target, plan.quality)
        display = self.task.display or self.task.document.display
        return np.ascontiguousarray(display.to_bytes(pixels))


def _shown(plan: ExportPlan) -> ExportPlan:
    """Return a plan of the picture that a plan's file shows: that of a compressed file is unchanged."""
    return replace(plan, format="TIFF", resize_by="off", srgb=False) if plan.own else plan


def _start(share: float, side: int) -> int:
    """Return the start of a detail along an axis, at a multiple of the codecs' blocks."""
    return min(max(round(share * side) - DETAIL // 2, 0), max(side - DETAIL, 0)) // 16 * 16

"""Targets: the k and step that reach a quality or a size, by the library's search. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from pcaimage import api, codec
from pcaimage.codec import Encoding, Estimate, Model
from pcaimage.codec.methods import Rates
from pcaimage.codec.search import Nearest
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.targets import SIZE_TOLERANCE, measured_psnr, reach_psnr, reach_size, reach_ssim
from pcaimage.codec.waterlevel import WaterLevel
from pcaimage.errors import TargetError
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.setting import Setting
from pcaimage.gui.session.work import Task
from pcaimage.imaging import ssim
from pcaimage.insight.words import decibels, file_size
from pcaimage.progress import Progress, no_progress, part

PSNR_TOLERANCE, SSIM_TOLERANCE = 0.04, 0.001
"""The tolerances of targets, in decibels and in SSIM."""

CLOSEST = 1 - 1e-5
"""The largest structural similarity that is searched for; 1 is the image itself."""

SATURATED = 0.05
"""Decibels below the most that can be reached at which more bytes buy nothing."""

_JOBS_END = 0.98


@dataclass(frozen=True)
class Target:
    """The setting at which a target is met, or nearly."""

    k: int
    tuned: float | None = None
    """The step; None if it is the one that belongs to k."""
    hint: str = ""
    """What to say if the target is out of reach."""
    lossless: bool = False
    """Whether the file holds all that the reconstruction lacks, too."""

    def applied(self, setting: Setting) -> Setting:
        """Return the setting at which the target is met.

        Parameters
        ----------
        setting : Setting
            The setting before. What is left out stays so; a step that the user set gives way.
        """
        left_out = frozenset() if self.lossless else setting.left_out
        return Setting(self.k, None, left_out, self.tuned, self.lossless)


def find_psnr(task: Task, psnr: float, progress: Progress) -> Target:
    """Find where a quality is met within 0.05 dB.

    Parameters
    ----------
    task : Task
        Document and components, of which some may be left out; its k does not matter.
    psnr : float
        Decibels.
    progress : Progress
        Told of the tries, and asked whether to go on.
    """
    pixels, analysis = _original(task)
    level, found = _level(task), Nearest(psnr, PSNR_TOLERANCE)
    if task.setting.left_out:
        most = level.estimated_psnr(level.bounds[0])
        if most - SATURATED < psnr:
            # Finer and finer steps would make the file larger, and nothing else.
            place = level.where(lambda log_step: level.estimated_psnr(log_step) >= most - SATURATED)
            model = codec.quantize(analysis, *level.at(place), progress)
            reached = measured_psnr(pixels, model)
            return _target(task, model, _beyond(decibels(psnr), decibels(reached), "most"))
    try:
        model = reach_psnr(pixels, level, psnr, part(progress, 0.0, _JOBS_END), nearest=found)
    except TargetError as error:
        reached, model = _best(found, error)
        text = _beyond(decibels(psnr), decibels(reached), _which(level, model, too_little=reached < psnr))
        return _target(task, model, text)
    return _target(task, model)


def find_ssim(task: Task, similarity: float, progress: Progress) -> Target:
    """Find where a structural similarity is met within 0.001.

    Parameters
    ----------
    similarity : float
        Below 1.
    progress : Progress
        Told of the tries, and asked whether to go on.
    """
    pixels, _ = _original(task)
    wanted = min(max(similarity, 1e-3), CLOSEST)
    level, found = _level(task), Nearest(wanted, min(SSIM_TOLERANCE, (1 - wanted) / 10))
    last = [0, 1]

    def report(done: int, total: int) -> None:
        last[:] = done, total
        progress(done, total)

    def measure(one: NDArray[Any], other: NDArray[Any]) -> float:
        return ssim(one, other, lambda _done, _total: progress(last[0], last[1]))

    try:
        model = reach_ssim(pixels, level, wanted, measure, part(report, 0.0, _JOBS_END), nearest=found)
    except TargetError as error:
        reached, model = _best(found, error)
        which = _which(level, model, too_little=reached < wanted)
        return _target(task, model, _beyond(f"An SSIM of {similarity:g}", _floored(reached), which))
    return _target(task, model)


def find_size(task: Task, n_bytes: int, progress: Progress) -> Target:
    """Find where the file just fits into a size.

    Parameters
    ----------
    progress : Progress
        Told of the tries, and asked whether to go on.

    Returns
    -------
    Target
        The place: never above the size, and within 2 % of it where there are steps; or the nearest.
    """
    if task.fit.file_size(1) is not None:
        return _trimmed(task.fit, n_bytes)
    tries: dict[int, Encoding] = {}

    def complete(model: Model) -> Encoding:
        return _complete(task, model)

    def measure(encoding: Encoding) -> int:
        size = api.size_of(encoding.compressed)
        tries[size] = encoding
        for other in [each for each in tries if each not in {min(tries), size}]:
            del tries[other]  # they are large
        return size

    level, searching = _level(task, carrying=True), part(progress, 0.0, _JOBS_END)
    try:
        encoding = reach_size(level, max(n_bytes, 1), complete, measure, searching)
    except TargetError:
        if not tries:
            raise
        smallest = min(tries)
        return _target(task, tries[smallest].model, _beyond(file_size(n_bytes), file_size(smallest), "least"))
    size = api.size_of(encoding.compressed)
    if size < n_bytes * (1 - 2 * SIZE_TOLERANCE) and _which(level, encoding.model, too_little=True) == "most":
        text = (
            f"{file_size(n_bytes)} is more than the image needs; {file_size(size)} is the most it can take."
        )
        return _target(task, encoding.model, text)
    return _target(task, encoding.model)


def _trimmed(fit: Fit, n_bytes: int) -> Target:
    """Return the largest k of a compressed file that fits into a size: its components are what they are."""
    sizes = [fit.file_size(k) or 0 for k in range(1, fit.n_components + 1)]
    k = sum(size <= n_bytes for size in sizes)
    return Target(k) if k else Target(1, hint=_beyond(file_size(n_bytes), file_size(sizes[0]), "least"))


def _original(task: Task) -> tuple[NDArray[Any], Spectrum]:
    image, analysis = task.image, task.lacking.analysis
    if image is None or analysis is None:
        raise ValueError("Without the original there is nothing to compare with.")
    return image.pixels, analysis


def _complete(task: Task, model: Model) -> Encoding:
    image, analysis = task.image, task.lacking.analysis
    if image is None or analysis is None:
        raise ValueError("Only an image can be compressed; a file is trimmed.")
    return codec.complete(image.pixels, analysis, model, alpha=image.alpha, metadata=api.metadata_of(image))


@dataclass(frozen=True)
class _Carrying:
    """Estimates of files that carry opacity and metadata too."""

    rates: Rates
    extra: int

    def estimate(self, k: int, step: float | None = None) -> Estimate:
        found = self.rates.estimate(k, step)
        return replace(found, n_bytes=found.n_bytes + self.extra)

    def knows(self, step: float) -> bool:
        return self.rates.knows(step)

    def curve(self, progress: Progress = no_progress) -> list[Estimate]:
        return [replace(each, n_bytes=each.n_bytes + self.extra) for each in self.rates.curve(progress)]


def _level(task: Task, *, carrying: bool = False) -> WaterLevel:
    lacking = task.lacking
    if lacking.analysis is None or lacking.rates is None:
        raise ValueError("A compressed file has no steps to choose from.")
    rates: Rates = lacking.rates
    if carrying:
        rates = _Carrying(rates, lacking.carried_bytes(task.document.image))
    return WaterLevel(lacking.analysis, rates)


def _target(task: Task, model: Model, hint: str = "") -> Target:
    """Return a place; its step is told only where it is not the one that belongs to k anyway."""
    task.lacking.remember(model)
    usual, step = task.lacking.step(model.k, None), model.header.step
    return Target(model.k, None if step == usual else float(step), hint)


def _best(found: Nearest, error: TargetError) -> tuple[float, Model]:
    if found.best is None:
        raise error
    return found.best


def _which(level: WaterLevel, model: Model, *, too_little: bool) -> str:
    """Return what to call the nearest that can be reached."""
    low, high = level.bounds
    place = math.log2(float(model.header.step))
    ends = (place < low + 1e-3) if too_little else (place > high - 1e-3)
    return ("most" if too_little else "least") if ends else "nearest"


def _floored(similarity: float) -> str:
    """Return a structural similarity as text that is never rounded up to one that is not reached."""
    return f"{math.floor(similarity * 1e4) / 1e4:.4f}"


def _beyond(wanted: str, reached: str, which: str) -> str:
    how = "met exactly" if which == "nearest" else "reached"
    return f"{wanted} cannot be {how}; {reached} is the {which}."

"""Searches for the k and step that reach a quality or a size, and presets. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage import api, codec
from pcaimage.api.presets import BUILT_IN, bytes_of
from pcaimage.codec import Encoding, Model, Settings, Step, targets
from pcaimage.codec.encoder import resolve
from pcaimage.codec.search import Nearest, WaterLevel
from pcaimage.codec.spectrum import Spectrum
from pcaimage.errors import TargetError
from pcaimage.gui.session.choice import Goal, Setting
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.state import SizeGuess
from pcaimage.gui.session.work import Task
from pcaimage.imaging import ssim
from pcaimage.insight.formatting import decibels, file_size
from pcaimage.machine.folders import tables
from pcaimage.progress import Progress, Stages, constant, part

PSNR_TOLERANCE, SSIM_TOLERANCE = 0.08, 0.002  # by how much targets may be exceeded, in decibels and in SSIM
CLOSEST = 1 - 1e-5  # the largest SSIM that is searched for; 1 is the image itself
SATURATED = 0.05  # decibels below the largest PSNR at which more bytes gain nothing

_JOBS_END = 0.98


@dataclass(frozen=True)
class Target:
    """The setting at which a target is reached, or the nearest one."""

    k: int
    tuned: float | None = None  # the step; None if it is the one that belongs to k
    hint: str = ""  # the message if the target is out of reach
    lossless: bool = False  # whether the file also holds the residual
    for_psnr: bool = False  # whether it is a photo's PSNR, for which the photo is then optimised by default
    saturated: bool = False  # whether the target is a size that is more than the image needs

    def applied(self, setting: Setting) -> Setting:
        """Return a setting with this k and step; components stay left out unless it is lossless."""
        left_out = frozenset() if self.lossless else setting.left_out
        return Setting(self.k, None, left_out, self.tuned, self.lossless, self.for_psnr)


def find_psnr(task: Task, psnr: float, progress: Progress) -> Target:
    """Find the setting that reaches a PSNR in decibels, or up to 0.08 dB more if there are steps.

    Components may be left out of the task; its k does not matter.
    """
    task = _moved(task, for_psnr=task.fit.choice.method == "photo")
    pixels, analysis = _original(task)
    level, found = _level(task), Nearest(psnr, PSNR_TOLERANCE)
    most = level.rough(level.bounds[0]).psnr if task.setting.left_out else math.inf
    if most - SATURATED < psnr:
        # Finer steps would only make the file larger.
        place = level.where(lambda log_step: level.rough(log_step).psnr >= most - SATURATED)
        model = codec.quantize(analysis, *level.at(place), progress)
        reached = targets.measured_psnr(pixels, model)
        return _target(task, model, _beyond(decibels(psnr), decibels(reached), "most"))
    with suppress(TargetError):  # the nearest one will do
        targets.reach_psnr(pixels, level, psnr, Stages(part(progress, 0.0, _JOBS_END)), nearest=found)
    return _nearest(task, level, found, decibels(psnr), decibels)


def find_ssim(task: Task, similarity: float, progress: Progress) -> Target:
    """Find the setting that reaches an SSIM, or up to 0.002 more if there are steps."""
    task = _moved(task)
    pixels, analysis = _original(task)
    wanted = min(max(similarity, 1e-3), CLOSEST)
    level, found = _level(task), Nearest(wanted, min(SSIM_TOLERANCE, targets.SSIM_SHARE * (1 - wanted)))
    last = [0, 1]

    def report(done: int, total: int) -> None:
        last[:] = done, total
        progress(done, total)

    def measure(one: NDArray[Any], other: NDArray[Any]) -> float:
        peak = analysis.header.peak
        return ssim(one, other, constant(progress, last[0], last[1]), peak=peak)

    stages = Stages(part(report, 0.0, _JOBS_END))
    with suppress(TargetError):
        targets.reach_ssim(pixels, level, wanted, measure, stages, nearest=found)
    return _nearest(task, level, found, f"An SSIM of {similarity:g}", _floored)


def find_size(task: Task, n_bytes: int, progress: Progress) -> Target:
    """Find the setting whose file fits into a size in bytes.

    It never exceeds the size, and is within 2 % of it if there are steps; the smallest if none fits.
    """
    if task.fit.file_size(1) is not None:
        return _trimmed(task.fit, n_bytes)
    task = _moved(task)
    smallest: list[tuple[int, Encoding]] = []

    def measure(encoding: Encoding) -> int:
        size = api.size_of(encoding.compressed)
        if not smallest or size < smallest[0][0]:
            smallest[:] = [(size, encoding)]
        return size

    level, stages = _level(task), Stages(part(progress, 0.0, _JOBS_END))
    try:
        encoding = targets.reach_size(level, max(n_bytes, 1), task.complete, measure, stages, by_step=True)
    except TargetError:
        size, encoding = smallest[0]
        return _target(task, encoding.model, _beyond(file_size(n_bytes), file_size(size), "least"))
    size = api.size_of(encoding.compressed)
    if size < n_bytes * (1 - 2 * targets.SIZE_TOLERANCE) and _is_finest(level, encoding.model):
        text = (
            f"{file_size(n_bytes)} is more than the image needs; {file_size(size)} is the most it can take."
        )
        return replace(_target(task, encoding.model, text), saturated=True)
    return _target(task, encoding.model)


def _trimmed(fit: Fit, n_bytes: int) -> Target:
    """Return the largest k at which a compressed file, trimmed, fits into a size."""
    sizes = [fit.file_size(k) or 0 for k in range(1, fit.n_components + 1)]
    k = sum(size <= n_bytes for size in sizes)
    return Target(k) if k else Target(1, hint=_beyond(file_size(n_bytes), file_size(sizes[0]), "least"))


def _moved(task: Task, *, for_psnr: bool = False) -> Task:
    """Return the task with another setting, whose file may be coded otherwise than the present one."""
    return replace(task, setting=replace(task.setting, lossless=False, for_psnr=for_psnr))


def _original(task: Task) -> tuple[NDArray[Any], Spectrum]:
    image, analysis = task.image, task.lacking.analysis
    if image is None or analysis is None:
        raise ValueError("Without the original there is nothing to compare with.")
    return image.pixels, analysis


def _level(task: Task) -> WaterLevel:
    lacking = task.lacking
    if lacking.analysis is None or lacking.rates is None:
        raise ValueError("A compressed file has no steps to choose from.")
    return WaterLevel(lacking.analysis, lacking.rates, lacking.carried_bytes(task.document.image))


def _target(task: Task, model: Model, hint: str = "") -> Target:
    """Return the target of a quantised image; its step is None if it is the one that belongs to k."""
    task.lacking.remember(model)
    usual, step = task.lacking.step(model.k, None), model.header.step
    return Target(model.k, None if step == usual else float(step), hint, for_psnr=task.setting.for_psnr)


def _nearest(
    task: Task, level: WaterLevel, found: Nearest, wanted: str, words: Callable[[float], str]
) -> Target:
    """Return the target of the trial that is least above what was wanted, or of the one nearest below."""
    if found.better is not None:
        return _target(task, found.better[1])
    if found.best is None:
        raise TargetError("No step could be tried; choose another method.")
    reached, model = found.best
    which = "most" if _is_finest(level, model) else "nearest"
    return _target(task, model, _beyond(wanted, words(reached), which))


def _is_finest(level: WaterLevel, model: Model) -> bool:
    """Return whether no step is finer."""
    return math.log2(float(model.header.step)) < level.bounds[0] + 1e-3


def _floored(similarity: float) -> str:
    """Return an SSIM as text, never rounded up to one that is not reached."""
    return f"{math.floor(similarity * 1e4) / 1e4:.4f}"


def _beyond(wanted: str, reached: str, which: str) -> str:
    if which == "nearest":
        return f"{wanted} cannot be met exactly; {reached} is the nearest."
    return f"{wanted} cannot be reached; {reached} is the {'most' if which == 'most' else 'least'}."


@dataclass(frozen=True)
class Preset:
    """A named target; the first of its measures that the image allows applies."""

    text: str  # the text in menus, with a mnemonic
    tip: str  # a description in one sentence
    variance: float | None = None  # the share of the variance to explain
    psnr: float | None = None
    """The PSNR to reach, in decibels relative to the displayed range; it needs an original."""
    bits: float | None = None  # the size not to exceed, in bits per pixel of one to three channels
    step: float | None = None  # the step of a photo, on a scale of 255, in place of the two measures above
    noise: float | None = None
    """A band's largest error as a multiple of its noise; replaces the others where the noise is known."""
    noise_tip: str = ""  # the description where the noise decides
    lossless: bool = False
    """Whether every value comes back exactly, if the method allows it; it needs an original."""


_SMALL, _BALANCED, _LIKE_THE_ORIGINAL, _ = BUILT_IN

_SHARED: dict[str, dict[str, Any]] = {
    "small": {"bits": _SMALL.bits, "step": _SMALL.step},
    "balanced": {"psnr": _BALANCED.psnr, "step": _BALANCED.step},
    "visually-lossless": {"psnr": _LIKE_THE_ORIGINAL.psnr, "step": _LIKE_THE_ORIGINAL.step},
}
"""What presets have in common with those of the command line."""
_READ = tables("presets.json")
PRESETS = {name: Preset(**entry, **_SHARED.get(name, {})) for name, entry in _READ.items()}
"""The presets by name, in the order in which they are offered."""

OFFERED = ("small", "balanced", "visually-lossless")  # the presets that have a button of their own


def find_goal(task: Task, goal: Goal, progress: Progress) -> Target:
    """Find the setting that reaches a goal, which is not a k, a step or a share of the variance."""
    match goal.measure:
        case "psnr":
            return _exact_if_smaller(task, find_psnr(task, goal.value, progress), progress)
        case "ssim":
            return _exact_if_smaller(task, find_ssim(task, goal.value, progress), progress)
        case "size":
            return find_size(task, int(goal.value), progress)
        case _:
            return find_preset(task, goal.preset, progress)


def find_preset(task: Task, name: str, progress: Progress) -> Target:
    """Find the setting of a preset."""
    preset = PRESETS[name]
    if preset.variance is not None:
        left_out = task.setting.left_out
        k = task.fit.k_for_variance(preset.variance, left_out)
        reached = task.fit.ratio(k, left_out)
        if reached < preset.variance - 1e-6:
            most = math.floor(1e4 * reached) / 100
            return Target(
                k, hint=f"{100 * preset.variance:.0f} % cannot be reached; {most:.2f} % is the most."
            )
        return Target(k)
    if preset.lossless:
        return _lossless(task)
    analysis = task.fit.analysis
    step = _step_of(task, preset)
    if step is not None and analysis is not None:
        return _exact_if_smaller(task, Target(analysis.k_for_step(step), step), progress)
    if preset.psnr is not None and task.document.image is not None:
        return find_psnr(task, preset.psnr + headroom(task), progress)
    bits = preset.bits if preset.bits is not None else PRESETS["balanced"].bits or 1.0
    found = find_size(task, bytes_of(bits, task.document.shape), progress)
    # An image that needs less than a preset allows is not a failure.
    return replace(found, hint="") if found.saturated else found


def _step_of(task: Task, preset: Preset) -> float | None:
    """Return the step of a preset, of a photo or of bands whose noise is known; None for others."""
    analysis = task.fit.analysis
    if analysis is not None and preset.step is not None and task.fit.points.by_step:
        dim = 10 ** (-headroom(task) / 20)
        return float(Step.nearest(preset.step * dim * analysis.header.peak / 255))
    return None if preset.noise is None else task.fit.step_for_noise(preset.noise)


def find_offers(task: Task, progress: Progress) -> dict[str, int]:
    """Estimate the sizes of the files of the presets that have buttons, by their names."""
    task, found = _moved(task), dict[str, int]()
    if task.lacking.rates is None:
        return found
    level, most = _level(task), math.inf
    if task.fit.flat and not task.setting.left_out:
        most = _exact_bytes(task, progress)
    for done, name in enumerate(OFFERED):
        progress(done, len(OFFERED))
        offer = level.carried + _offered(task, level, PRESETS[name], progress)
        found[name] = int(min(offer, most))
    return found


def guess_size(task: Task, offers: Mapping[str, int], progress: Progress) -> SizeGuess | None:
    """Guess the size of a photo's file: at once by statistics, and by how far these are off for presets.

    Statistics alone may be off by three times: before presets have sizes, tiles are coded at this very step.
    """
    rates, analysis = task.lacking.rates, task.lacking.analysis
    if rates is None or analysis is None or task.setting.lossless or not task.fit.points.by_step:
        return None
    progress(0, 1)
    carried, step = task.fit.carried_bytes(task.document.image), task.step
    if not offers:
        return SizeGuess(task.setting, rates.glanced_size(task.setting.k, step, progress) + carried)
    steps = {name: _step_of(task, PRESETS[name]) or 1.0 for name in reversed(OFFERED) if name in offers}
    off = [
        math.log(offers[name] / (rates.rough(analysis.k_for_step(each), each).n_bytes + carried))
        for name, each in steps.items()
    ]
    known = np.interp(math.log(step), np.log(list(steps.values())), off)
    rough = rates.rough(task.setting.k, step).n_bytes + carried
    return SizeGuess(task.setting, round(rough * math.exp(known)))


def _offered(task: Task, level: WaterLevel, preset: Preset, progress: Progress) -> int:
    """Estimate the size of a preset's file, without what it carries besides the image."""
    step = _step_of(task, preset)
    if step is not None:
        return level.rates.glanced_size(level.analysis.k_for_step(step), step, progress)
    if preset.psnr is not None:
        wanted = preset.psnr + headroom(task)
        return level.rough(level.where(lambda log_step: level.rough(log_step).psnr >= wanted)).n_bytes
    most, least = (level.rough(end).n_bytes for end in level.bounds)
    if preset.bits is None:
        return most
    return max(least, min(most, bytes_of(preset.bits, task.document.shape) - level.carried))


_LOOKS = {"visually-lossless": "looks like the original", "balanced": "looks good", "small": "losses show"}
_BY_NOISE = dict(
    zip(_LOOKS, ("errors half the noise", "errors like the noise", "errors above the noise"), strict=True)
)
_SHOWING = 30.0  # the PSNR in decibels below which losses are plain where no preset says it


def looks_of(task: Task, psnr: float | None) -> str:
    """Say how a setting's picture looks, by the best preset whose quality it has; empty while unknown.

    A step says it at once, unless components are missing that it would not round to zero.
    """
    analysis = task.fit.analysis
    whole = analysis is not None and task.setting.k >= analysis.k_for_step(task.step)
    stepped = whole and not task.setting.left_out
    words = _BY_NOISE if stepped and task.fit.by_noise else _LOOKS
    for name, text in words.items():
        preset = PRESETS[name]
        step = _step_of(task, preset) if stepped else None
        if step is None and psnr is None:
            return ""
        if (
            task.step <= step
            if step is not None
            else (psnr or 0.0) >= (preset.psnr or _SHOWING) + headroom(task)
        ):
            return text
    return "losses are plain"


def headroom(task: Task) -> float:
    """Return by how many decibels an image that is shown brightened stays below its white.

    Such images, in which few pixels are far brighter than all others, look far worse at the same PSNR.
    """
    peak = task.fit.preview.header.peak
    return 20 * math.log10(peak / min(max(task.document.display.white, 1.0), peak))


def _exact_if_smaller(task: Task, found: Target, progress: Progress) -> Target:
    """Return the setting of the exact file if it is smaller, as it may be of flat colours."""
    if not task.fit.flat or task.setting.left_out:
        return found
    lossy = replace(task, setting=found.applied(task.setting)).measure(part(progress, 0.0, 0.5)).n_bytes
    return _lossless(task) if _exact_bytes(task, part(progress, 0.5, 1.0)) < lossy else found


def _exact_bytes(task: Task, progress: Progress) -> int:
    """Return the size of the exact file, which is encoded once."""
    known = task.fit.exact_bytes.get(None)
    if known is None:
        exact = replace(task, setting=_lossless(task).applied(task.setting))
        known = exact.measure(progress).n_bytes
        task.fit.exact_bytes.put(None, known)
    return known


def _lossless(task: Task) -> Target:
    analysis = task.fit.analysis
    if analysis is None or not analysis.header.can_be_lossless:
        hint = "Only photos, and bands of whole numbers, are compressed without loss; choose another method."
        return Target(task.setting.k, task.setting.chosen_step, hint)
    k, step = resolve(analysis, Settings(lossless=True))
    return Target(k, float(step), lossless=True)

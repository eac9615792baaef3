"""The presets: targets with a name. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from pcaimage.codec import Settings
from pcaimage.codec.compressed import Header
from pcaimage.codec.encoder import resolve
from pcaimage.gui.session.targets import Target, find_psnr, find_size
from pcaimage.gui.session.work import Task
from pcaimage.progress import Progress

COLOURS = 3
"""Channels that count as one pixel's colour: more of them may take more bits."""


@dataclass(frozen=True)
class Preset:
    """A target with a name; the first of its measures that the image allows counts."""

    text: str
    """What menus call it, with its mnemonic."""
    tip: str
    """What it does, in a sentence."""
    variance: float | None = None
    """The share of the variance to explain."""
    psnr: float | None = None
    """The quality to reach, in decibels of the values that are shown; it takes an original."""
    bits: float | None = None
    """The size not to exceed, in bits for each pixel of one to three channels."""
    lossless: bool = False
    """Whether every bit comes back, where the method can; it takes an original."""


PRESETS = {
    "small": Preset(
        "&Small",
        "A file of 0.35 bits per pixel, about a seventieth of the uncompressed size; losses are visible.",
        bits=0.35,
    ),
    "balanced": Preset(
        "&Balanced",
        (
            "36 dB, about the quality of a photograph saved for a web page; losses are visible when it is "
            "enlarged."
        ),
        psnr=36.0,
        bits=1.2,
    ),
    "visually-lossless": Preset(
        "Visually &lossless",
        "42 dB: at 100 % the picture is hard to tell from the original, though not identical.",
        psnr=42.0,
    ),
    "lossless": Preset(
        "L&ossless",
        (
            "Every pixel comes back exactly; photos take about two thirds of the size of a PNG. Photos and "
            "bands only."
        ),
        lossless=True,
    ),
    "variance-95": Preset(
        "9&5 % of the variance",
        "The fewest components that explain 95 % of the image's variance about its mean.",
        variance=0.95,
    ),
    "variance-99": Preset(
        "9&9 % of the variance",
        "The fewest components that explain 99 % of the image's variance about its mean.",
        variance=0.99,
    ),
}
"""The presets by name, in the order in which they are offered."""


def find_preset(task: Task, name: str, progress: Progress) -> Target:
    """Find where a preset leads for an image.

    Parameters
    ----------
    progress : Progress
        Told of the tries, and asked whether to go on.
    """
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
    if preset.psnr is not None and task.document.image is not None:
        return find_psnr(task, preset.psnr + headroom(task), progress)
    bits = preset.bits if preset.bits is not None else PRESETS["balanced"].bits or 1.0
    found = find_size(task, _bytes(task, bits), progress)
    # That an image has less in it than a preset allows is no failure.
    return replace(found, hint="") if "more than" in found.hint else found


def headroom(task: Task) -> float:
    """Return by how many decibels an image stays below the largest values of its type.

    PSNR refers to the largest value that 16 bits can hold. Where images use a small part of them only, as
    cameras of many bands do, the same PSNR looks far worse.

    Returns
    -------
    float
        0 for 8 bits, and for 16 bits that are used.
    """
    peak = task.fit.preview.header.peak
    return 20 * math.log10(peak / min(max(task.document.display.white, 1.0), peak))


def _bytes(task: Task, bits: float) -> int:
    shape = task.document.shape
    pixels = math.prod(shape[:-1])
    return max(1, int(pixels * bits * max(1.0, shape[-1] / COLOURS) / 8))


def _lossless(task: Task) -> Target:
    analysis = task.fit.analysis
    if analysis is None or not _exact(analysis.header):
        hint = "Only photos, and bands of whole numbers, are compressed without loss; choose another method."
        return Target(task.setting.k, task.setting.chosen_step, hint)
    k, step = resolve(analysis, Settings(lossless=True))
    return Target(k, float(step), lossless=True)


def _exact(header: Header) -> bool:
    return header.is_photo or (header.is_bands and header.dtype != "float32")

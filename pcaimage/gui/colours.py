"""The colour schemes shared by widgets and plots; without Qt, so that contrasts can be tested."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Colours:
    """One colour scheme; every colour is ``#rrggbb``."""

    dark: bool  # whether this is the scheme for dark surroundings
    window: str
    base: str
    button: str
    text: str
    muted: str  # window background, field background, button face, text, and secondary text
    accent: str
    accent_text: str
    accent_soft: str  # the one accent colour, text upon it, and a surface tinted with it
    canvas: str
    canvas_text: str
    """Surroundings of an image, and text upon it; neutral grey, because colour next to an image changes how
    the image is seen."""
    strip: str
    strip_text: str  # the caption strip over an image, and text upon it
    strip_alpha: int  # opacity of the strip, 0 to 255
    checker: tuple[str, str]  # the two greys that show through a transparent image
    border: str
    grid: str  # lines between surfaces, and the grid of a plot
    edge: str  # the outline of fields, boxes and sliders
    bar: str
    curve: str  # discarded components, and the cumulative curve, in plots
    planes: tuple[str, str, str, str]  # components of a photo's first to fourth channel axis, in plots
    labels: tuple[str, ...]  # points of labels, and regions
    references: tuple[str, str, str, str, str]  # curves of JPEG, WebP, AVIF, JPEG 2000 and JPEG XL
    warning: str
    warning_soft: str
    error: str
    error_soft: str  # text and surfaces of messages


_LIGHT_AND_DARK: dict[str, tuple[Any, Any]] = {
    "window": ("#f4f5f6", "#2e3135"),
    "base": ("#ffffff", "#1a1c1e"),
    "button": ("#fbfbfc", "#41454b"),
    "text": ("#1c1f23", "#e9ebed"),
    "muted": ("#5a6169", "#a7aeb6"),
    "accent": ("#0b6bb8", "#57aef2"),
    "accent_text": ("#ffffff", "#0d1a26"),
    "accent_soft": ("#d9e9f6", "#213f58"),
    "canvas": ("#dcdee0", "#17181a"),
    "canvas_text": ("#33383d", "#c5cad0"),
    "strip": ("#ffffff", "#111315"),
    "strip_text": ("#1c1f23", "#f1f3f4"),
    "strip_alpha": (222, 208),
    "checker": (("#ffffff", "#d4d4d4"), ("#5a5a5a", "#444444")),
    "border": ("#c9cdd2", "#44484d"),
    "grid": ("#c9cdd2", "#4a4f55"),
    "edge": ("#7f868e", "#80868d"),
    "bar": ("#b3bac2", "#5d656e"),
    "curve": ("#a8480a", "#f2a65a"),
    "planes": (("#0b6bb8", "#b5531c", "#1f7a4d", "#7b4bb3"), ("#57aef2", "#f2a65a", "#5fc98f", "#c39bf0")),
    "labels": (
        (
            "#0b6bb8",
            "#b5531c",
            "#117733",
            "#aa2277",
            "#8a6100",
            "#332288",
            "#0a8080",
            "#cc3344",
            "#5a6169",
            "#6b8e00",
        ),
        (
            "#57aef2",
            "#f2a65a",
            "#5fc98f",
            "#f08cc4",
            "#f3d969",
            "#9d92ff",
            "#59d6d6",
            "#ff8f8f",
            "#b8bec6",
            "#b5d334",
        ),
    ),
    "references": (
        ("#b3261e", "#1f7a4d", "#7b4bb3", "#8a6100", "#b02a8f"),
        ("#ff9a94", "#5fc98f", "#c39bf0", "#f3c969", "#f58ad8"),
    ),
    "warning": ("#7a4b00", "#f3c969"),
    "warning_soft": ("#fcefd2", "#453a1e"),
    "error": ("#a3161f", "#ff9a94"),
    "error_soft": ("#fbe3e3", "#4d292b"),
}
LIGHT, DARK = (
    Colours(dark=bool(which), **{name: pair[which] for name, pair in _LIGHT_AND_DARK.items()})
    for which in (0, 1)
)


@cache
def colours_for(window: str) -> Colours:
    """Return :data:`DARK` for a window background that needs light text, else :data:`LIGHT`."""
    return DARK if contrast(window, "#ffffff") > contrast(window, "#000000") else LIGHT


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour as defined by WCAG 2.2, from 0 (black) to 1 (white)."""
    red, green, blue = (_linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours as defined by WCAG 2.2.

    It is 1 for equal colours and 21 for black on white; text needs at least 4.5.
    """
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def mixed(top: str, bottom: str, alpha: int) -> str:
    """Return the colour that results from laying `top`, of opacity `alpha` (0 to 255), over `bottom`."""
    channels = (
        round((int(top[i : i + 2], 16) * alpha + int(bottom[i : i + 2], 16) * (255 - alpha)) / 255)
        for i in (1, 3, 5)
    )
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)

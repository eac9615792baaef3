"""The colour schemes shared by widgets and plots; without Qt, so that contrasts can be tested."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from pcaimage.machine.folders import tables
from pcaimage.typed import as_type


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


_READ = tables("colours.json")
LIGHT: Colours = as_type(Colours, _READ["light"])
DARK: Colours = as_type(Colours, _READ["dark"])


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

"""The layouts of the window, as data: which of its parts are shown for which purpose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Layout:
    """An arrangement of the parts of the window."""

    name: str
    """Its identifier; the action that chooses it is ``layout-`` and the name."""
    tabs: tuple[str, ...]
    """The names of the tabs that are offered; empty for all that suit the image."""
    first: tuple[str, ...]
    """The tabs of which the first that suits the image is shown."""
    share: float
    """The share of the window's height that the tabs take; 0 if they are hidden."""
    concise: bool
    """Whether the settings are the presets and the slider alone, until the others are asked for."""


LAYOUTS = (
    Layout("photo", ("curve", "error", "montage"), ("curve",), 0, concise=True),
    Layout(
        "learn",
        ("spectrum", "components", "block", "curve", "error", "scatter", "montage"),
        ("spectrum",),
        0.42,
        concise=False,
    ),
    Layout("science", (), ("bands", "scatter", "spectrum"), 0.42, concise=False),
)
"""The layouts; a first start shows the first one."""


def layout_called(name: str) -> Layout:
    """Return a layout by its name; the first one if there is none of that name."""
    return next((layout for layout in LAYOUTS if layout.name == name), LAYOUTS[0])

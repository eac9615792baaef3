"""The menus, the toolbar and the buttons beside other widgets, as data: they name actions."""

from __future__ import annotations

from dataclasses import dataclass

SEPARATOR = "-"
"""Stands for a line between two items."""


@dataclass(frozen=True, slots=True)
class SubmenuSpec:
    """A menu within a menu."""

    name: str
    """Its identifier, and the name of its icon."""
    text: str
    """The text in the menu above, with a mnemonic."""
    items: tuple[str, ...] = ()
    """Names of actions; empty if the window fills the submenu later."""


MENUS: tuple[tuple[str, tuple[str | SubmenuSpec, ...]], ...] = (
    (
        "&File",
        (
            "open",
            SubmenuSpec("open-recent", "Open &Recent"),
            SubmenuSpec("sample", "Sample I&mages"),
            SEPARATOR,
            "save",
            "save-as",
            SubmenuSpec(
                "export", "&Export", ("export", "export-plot", "export-table", "export-model", "report")
            ),
            SubmenuSpec(
                "photographs",
                "&Photographs",
                (
                    "compress-all",
                    "export-all",
                    SEPARATOR,
                    "apply-all",
                    "apply-selected",
                    "share-again",
                    SEPARATOR,
                    "next-photograph",
                    "previous-photograph",
                    SEPARATOR,
                    "show-photograph",
                    "remove-photograph",
                ),
            ),
            SEPARATOR,
            "close",
            "quit",
        ),
    ),
    (
        "&Edit",
        (
            "undo",
            "redo",
            SEPARATOR,
            "copy",
            "copy-command",
            "paste",
            SEPARATOR,
            "cancel",
            SEPARATOR,
            "preferences",
        ),
    ),
    (
        "&Compress",
        (
            "fewer",
            "more",
            "fewer-10",
            "more-10",
            SEPARATOR,
            SubmenuSpec(
                "presets",
                "&Presets",
                (
                    "preset-small",
                    "preset-balanced",
                    "preset-visually-lossless",
                    "preset-lossless",
                    SEPARATOR,
                    "preset-variance-95",
                    "preset-variance-99",
                    SEPARATOR,
                    "save-preset",
                    "manage-presets",
                ),
            ),
            "target-variance",
            "target-psnr",
            "target-ssim",
            "target-size",
            SEPARATOR,
            "put-back",
            SEPARATOR,
            "encode-model",
            "leave-model",
        ),
    ),
    (
        "&View",
        (
            "side-by-side",
            "split",
            "difference",
            SEPARATOR,
            "compare",
            SubmenuSpec("left-view", "&Left View"),
            SubmenuSpec("right-view", "&Right View"),
            SEPARATOR,
            "magnifier",
            "pin-block",
            "bands",
            SubmenuSpec(
                "stack", "Imag&es of the Stack", ("play", "previous-image", "next-image", "image-alone")
            ),
            "lab",
            SEPARATOR,
            "fit",
            "zoom-100",
            "zoom-in",
            "zoom-out",
            SEPARATOR,
            SubmenuSpec("layout", "La&yout", ("layout-photo", "layout-learn", "layout-science")),
            SubmenuSpec("tab", "&Tab", tuple(f"tab-{number}" for number in range(1, 11))),
            "enlarge-tab",
            "show-tabs",
            "show-panel",
            "full-screen",
            SEPARATOR,
            SubmenuSpec("scheme", "Colour Sc&heme", ("theme-system", "theme-light", "theme-dark")),
        ),
    ),
    ("&Help", ("keyboard-help", SEPARATOR, "about")),
)
"""The menus from left to right; names of actions that were not built are skipped."""

TOOLBAR = (
    "open",
    "paste",
    "save",
    "export",
    "drag",
    SEPARATOR,
    "side-by-side",
    "split",
    "difference",
    "magnifier",
    SEPARATOR,
    "fit",
    "zoom-100",
    "zoom",
    SEPARATOR,
    "undo",
    "redo",
    SEPARATOR,
    "show-tabs",
    "show-panel",
)
"""The toolbar from left to right; ``zoom`` and ``drag`` are widgets of the window."""

"""The layout of the menus and the toolbar, as data."""

from __future__ import annotations

from pcaimage.gui.commands.table import SubmenuSpec

SEPARATOR = "-"

MENUS: tuple[tuple[str, tuple[str | SubmenuSpec, ...]], ...] = (
    (
        "&File",
        (
            "open",
            SubmenuSpec("open-recent", "Open &Recent"),
            SubmenuSpec("sample", "Sample P&hotographs"),
            SEPARATOR,
            "save",
            "save-as",
            SubmenuSpec(
                "export", "&Export", ("export", "export-plot", "export-table", "export-model", "report")
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
            "magnifier",
            "pin-block",
            "bands",
            SEPARATOR,
            "fit",
            "zoom-100",
            "zoom-in",
            "zoom-out",
            SEPARATOR,
            SubmenuSpec("tab", "&Tab", tuple(f"tab-{number}" for number in range(1, 11))),
            "show-tabs",
            "show-panel",
            "full-screen",
            SEPARATOR,
            SubmenuSpec("scheme", "Colour Sc&heme", ("theme-system", "theme-light", "theme-dark")),
        ),
    ),
    ("&Help", ("keyboard-help", SEPARATOR, "about")),
)
"""The menus from left to right; names of actions that were not built are passed over."""

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

"""The menus and the toolbar as data: words that name actions, in lines of what belongs together."""

from __future__ import annotations

SEPARATOR = "-"
"""Stands for a line between two items."""

MENUS = {
    "&File": """
        open open-recent sample
        - save save-as export send photographs
        - close quit
    """,
    "&Edit": "undo redo - copy copy-command paste - cancel - preferences",
    "&Compress": """
        fewer more fewer-10 more-10
        - presets target-variance target-psnr target-ssim target-size
        - put-back - encode-model leave-model
    """,
    "&View": """
        side-by-side split difference - compare left-view right-view
        - magnifier pin-block bands stack lab
        - fit zoom-100 zoom-in zoom-out
        - layout tab enlarge-tab show-tabs show-panel full-screen - scheme
    """,
    "&Help": "keyboard-help - about",
}
"""The menus from left to right, with their actions and submenus; actions that were not built are skipped."""

SUBMENUS = {
    "open-recent": ("Open &Recent", ""),
    "sample": ("Sample I&mages", ""),
    "export": ("&Export", "export export-plot export-table export-scores export-model report"),
    "photographs": (
        "&Photographs",
        """
        apply-all apply-selected share-again
        - next-photograph previous-photograph - show-photograph remove-photograph
        """,
    ),
    "presets": (
        "&Presets",
        """
        preset-small preset-balanced preset-visually-lossless preset-lossless
        - preset-variance-95 preset-variance-99 - save-preset manage-presets
        """,
    ),
    "left-view": ("&Left View", ""),
    "right-view": ("&Right View", ""),
    "stack": ("Imag&es of the Stack", "play previous-image next-image image-alone"),
    "layout": ("La&yout", "layout-photo layout-learn layout-science"),
    "tab": ("&Tab", "tab-1 tab-2 tab-3 tab-4 tab-5 tab-6 tab-7 tab-8 tab-9 tab-10"),
    "scheme": ("Colour Sc&heme", "theme-system theme-light theme-dark"),
}
"""The text of each submenu, and its actions; the window fills those without any."""

TOOLBAR = """
    open paste save export drag
    - side-by-side split difference magnifier
    - fit zoom-100 zoom
    - undo redo
    - show-tabs show-panel
"""
"""The toolbar from left to right; ``zoom`` and ``drag`` are widgets of the window."""

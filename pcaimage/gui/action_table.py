"""Every action of the window, its keys, and where it stands, as data."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QKeySequence

Key = str | QKeySequence.StandardKey
_Std = QKeySequence.StandardKey


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One thing that the user can ask for.

    Parameters
    ----------
    name : str
        How the code calls it, and its icon unless ``icon`` says otherwise.
    text : str
        What menus call it, with its mnemonic; ``…`` if a dialog follows.
    tip : str
        One sentence of explanation.
    keys : tuple
        Shortcuts; the first that exists on the platform is shown.
    icon : str or None
        File name in ``icons/`` without ``.svg``; empty for none, None for ``name``.
    group : str
        Actions of one group are checkable, and exactly one of them is checked.
    checkable : bool
        Whether it can be switched on and off.
    enabled_when : str
        The flag of the window's state without which it is greyed out; empty for always.
    labelled : bool
        Whether its text stands beside its icon in the toolbar.
    """

    name: str
    text: str
    tip: str
    keys: tuple[Key, ...] = ()
    icon: str | None = None
    group: str = ""
    checkable: bool = False
    enabled_when: str = ""
    labelled: bool = False

    @property
    def icon_name(self) -> str:
        """The icon's file name, or an empty string."""
        return self.name if self.icon is None else self.icon


@dataclass(frozen=True, slots=True)
class SubmenuSpec:
    """A menu within a menu.

    Parameters
    ----------
    name : str
        How the code calls it, and its icon.
    text : str
        What the menu above calls it.
    items : tuple of str
        Names of actions; none if the window fills it with what it knows only later.
    """

    name: str
    text: str
    items: tuple[str, ...] = ()


ACTIONS = (
    ActionSpec("open", "&Open…", "Open an image or a .pcai file.", (_Std.Open, "Ctrl+O"), labelled=True),
    ActionSpec("paste", "&Paste", "Open the image on the clipboard.", (_Std.Paste, "Ctrl+V"), labelled=True),
    ActionSpec(
        "save",
        "&Save",
        "Save the compressed image as a .pcai file.",
        (_Std.Save, "Ctrl+S"),
        enabled_when="fitted",
        labelled=True,
    ),
    ActionSpec(
        "save-as",
        "Save &As…",
        "Save the compressed image under another name.",
        (_Std.SaveAs, "Ctrl+Shift+S"),
        enabled_when="fitted",
    ),
    ActionSpec(
        "export",
        "&Export…",
        "Write the reconstruction as PNG, JPEG, WebP, AVIF or TIFF.",
        ("Ctrl+E",),
        enabled_when="fitted",
        labelled=True,
    ),
    ActionSpec("close", "&Close", "Close the image.", (_Std.Close, "Ctrl+W"), enabled_when="image"),
    ActionSpec("quit", "&Quit", "Close the window.", (_Std.Quit, "Ctrl+Q"), icon=""),
    ActionSpec(
        "copy",
        "&Copy Reconstruction",
        "Copy the reconstruction to the clipboard.",
        (_Std.Copy, "Ctrl+C"),
        enabled_when="fitted",
    ),
    ActionSpec("fewer", "&Fewer Components", "Keep one less.", ("[",), icon="", enabled_when="fitted"),
    ActionSpec("more", "&More Components", "Keep one more.", ("]",), icon="", enabled_when="fitted"),
    # The character of Shift and a bracket; on layouts where brackets need AltGr, Shift+[ cannot be pressed.
    ActionSpec("fewer-10", "Ten Fewer", "Keep ten less.", ("{",), icon="", enabled_when="fitted"),
    ActionSpec("more-10", "Ten More", "Keep ten more.", ("}",), icon="", enabled_when="fitted"),
    ActionSpec("cancel", "&Stop", "Stop what is being computed.", ("Esc",), enabled_when="escapable"),
    ActionSpec(
        "zoom-in",
        "Zoom &In",
        "Show the image larger.",
        (_Std.ZoomIn, "Ctrl++", "Ctrl+="),
        enabled_when="image",
    ),
    ActionSpec(
        "zoom-out", "Zoom &Out", "Show the image smaller.", (_Std.ZoomOut, "Ctrl+-"), enabled_when="image"
    ),
    ActionSpec("fit", "&Fit", "Show the whole image.", ("F", "Ctrl+0"), enabled_when="image"),
    ActionSpec(
        "zoom-100",
        "&100 %",
        "Show every pixel of the image as one pixel of the screen.",
        ("Z", "Ctrl+1"),
        enabled_when="image",
    ),
    ActionSpec("theme-system", "As the &System", "Follow the desktop's scheme.", icon="", group="theme"),
    ActionSpec("theme-light", "&Light", "Dark text on light ground.", icon="", group="theme"),
    ActionSpec("theme-dark", "&Dark", "Light text on dark ground.", icon="", group="theme"),
    ActionSpec("about", "&About pcaimage", "The version, and who made it."),
)
"""What the window can do now."""

VIEW_MODES = (
    ActionSpec(
        "side-by-side",
        "&Side by Side",
        "Show the original and the reconstruction beside each other.",
        ("1",),
        group="mode",
        enabled_when="original",
    ),
    ActionSpec(
        "split",
        "S&plit",
        "Show the original left and the reconstruction right of a line.",
        ("2",),
        group="mode",
        enabled_when="original",
    ),
    ActionSpec(
        "difference",
        "&Difference",
        "Show where the reconstruction differs.",
        ("3",),
        group="mode",
        enabled_when="original",
    ),
)
"""The ways to compare; offered once there is more than one of them."""

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
            "export",
            SEPARATOR,
            "close",
            "quit",
        ),
    ),
    (
        "&Edit",
        (
            "copy",
            "paste",
            SEPARATOR,
            "fewer",
            "more",
            "fewer-10",
            "more-10",
            SEPARATOR,
            "cancel",
        ),
    ),
    (
        "&View",
        (
            "side-by-side",
            "split",
            "difference",
            SEPARATOR,
            "fit",
            "zoom-100",
            "zoom-in",
            "zoom-out",
            SEPARATOR,
            SubmenuSpec("scheme", "Colour Sc&heme", ("theme-system", "theme-light", "theme-dark")),
        ),
    ),
    ("&Help", ("about",)),
)
"""The menus from left to right; names of actions that were not built are passed over."""

TOOLBAR = (
    "open",
    "paste",
    "save",
    "export",
    SEPARATOR,
    "side-by-side",
    "split",
    "difference",
    SEPARATOR,
    "fit",
    "zoom-100",
)
"""The toolbar from left to right."""

"""The actions of the window with their texts and keys, as data."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QKeySequence

_Std = QKeySequence.StandardKey

Key = str | QKeySequence.StandardKey


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """An action of menus, keys or the toolbar."""

    name: str
    """Its identifier, and the name of its icon, if it has one."""
    text: str
    """The text in menus, with a mnemonic; it ends in ``…`` if a dialog follows."""
    tip: str
    keys: tuple[Key, ...] = ()
    """Shortcuts; the first that exists on the platform is shown."""
    group: str = ""
    """The group of checkable actions of which exactly one is checked; empty for none."""
    checkable: bool = False
    """Whether it is switched on and off."""
    enabled_when: str = ""
    """The flag that enables it; empty if it is always enabled."""
    label: str = ""
    """The text beside its icon in the toolbar; empty for the icon alone."""


def _preset(name: str, text: str, tip: str, *, enabled_when: str = "fitted") -> ActionSpec:
    return ActionSpec(f"preset-{name}", text, tip, enabled_when=enabled_when)


def _tab(number: int, text: str, tip: str, *, enabled_when: str = "") -> ActionSpec:
    keys = (f"Alt+{number % 10}",)
    return ActionSpec(f"tab-{number}", text, tip, keys, group="tab", enabled_when=enabled_when)


def _layout(number: int, text: str, tip: str) -> ActionSpec:
    name = "layout-" + text.replace("&", "").lower()
    return ActionSpec(name, text, tip, (f"Ctrl+{number}",), group="layout")


def _of_strip(name: str, text: str, tip: str, *keys: str) -> ActionSpec:
    return ActionSpec(name, text, tip, keys, enabled_when="photographs")


_FILE = (
    ActionSpec(
        "open", "&Open…", "Open an image or a .pcai file, or several.", (_Std.Open, "Ctrl+O"), label="Open"
    ),
    ActionSpec("paste", "&Paste", "Open the image on the clipboard.", (_Std.Paste, "Ctrl+V"), label="Paste"),
    ActionSpec(
        "save",
        "&Save",
        "Save the compressed image as a .pcai file.",
        (_Std.Save, "Ctrl+S"),
        enabled_when="fitted",
        label="Save",
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
        "&Reconstruction…",
        "Write the image for other programs, as JPEG, WebP, PNG and more, and smaller if you like.",
        ("Ctrl+E",),
        enabled_when="fitted",
        label="Export",
    ),
    ActionSpec("export-plot", "&Plot…", "Save the current plot as SVG or PNG.", enabled_when="plot"),
    ActionSpec(
        "export-table", "&Table…", "Write the figures of all components as CSV.", enabled_when="fitted"
    ),
    ActionSpec(
        "export-model", "&Model…", "Write mean, components and variances for NumPy.", enabled_when="fitted"
    ),
    ActionSpec(
        "report", "Rep&ort…", "Write pictures, plots and figures as one page.", enabled_when="comparable"
    ),
    ActionSpec(
        "close",
        "&Close",
        "Close the image, or all photographs of the strip.",
        (_Std.Close, "Ctrl+W"),
        enabled_when="image",
    ),
    ActionSpec("quit", "&Quit", "Close the window.", (_Std.Quit, "Ctrl+Q")),
)
_PHOTOGRAPHS = (
    _of_strip(
        "compress-all",
        "&Compress All…",
        "Compress all photographs of the strip into .pcai files in one folder.",
    ),
    _of_strip(
        "export-all",
        "&Export All…",
        "Write all photographs of the strip as JPEG, WebP and others into one folder.",
        "Ctrl+Shift+E",
    ),
    _of_strip(
        "apply-all",
        "&Apply to All",
        "Give the settings of the open photograph to all photographs of the strip.",
    ),
    _of_strip(
        "apply-selected",
        "Apply to &Selected",
        "Give the settings of the open photograph to those that are selected in the strip.",
    ),
    _of_strip(
        "share-again",
        "&Use the Shared Settings",
        "Let the selected photographs follow the settings that all share again.",
    ),
    _of_strip("next-photograph", "&Next", "Open the next photograph of the strip.", "Ctrl+PgDown"),
    _of_strip("previous-photograph", "&Previous", "Open the previous photograph of the strip.", "Ctrl+PgUp"),
    _of_strip(
        "show-photograph", "Show in &Folder", "Show the file of the selected photograph in the file manager."
    ),
    _of_strip(
        "remove-photograph",
        "&Remove from the Strip",
        "Take the selected photographs out of the strip; their files stay.",
    ),
)
_EDIT = (
    ActionSpec(
        "undo", "&Undo", "Go back to the previous settings.", (_Std.Undo, "Ctrl+Z"), enabled_when="undoable"
    ),
    ActionSpec(
        "redo",
        "&Redo",
        "Go forward to the settings that were just undone.",
        (_Std.Redo, "Ctrl+Shift+Z", "Ctrl+Y"),
        enabled_when="redoable",
    ),
    ActionSpec(
        "copy",
        "&Copy Reconstruction",
        "Copy the reconstruction, or the file that was just exported, to the clipboard.",
        (_Std.Copy, "Ctrl+C"),
        enabled_when="fitted",
    ),
    ActionSpec(
        "copy-command",
        "Copy as Co&mmand",
        "Copy the command line that makes the same file.",
        ("Ctrl+Shift+C",),
        enabled_when="command",
    ),
    ActionSpec("cancel", "&Stop", "Stop what is being computed.", ("Esc",), enabled_when="escapable"),
    ActionSpec(
        "preferences",
        "Pr&eferences…",
        "Choose the theme, units, limits and how images are opened.",
        (_Std.Preferences, "Ctrl+,"),
    ),
)
_COMPRESS = (
    ActionSpec(
        "fewer",
        "&Fewer Components",
        "Go back by one k that makes another file.",
        ("[",),
        enabled_when="fitted",
    ),
    ActionSpec(
        "more", "&More Components", "Go on by one k that makes another file.", ("]",), enabled_when="fitted"
    ),
    # The character of Shift and a bracket; on layouts where brackets need AltGr, Shift+[ cannot be pressed.
    ActionSpec("fewer-10", "Ten Fewer", "Go back by ten such k.", ("{",), enabled_when="fitted"),
    ActionSpec("more-10", "Ten More", "Go on by ten such k.", ("}",), enabled_when="fitted"),
    _preset("small", "&Small", "A file of 0.35 bits per pixel, with visible losses."),
    _preset("balanced", "&Balanced", "36 dB, about what a photograph on a web page has."),
    _preset(
        "visually-lossless",
        "Visually &Lossless",
        "42 dB, hard to tell from the original at its own size.",
        enabled_when="comparable",
    ),
    _preset(
        "lossless",
        "L&ossless",
        "Every pixel comes back exactly; photos and bands only.",
        enabled_when="comparable",
    ),
    _preset("variance-95", "9&5 % Variance", "The fewest components that explain 95 % of the variance."),
    _preset("variance-99", "9&9 % Variance", "The fewest components that explain 99 % of the variance."),
    ActionSpec(
        "save-preset",
        "Sa&ve as Preset…",
        "Save the goal and the settings under a name, to use them for other images.",
        enabled_when="comparable",
    ),
    ActionSpec("manage-presets", "&Manage Presets…", "Rename, delete, export and import your presets."),
    ActionSpec(
        "target-variance",
        "Set &Variance",
        "Type the share of the variance to explain.",
        enabled_when="fitted",
    ),
    ActionSpec("target-psnr", "Set PSN&R", "Type the PSNR to reach.", enabled_when="comparable"),
    ActionSpec("target-ssim", "Set SS&IM", "Type the SSIM to reach.", enabled_when="comparable"),
    ActionSpec(
        "target-size", "Set Si&ze", "Type the size that the file must not exceed.", enabled_when="fitted"
    ),
    ActionSpec(
        "put-back",
        "Put All Components &Back",
        "Put the components that were left out back into the picture.",
        enabled_when="left-out",
    ),
    ActionSpec(
        "encode-model",
        "Encode with a Mo&del…",
        "Use the mean and components of another .pcai file; they are not stored again.",
        enabled_when="original",
    ),
    ActionSpec(
        "leave-model", "&Leave the Model", "Find the image's own components again.", enabled_when="with-model"
    ),
)
_VIEW = (
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
        "Spl&it",
        "Show the original to the left of a line, the reconstruction to its right.",
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
    ActionSpec(
        "compare",
        "&Compare",
        "Compare the reconstruction with JPEG or another rival of the same size, or with none again.",
        ("C",),
        checkable=True,
        enabled_when="fitted",
    ),
    ActionSpec(
        "magnifier",
        "&Magnifier",
        "Show what is under the pointer enlarged.",
        ("M",),
        checkable=True,
        enabled_when="image",
    ),
    ActionSpec(
        "zoom-in",
        "&Zoom In",
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
        ("Z",),
        enabled_when="image",
    ),
    _tab(1, "&Spectrum", "How much each component explains."),
    _tab(2, "Si&ze and Quality", "The quality of every size, beside other codecs."),
    _tab(3, "&Components", "The components as pictures."),
    _tab(4, "&Error", "Where and how much the reconstruction differs."),
    _tab(5, "&Block", "One block taken apart into its components."),
    ActionSpec(
        "pin-block",
        "Pin Bloc&k",
        "Pin the block under the pointer and take it apart.",
        ("P",),
        enabled_when="image",
    ),
    _tab(6, "&Table", "The figures of all components."),
    _tab(7, "Sc&atter", "The images of a stack by their scores.", enabled_when="stack"),
    _tab(8, "&Montage", "The images of a stack before and after compression.", enabled_when="stack"),
    _tab(9, "P&ixel", "The spectrum of the pixel under the pointer.", enabled_when="bands"),
    _tab(10, "Ba&nds", "How well each band is reconstructed.", enabled_when="bands"),
    ActionSpec(
        "play",
        "&Play",
        "Play the animation at its own speed, or stop it.",
        ("A",),
        checkable=True,
        enabled_when="animation",
    ),
    ActionSpec(
        "previous-image",
        "P&revious Image",
        "Show the image of the stack before this one.",
        (",",),
        enabled_when="stack",
    ),
    ActionSpec(
        "next-image",
        "&Next Image",
        "Show the image of the stack after this one.",
        (".",),
        enabled_when="stack",
    ),
    ActionSpec(
        "image-alone",
        "&Open This Image Alone",
        "Open only this image of the stack, as a photograph.",
        enabled_when="in-file",
    ),
    ActionSpec(
        "bands",
        "B&ands…",
        "Choose which bands are shown as red, green and blue.",
        ("B",),
        enabled_when="bands",
    ),
    ActionSpec("lab", "&PCA Lab…", "Find PCA by hand, on a table or on the open image.", ("Ctrl+L",)),
    _layout(1, "&Photo", "Show the pictures with the presets and the slider."),
    _layout(2, "&Learn", "Show also the spectrum, the components and a block taken apart."),
    _layout(3, "&Science", "Show all tabs: bands, spectra, tables and scatter plots."),
    ActionSpec(
        "enlarge-tab",
        "Enlar&ge Tab",
        "Fill the window with the tab, without the pictures; Esc goes back.",
        ("Shift+F8",),
        checkable=True,
    ),
    ActionSpec("show-tabs", "Ta&bs", "Show the plots below the pictures.", ("F8",), checkable=True),
    ActionSpec("show-panel", "Settings Pa&nel", "Show the settings on the right.", ("F9",), checkable=True),
    ActionSpec(
        "full-screen",
        "F&ull Screen",
        "Fill the screen with the window.",
        (_Std.FullScreen, "F11"),
        checkable=True,
    ),
    ActionSpec("theme-system", "Follow the &System", "Follow the desktop's colour scheme.", group="theme"),
    ActionSpec("theme-light", "&Light", "Dark text on a light background.", group="theme"),
    ActionSpec("theme-dark", "&Dark", "Light text on a dark background.", group="theme"),
)
_HELP = (
    ActionSpec("keyboard-help", "&Keyboard Shortcuts", "Show all keys.", (_Std.HelpContents, "F1", "?")),
    ActionSpec("about", "&About pcaimage", "Show the versions of the program and its libraries."),
)

ACTIONS = (*_FILE, *_PHOTOGRAPHS, *_EDIT, *_COMPRESS, *_VIEW, *_HELP)
"""All actions, in the order of the menus."""

PHOTOGRAPHS = tuple(spec.name for spec in _PHOTOGRAPHS)
"""The names of the actions on several photographs."""

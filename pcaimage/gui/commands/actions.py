"""The actions of the window with their texts and keys, as data."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QKeySequence

from pcaimage.gui.session.targets import PRESETS

_Std = QKeySequence.StandardKey

Key = str | QKeySequence.StandardKey


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """An action of menus, keys or the toolbar."""

    name: str  # its identifier, and the name of its icon, if it has one
    text: str  # the text in menus, with a mnemonic; it ends in ``…`` if a dialog follows
    tip: str
    keys: tuple[Key, ...] = ()  # shortcuts; the first that exists on the platform is shown
    label: str = ""  # the text beside its icon in the toolbar; empty for the icon alone


ACTIONS = (
    ActionSpec(
        "open", "&Open…", "Open an image or a .pcai file, or several.", (_Std.Open, "Ctrl+O"), label="Open"
    ),
    ActionSpec("paste", "&Paste", "Open the image on the clipboard.", (_Std.Paste, "Ctrl+V"), label="Paste"),
    ActionSpec(
        "save", "&Save", "Save the compressed image as a .pcai file.", (_Std.Save, "Ctrl+S"), label="Save"
    ),
    ActionSpec(
        "save-as", "Save &As…", "Save the compressed image under another name.", (_Std.SaveAs, "Ctrl+Shift+S")
    ),
    ActionSpec(
        "export",
        "&Reconstruction…",
        "Write the image for other programs, as JPEG, WebP, PNG and more, and smaller if you like.",
        ("Ctrl+E",),
        label="Export",
    ),
    ActionSpec("export-plot", "&Plot…", "Save the current plot as SVG or PNG."),
    ActionSpec("export-table", "&Table…", "Write the figures of all components as CSV."),
    ActionSpec(
        "export-scores", "&Scores…", "Write the scores of all pixels as an image, a band for each component."
    ),
    ActionSpec("export-model", "&Model…", "Write mean, components and variances for NumPy."),
    ActionSpec("report", "Rep&ort…", "Write pictures, plots and figures as one page."),
    ActionSpec(
        "close", "&Close", "Close the image, or all photographs of the strip.", (_Std.Close, "Ctrl+W")
    ),
    ActionSpec("quit", "&Quit", "Close the window.", (_Std.Quit, "Ctrl+Q")),
    ActionSpec(
        "send",
        "Sen&d…",
        "Make files of the photographs that are small enough to be sent, and that anyone opens.",
        ("Ctrl+Shift+E",),
    ),
    ActionSpec(
        "apply-all",
        "&Apply to All",
        "Give the settings of the open photograph to all photographs of the strip.",
    ),
    ActionSpec(
        "apply-selected",
        "Apply to &Selected",
        "Give the settings of the open photograph to those that are selected in the strip.",
    ),
    ActionSpec(
        "share-again",
        "&Use the Shared Settings",
        "Let the selected photographs follow the settings that all share again.",
    ),
    ActionSpec("next-photograph", "&Next", "Open the next photograph of the strip.", ("Ctrl+PgDown",)),
    ActionSpec(
        "previous-photograph", "&Previous", "Open the previous photograph of the strip.", ("Ctrl+PgUp",)
    ),
    ActionSpec(
        "show-photograph", "Show in &Folder", "Show the file of the selected photograph in the file manager."
    ),
    ActionSpec(
        "remove-photograph",
        "&Remove from the Strip",
        "Take the selected photographs out of the strip; their files stay.",
    ),
    ActionSpec("undo", "&Undo", "Go back to the previous settings.", (_Std.Undo, "Ctrl+Z")),
    ActionSpec(
        "redo",
        "&Redo",
        "Go forward to the settings that were just undone.",
        (_Std.Redo, "Ctrl+Shift+Z", "Ctrl+Y"),
    ),
    ActionSpec(
        "copy",
        "&Copy Reconstruction",
        "Copy the reconstruction, or the file that was just exported, to the clipboard.",
        (_Std.Copy, "Ctrl+C"),
    ),
    ActionSpec(
        "copy-command",
        "Copy as Co&mmand",
        "Copy the command line that makes the same file.",
        ("Ctrl+Shift+C",),
    ),
    ActionSpec("cancel", "&Stop", "Stop what is being computed.", ("Esc",)),
    ActionSpec(
        "preferences",
        "Pr&eferences…",
        "Choose the theme, units, limits and how images are opened.",
        (_Std.Preferences, "Ctrl+,"),
    ),
    ActionSpec("fewer", "&Fewer Components", "Go back by one k that makes another file.", ("[",)),
    ActionSpec("more", "&More Components", "Go on by one k that makes another file.", ("]",)),
    ActionSpec("fewer-10", "Ten Fewer", "Go back by ten such k.", ("{",)),
    ActionSpec("more-10", "Ten More", "Go on by ten such k.", ("}",)),
    *(ActionSpec(f"preset-{name}", each.text, each.tip) for name, each in PRESETS.items()),
    ActionSpec(
        "save-preset",
        "Sa&ve as Preset…",
        "Save the goal and the settings under a name, to use them for other images.",
    ),
    ActionSpec("manage-presets", "&Manage Presets…", "Rename, delete, export and import your presets."),
    ActionSpec("target-variance", "Set &Variance", "Type the share of the variance to explain."),
    ActionSpec("target-psnr", "Set PSN&R", "Type the PSNR to reach."),
    ActionSpec("target-ssim", "Set SS&IM", "Type the SSIM to reach."),
    ActionSpec("target-size", "Set Si&ze", "Type the size that the file must not exceed."),
    ActionSpec(
        "put-back", "Put All Components &Back", "Put the components that were left out back into the picture."
    ),
    ActionSpec(
        "encode-model",
        "Encode with a Mo&del…",
        "Use the mean and components of another .pcai file; they are not stored again.",
    ),
    ActionSpec("leave-model", "&Leave the Model", "Find the image's own components again."),
    ActionSpec(
        "side-by-side", "&Side by Side", "Show the original and the reconstruction beside each other.", ("1",)
    ),
    ActionSpec(
        "split", "Spl&it", "Show the original to the left of a line, the reconstruction to its right.", ("2",)
    ),
    ActionSpec("difference", "&Difference", "Show where the reconstruction differs.", ("3",)),
    ActionSpec(
        "compare",
        "&Compare",
        "Compare the reconstruction with JPEG or another rival of the same size, or with none again.",
        ("C",),
    ),
    ActionSpec("magnifier", "&Magnifier", "Show what is under the pointer enlarged.", ("M",)),
    ActionSpec("zoom-in", "&Zoom In", "Show the image larger.", (_Std.ZoomIn, "Ctrl++", "Ctrl+=")),
    ActionSpec("zoom-out", "Zoom &Out", "Show the image smaller.", (_Std.ZoomOut, "Ctrl+-")),
    ActionSpec("fit", "&Fit", "Show the whole image.", ("F", "Ctrl+0")),
    ActionSpec("zoom-100", "&100 %", "Show every pixel of the image as one pixel of the screen.", ("Z",)),
    ActionSpec("tab-1", "&Spectrum", "How much each component explains.", ("Alt+1",)),
    ActionSpec("tab-2", "Si&ze and Quality", "The quality of every size, beside other codecs.", ("Alt+2",)),
    ActionSpec("tab-3", "&Components", "The components as pictures.", ("Alt+3",)),
    ActionSpec("tab-4", "&Error", "Where and how much the reconstruction differs.", ("Alt+4",)),
    ActionSpec("tab-5", "&Block", "One block taken apart into its components.", ("Alt+5",)),
    ActionSpec("pin-block", "Pin Bloc&k", "Pin the block under the pointer and take it apart.", ("P",)),
    ActionSpec("tab-6", "&Table", "The figures of all components.", ("Alt+6",)),
    ActionSpec("tab-7", "Sc&atter", "The images of a stack by their scores.", ("Alt+7",)),
    ActionSpec("tab-8", "&Montage", "The images of a stack before and after compression.", ("Alt+8",)),
    ActionSpec("tab-9", "P&ixel", "The spectrum of the pixel under the pointer.", ("Alt+9",)),
    ActionSpec("tab-10", "Ba&nds", "How well each band is reconstructed.", ("Alt+0",)),
    ActionSpec("play", "&Play", "Play the animation at its own speed, or stop it.", ("A",)),
    ActionSpec("previous-image", "P&revious Image", "Show the image of the stack before this one.", (",",)),
    ActionSpec("next-image", "&Next Image", "Show the image of the stack after this one.", (".",)),
    ActionSpec(
        "image-alone", "&Open This Image Alone", "Open only this image of the stack, as a photograph."
    ),
    ActionSpec("bands", "B&ands…", "Choose which bands are shown as red, green and blue.", ("B",)),
    ActionSpec("lab", "&PCA Lab…", "Find PCA by hand, on a table or on the open image.", ("Ctrl+L",)),
    ActionSpec("layout-photo", "&Photo", "Show the pictures with the presets and the slider.", ("Ctrl+1",)),
    ActionSpec(
        "layout-learn",
        "&Learn",
        "Show also the spectrum, the components and a block taken apart.",
        ("Ctrl+2",),
    ),
    ActionSpec(
        "layout-science", "&Science", "Show all tabs: bands, spectra, tables and scatter plots.", ("Ctrl+3",)
    ),
    ActionSpec(
        "enlarge-tab",
        "Enlar&ge Tab",
        "Fill the window with the tab, without the pictures; Esc goes back.",
        ("Shift+F8",),
    ),
    ActionSpec("show-tabs", "Ta&bs", "Show the plots below the pictures.", ("F8",)),
    ActionSpec("show-panel", "Settings Pa&nel", "Show the settings on the right.", ("F9",)),
    ActionSpec("full-screen", "F&ull Screen", "Fill the screen with the window.", (_Std.FullScreen, "F11")),
    ActionSpec("theme-system", "Follow the &System", "Follow the desktop's colour scheme."),
    ActionSpec("theme-light", "&Light", "Dark text on a light background."),
    ActionSpec("theme-dark", "&Dark", "Light text on a dark background."),
    ActionSpec("keyboard-help", "&Keyboard Shortcuts", "Show all keys.", (_Std.HelpContents, "F1", "?")),
    ActionSpec("about", "&About pcaimage", "Show the versions of the program and its libraries."),
)
"""All actions, in the order of the menus."""

ENABLED = {
    "fitted": (
        "save save-as export export-table export-model copy fewer more fewer-10 more-10 "
        "preset-small preset-balanced preset-variance-95 preset-variance-99 target-variance "
        "target-size compare"
    ),
    "plot": "export-plot",
    "scored": "export-scores",
    "comparable": "report preset-visually-lossless preset-lossless save-preset target-psnr target-ssim",
    "image": "close send magnifier zoom-in zoom-out fit zoom-100 pin-block",
    "photographs": (
        "apply-all apply-selected share-again next-photograph "
        "previous-photograph show-photograph remove-photograph"
    ),
    "undoable": "undo",
    "redoable": "redo",
    "command": "copy-command",
    "escapable": "cancel",
    "left-out": "put-back",
    "original": "encode-model side-by-side split difference",
    "with-model": "leave-model",
    "stack": "tab-7 tab-8 previous-image next-image",
    "bands": "tab-9 tab-10 bands",
    "animation": "play",
    "in-file": "image-alone",
}
"""The actions that a flag enables, by the flag; the others are always enabled.

The flags are ``image`` (an image is open), ``original`` (with its original), ``fitted`` (its components are
those that were chosen), ``comparable`` (fitted, with its original), ``scored`` (fitted, with a score for each
pixel), ``left-out`` (components are left out), ``with-model`` (the basis is in a model file), ``command`` (a
command line makes the same file), ``plot`` (a plot is shown), ``stack`` (several images), ``in-file`` (with
their original), ``animation`` (with durations), ``bands`` (many bands), ``photographs`` (there is a strip),
``undoable``, ``redoable`` and ``escapable`` (a job runs or a message is shown).
"""

GROUPS = {
    "mode": "side-by-side split difference",
    "tab": "tab-1 tab-2 tab-3 tab-4 tab-5 tab-6 tab-7 tab-8 tab-9 tab-10",
    "layout": "layout-photo layout-learn layout-science",
    "theme": "theme-system theme-light theme-dark",
}
"""The groups of actions of which exactly one is checked."""

SWITCHES = "compare magnifier play enlarge-tab show-tabs show-panel full-screen"
"""The actions that are switched on and off."""

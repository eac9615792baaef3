"""The keys and mouse gestures that are no actions, as data: they belong to the widget with the focus."""

from __future__ import annotations

Row = tuple[tuple[str, ...], str]
"""Keys, in Qt's portable words or as something else that is done, and what they do."""

BEFORE: tuple[tuple[str, tuple[Row, ...]], ...] = (
    (
        "Pictures",
        (
            (("Space (held)",), "Show the left picture in place of the right one"),
            (("Left", "Right", "Up", "Down"), "Move the image"),
            (("+", "-"), "Zoom in and out"),
            (("Wheel",), "Zoom at the pointer"),
            (("Drag",), "Move the image"),
            (("Double-click",), "Switch between the whole image and 100 %"),
            (("Shift+Wheel",), "Change the magnification while the magnifier is on"),
        ),
    ),
)
"""Keys of the pictures, which are shown first."""

AFTER: tuple[tuple[str, tuple[Row, ...]], ...] = (
    (
        "Line of the split view",
        (
            (("Left", "Right"), "Move it"),
            (("Shift+Left", "Shift+Right"), "Move it in larger steps"),
            (("Home", "End"), "Show one picture alone"),
            (("Double-click",), "Put it in the middle"),
        ),
    ),
    (
        "Slider of k",
        (
            (("Left", "Right", "Wheel"), "One component fewer or more"),
            (("PgDown", "PgUp"), "Ten fewer or more"),
            (("Home", "End"), "Only the first component, or all of them"),
            (("Shift+Drag",), "Move one component at a time"),
        ),
    ),
    (
        "Number fields",
        (
            (("Return",), "Apply the typed value"),
            (("Esc",), "Discard the typed value"),
            (("Up", "Down", "PgUp", "PgDown"), "One or ten components more or less"),
        ),
    ),
    (
        "Plots",
        (
            (("Left", "Right"), "One component fewer or more"),
            (("PgDown", "PgUp"), "Ten fewer or more"),
            (("Home", "End"), "Only the first component, or all of them"),
            (("L",), "Switch between a logarithmic and a linear scale"),
        ),
    ),
    (
        "Components",
        (
            (("Left", "Right", "Up", "Down"), "Go to another component"),
            (("Space", "Return"), "Leave it out, or put it back"),
        ),
    ),
    (
        "Error and block",
        (
            (("Left", "Right", "Up", "Down"), "Go to another place, or to a neighbouring block"),
            (("Return",), "Show the place in the pictures"),
        ),
    ),
    (
        "Table",
        (
            (("Up", "Down"), "Go to another component"),
            (("Return",), "Keep the components up to there"),
            (("Ctrl+C",), "Copy the table for a spreadsheet"),
        ),
    ),
    (
        "Scatter and montage",
        (
            (("Left", "Right"), "Show the previous or next image"),
            (
                ("PgDown", "PgUp"),
                "Go ten images forward or back in the scatter plot, one page in the montage",
            ),
            (("+", "-"), "Zoom the scatter plot in and out"),
            (("Home",), "Bring all points of the scatter plot into view"),
        ),
    ),
    (
        "Pixel and bands",
        (
            (("Left", "Right"), "Go to another band"),
            (("Shift+Left", "Shift+Right", "Shift+Up", "Shift+Down"), "Go to another pixel"),
            (("Return",), "Show the band of a row alone"),
            (("Ctrl+C",), "Copy the table of bands for a spreadsheet"),
        ),
    ),
)
"""Keys of the other widgets."""

"""The dialogs that ask for files, and how they are to be opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QDialog,
    QFileDialog,
    QFrame,
    QInputDialog,
    QLineEdit,
    QMessageBox,
    QScrollArea,
    QWidget,
)

from pcaimage import api
from pcaimage.gui.boxes import hbox, vbox
from pcaimage.gui.session.opening import TABLES, Several, Way
from pcaimage.imaging import Contents
from pcaimage.imaging.image.formats import Format
from pcaimage.language import tr

_OF_OPENING = "question of an opening"


def open_filters() -> str:
    """Return the file filters of the open dialog."""
    from pcaimage.imaging.reading.read import PATTERNS  # noqa: PLC0415 - it loads all readers

    images = " ".join(sorted({*PATTERNS, f"*{api.SUFFIX}"}))
    tables = f"Tables and exercises ({' '.join(f'*{each}' for each in TABLES)})"
    return (
        f"Images and compressed images ({images});;Compressed images (*{api.SUFFIX});;{tables};;All files (*)"
    )


def ask_open(parent: QWidget, folder: str) -> list[str]:
    """Ask which files to open."""
    # There are some forty endings, which would make the dialog as wide as the screen.
    short = QFileDialog.Option.HideNameFilterDetails
    return QFileDialog.getOpenFileNames(parent, "Open", folder, open_filters(), options=short)[0]


def ask_model(parent: QWidget, folder: str, title: str) -> Path | None:
    """Ask for a model file; None if the dialog is cancelled."""
    path, _ = QFileDialog.getOpenFileName(parent, title, folder, f"Models (*{api.SUFFIX})")
    return Path(path) if path else None


def ask_profile(parent: QWidget, folder: str) -> Path | None:
    """Ask for the file of a screen's colour profile; None if the dialog is cancelled."""
    filters = "Colour profiles (*.icc *.icm *.ICC *.ICM);;All files (*)"
    path, _ = QFileDialog.getOpenFileName(parent, "Screen profile", folder, filters)
    return Path(path) if path else None


def ask_save(parent: QWidget, folder: str, name: str) -> Path | None:
    """Ask where to save a compressed image, and return the path with its suffix; None if cancelled."""
    filters = {f"Compressed images (*{api.SUFFIX})": api.SUFFIX}
    return _ask_path(parent, "Save compressed image", folder, name, filters)


def ask_export(parent: QWidget, folder: str, name: str, target: Format) -> Path | None:
    """Ask where to write the image in a format; None if cancelled."""
    endings = " ".join(f"*{suffix}" for suffix in target.suffixes)
    return _ask_path(parent, "Export", folder, name, {f"{target.title} ({endings})": target.suffixes[0]})


def _ask_path(parent: QWidget, title: str, folder: str, name: str, filters: Mapping[str, str]) -> Path | None:
    """Ask where to write a file; `filters` maps file filters to the suffixes added to names without one."""
    filters = {tr(text): suffix for text, suffix in filters.items()}
    first = next(iter(filters.values()))
    suggested = str(Path(folder) / f"{name}{first}")
    dialog = QFileDialog(parent, title, suggested, ";;".join(filters))
    dialog.filterSelected.connect(lambda text: dialog.setDefaultSuffix(filters[text]))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setDefaultSuffix(first)
    dialog.selectFile(suggested)
    accepted = dialog.exec() == QFileDialog.DialogCode.Accepted
    chosen = dialog.selectedFiles()
    dialog.deleteLater()
    return Path(chosen[0]) if accepted and chosen else None


def _question(parent: QWidget, title: str, text: str) -> QMessageBox:
    box = QMessageBox(parent, icon=QMessageBox.Icon.Question)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)  # the name of a file may look like markup
    box.setText(text)
    return box


def ask_name(parent: QWidget, title: str, label: str, name: str) -> str | None:
    """Ask for a name; None if cancelled."""
    text, accepted = QInputDialog.getText(parent, title, tr(label), QLineEdit.EchoMode.Normal, name)
    return text.strip() if accepted else None


def ask_sure(parent: QWidget, title: str, text: str, button: str) -> bool:
    """Ask whether something is to be done that cannot be undone; the button names it."""
    box = _question(parent, title, text)
    yes = box.addButton(button, QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.exec()
    sure = box.clickedButton() is yes
    box.deleteLater()
    return sure


def ask_presets(parent: QWidget, folder: str) -> list[str]:
    """Ask for files of presets; none if cancelled."""
    return QFileDialog.getOpenFileNames(parent, "Import presets", folder, "Presets (*.json)")[0]


def ask_write(parent: QWidget, folder: str, title: str, name: str, formats: Mapping[str, str]) -> Path | None:
    """Ask where to write a plot, a table, a model or a report; None if cancelled.

    `formats` maps names of formats to suffixes, the default first.
    """
    filters = {f"{text} (*{suffix})": suffix for text, suffix in formats.items()}
    return _ask_path(parent, title, folder, name, filters)


def ask_offer(parent: QWidget, contents: Contents, then: Callable[[str], object]) -> None:
    """Ask which array or part of one is the image; `then` is called with its name."""
    found = {each.text: each.member for each in contents.offers}
    box = QInputDialog(parent)
    box.setWindowTitle("Which image?")
    box.setLabelText(f"{contents.asks}. Which is to be opened?")
    box.setComboBoxItems(list(found))
    box.textValueSelected.connect(lambda text: then(found[text]))
    box.finished.connect(box.deleteLater)
    box.setObjectName(_OF_OPENING)
    box.open()


WAYS: Mapping[Way, tuple[str, str]] = {
    "separate": (
        "&Separate Photographs",
        "Separate photographs stand in a strip, and all can be sent as files small enough.",
    ),
    "stack": ("S&tack", "A stack is made of images of one kind, such as faces, whose components are sought."),
    "bands": ("&Bands", "Bands are grey pictures of one scene at several wavelengths."),
}
"""The ways to open several images, each with the label of its button and an explanation."""


def several_question(parent: QWidget, several: Several) -> tuple[QMessageBox, dict[QAbstractButton, Way]]:
    """Return a message box that asks how several images are opened, and the way of each button."""
    box, buttons = _question(parent, "Several images", several.question), dict[QAbstractButton, Way]()
    box.setInformativeText("\n\n".join(WAYS[way][1] for way in several.ways))
    for way in several.ways:
        button = box.addButton(WAYS[way][0], QMessageBox.ButtonRole.AcceptRole)
        buttons[button] = way
        if way == several.ways[0]:
            box.setDefaultButton(button)
    box.addButton(QMessageBox.StandardButton.Cancel)
    always = QCheckBox("Do not ask again", box)
    always.setToolTip(
        "Open several images this way from now on. The question can be turned back on in the preferences."
    )
    box.setCheckBox(always)
    return box, buttons


def ask_several(parent: QWidget, several: Several, then: Callable[[Way, bool], object]) -> None:
    """Ask how several images are opened; `then` gets the answer, and whether it holds from now on."""
    box, buttons = several_question(parent, several)

    def answer() -> None:
        chosen = buttons.get(box.clickedButton())
        box.deleteLater()
        if chosen is not None:
            then(chosen, box.checkBox().isChecked())

    box.setObjectName(_OF_OPENING)
    box.finished.connect(answer)
    box.open()  # no loop of its own, in which another image might be opened


def drop_questions(parent: QWidget) -> None:
    """Close the questions how files are to be opened without an answer."""
    for box in parent.findChildren(QDialog, _OF_OPENING):
        if box.isVisible():  # else it has been answered
            box.reject()


def ask_folder(parent: QWidget, title: str, folder: str) -> Path | None:
    """Ask for a folder; None if cancelled."""
    path = QFileDialog.getExistingDirectory(parent, title, folder)
    return Path(path) if path else None


def open_once(dialog: QDialog) -> None:
    """Show a dialog without blocking its window; it goes when it is closed."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


_SHARE = 0.9
"""The share of the screen that a dialog may take; the rest is for window frames and desktop panels."""


class Scrolled(QScrollArea):
    """A scroll area that scrolls a widget only vertically."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(content)
        self._content = content

    def sizeHint(self) -> QSize:
        """Return a size at which nothing needs to be scrolled."""
        content = self._content
        wanted = content.sizeHint().expandedTo(content.minimumSize())
        if content.hasHeightForWidth():
            wanted.setHeight(content.heightForWidth(wanted.width()))
        return wanted

    def minimumSizeHint(self) -> QSize:
        """Return the full width, and the height of a few lines."""
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(self.sizeHint().width() + bar, 5 * self.fontMetrics().height())


def stand_above(content: QWidget, buttons: QWidget, parent: QWidget, margin: int = 16) -> Scrolled:
    """Lay out a widget that scrolls above a row of buttons, with a margin below; return its scroll area."""
    area = Scrolled(content)
    vbox(area, hbox(buttons, margins=(16, 0, 16, 0)), of=parent, margins=(0, 0, 0, margin))
    return area


def fit_to_screen(window: QWidget, wanted: QSize | None = None) -> None:
    """Resize a window to its size hint or a `wanted` size, as far as the screen allows."""
    room = window.screen().availableSize() * _SHARE
    window.resize((window.sizeHint() if wanted is None else wanted).boundedTo(room))

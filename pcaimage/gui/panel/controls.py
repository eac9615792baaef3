"""The settings panel on the right of the window, with a card in their place for a file without original."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QColor, QPalette
from PySide6.QtWidgets import QLabel, QScrollArea, QSizePolicy, QWidget

from pcaimage.gui.boxes import vbox
from pcaimage.gui.panel.bytes_view import BytesView
from pcaimage.gui.panel.compress_form import CompressForm
from pcaimage.gui.panel.form_rows import heading, section, told
from pcaimage.gui.panel.keep_form import KeepForm
from pcaimage.gui.panel.presets import QualityBar
from pcaimage.gui.session.requests import UsePreset
from pcaimage.gui.session.resolve import EXPORT, PanelView
from pcaimage.gui.theme import colours_of


class FileCard(QWidget):
    """Describes an opened file, in place of settings that cannot be changed without its original."""

    def __init__(self) -> None:
        super().__init__()
        self._values: dict[str, QLabel] = {}
        form = section(self)
        for name in ("Image", "Method", "Made from"):
            value = self._values[name] = QLabel(wordWrap=True)
            value.setAccessibleName(name)
            form.addRow(told(name), value)
        self._form = form

    @property
    def text(self) -> str:
        """The description, line by line."""
        shown = ((name, label.text()) for name, label in self._values.items())
        return "\n".join(f"{name}: {text}" for name, text in shown if text)

    def set_view(self, view: PanelView) -> None:
        """Describe another file."""
        for name, label in self._values.items():
            label.setText(view.about.get(name, ""))
            self._form.setRowVisible(label, bool(label.text()))


_WIDTH = 284
_LINKS = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard


class SettingsPanel(QScrollArea):
    """Shows how much is kept, how the image is compressed, and what the bytes are for; it only requests.

    Presets and slider, and notes on them, stand in it or apart, in rows that the window places.
    """

    requested = Signal(object)  # a :data:`~pcaimage.gui.session.requests.Request`
    exportRequested = Signal()  # noqa: N815
    """The user wants the image in a format that other programs open."""

    def __init__(self) -> None:
        super().__init__()
        self._body, self.apart = QWidget(), False
        self.compress, self.keep, self.card = CompressForm(), KeepForm(), FileCard()
        self.bar = QualityBar(self.keep.slider)
        self.error, self.warning, self.hint = _sentence(), _sentence(), _sentence()
        self.notes, self.account = QWidget(), BytesView()
        self._heading = heading("Compress")
        self._lay_out()
        for part in (self.compress, self.keep, self.bar.qualities):
            part.requested.connect(self.requested)
        self.bar.export.clicked.connect(self.exportRequested)
        self.warning.setTextFormat(Qt.TextFormat.RichText)
        self.warning.setTextInteractionFlags(_LINKS)
        self.warning.linkActivated.connect(self._go)
        self.setAccessibleName("Settings")
        self.set_view(PanelView())

    def set_view(self, view: PanelView) -> None:
        """Show another view without emitting anything."""
        for part in (self.compress, self.keep, self.bar, self.card):
            part.set_view(view)
        self.compress.setVisible(view.editing)
        self.card.setVisible(not view.editing)
        self._heading.setText("Compress" if view.editing else "Compressed file")
        colours = colours_of(self.palette())
        _say(self.error, view.error, colours.error)
        _say(self.warning, view.warning, colours.warning)
        _say(self.hint, view.hint, colours.muted)

    def set_apart(self, apart: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Let presets, slider and notes be rows, for the window to place, or take them into the panel."""
        self.apart = apart
        self.bar.set_row(apart)
        for label in (self.error, self.warning, self.hint):
            label.setWordWrap(not apart)
            across = QSizePolicy.Policy.Ignored if apart else QSizePolicy.Policy.Preferred
            label.setSizePolicy(across, QSizePolicy.Policy.Preferred)
        self.notes.setContentsMargins(6 if apart else 0, 0, 0, 0)
        if not apart:
            self._column.insertWidget(0, self.bar)
            self._column.insertWidget(2, self.notes)

    def _go(self, link: str) -> None:
        """Take the way out of a warning."""
        if link == EXPORT:
            self.exportRequested.emit()
        else:
            self.requested.emit(UsePreset(link))

    def sizeHint(self) -> QSize:
        """Return a comfortable width for the fields, and the height of all of them."""
        return QSize(_WIDTH, self._body.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return the smallest useful width; the height is free, since the panel scrolls."""
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(max(_WIDTH, self._body.minimumSizeHint().width() + bar), 80)

    def _lay_out(self) -> None:
        vbox(self.error, self.warning, self.hint, of=self.notes, spacing=4)
        self._column = vbox(of=self._body, margins=12, spacing=8)
        for part in (self.bar, self.keep, self.notes, self._heading, self.compress, self.card, self.account):
            self._column.addWidget(part)
        self._column.addStretch()
        self.account.setContentsMargins(0, 8, 0, 0)
        self.setWidget(self._body)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)


def _sentence() -> QLabel:
    label = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    label.hide()
    return label


def _say(label: QLabel, text: str, colour: str) -> None:
    """Show a sentence or hide the label, and announce a new sentence to screen readers."""
    if label.palette().color(QPalette.ColorRole.WindowText) != QColor(colour):
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
        label.setPalette(palette)
    if text != label.text():
        label.setText(text)
        label.setVisible(bool(text))
        if text:
            QAccessible.updateAccessibility(QAccessibleEvent(label, QAccessible.Event.Alert))

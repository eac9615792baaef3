"""The settings panel on the right of the window, with a card in their place for a file without original."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QColor, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QToolButton, QWidget

from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.panel.bytes_view import BytesView
from pcaimage.gui.panel.compress_form import CompressForm
from pcaimage.gui.panel.form_rows import heading, section, told
from pcaimage.gui.panel.keep_form import KeepForm
from pcaimage.gui.panel.presets import PresetButtons, PresetMenu
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
        self.export = QPushButton("Export for Others…")
        self.export.setToolTip("Write the image in a format that other programs open, such as JPEG or PNG.")
        form.addRow(self.export)
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
        self.export.setEnabled(view.k_max > 0)


_WIDTH = 296
_NARROWEST = 272
_LINKS = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
_LOW = 560
"""The height below which the settings need the room of the table of bytes."""


class SettingsPanel(QScrollArea):
    """Shows how the image is compressed and how much is kept; changes are only requested."""

    requested = Signal(object)
    """A :data:`~pcaimage.gui.session.requests.Request`."""
    detailsShown = Signal(bool)  # noqa: N815
    """Whether all settings are shown, or the presets and the slider alone."""

    exportRequested = Signal()  # noqa: N815
    """The user wants the image in a format that other programs open."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._body = QWidget()
        self.compress = CompressForm()
        self.keep = KeepForm()
        self.qualities = PresetButtons()
        self.presets = PresetMenu()
        self.error = _sentence()
        self.card = FileCard()
        self._heading, self._keeping = heading("Compress"), heading("Keep")
        self.hint = _sentence()
        self.details = QToolButton()
        self._upper = QWidget()
        self.warning = _sentence()
        self._lay_out()
        self.details.toggled.connect(self._show_details)
        for part in (self.compress, self.keep, self.qualities, self.presets):
            part.requested.connect(self.requested)
        self.card.export.clicked.connect(self.exportRequested)
        self.warning.setTextFormat(Qt.TextFormat.RichText)
        self.warning.setTextInteractionFlags(_LINKS)
        self.warning.linkActivated.connect(self._go)
        self.setAccessibleName("Settings")
        self.set_view(PanelView())

    def set_view(self, view: PanelView) -> None:
        """Show another view without emitting anything."""
        self.compress.set_view(view)
        self.keep.set_view(view)
        self.qualities.set_view(view)
        self.presets.set_view(view)
        self.card.set_view(view)
        # Without its original, a file is looked at rather than compressed.
        editing = view.settings_enabled or not view.enabled
        for part in (self.compress, self.qualities, self.presets):
            part.setVisible(editing)
        self.card.setVisible(not editing)
        self._upper.setVisible(self.details.isChecked() or not editing)
        self._heading.setText("Compress" if editing else "Compressed file")
        self._keeping.setText("Keep" if editing else "Make it smaller")
        colours = colours_of(self.palette())
        _say(self.error, view.error, colours.error)
        _say(self.hint, view.hint, colours.muted)
        _say(self.warning, view.warning, colours.warning)

    def _go(self, link: str) -> None:
        """Take the way out of a warning."""
        if link == EXPORT:
            self.exportRequested.emit()
        else:
            self.requested.emit(UsePreset(link))

    def set_concise(self, concise: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Show the presets and the slider alone, until the user asks for the others, or show all."""
        self.details.setVisible(concise)
        self.details.setChecked(not concise)
        self._show_details(not concise)

    def show_details(self) -> None:
        """Show all settings."""
        self.details.setChecked(True)

    def _show_details(self, on: bool) -> None:  # noqa: FBT001 - a Qt slot
        self._upper.setVisible(on or not self.card.isHidden())
        self.keep.set_concise(not on)
        self.details.setText("Fewer Settings" if on else "All Settings")
        self.details.setArrowType(Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow)
        self.detailsShown.emit(on)

    def sizeHint(self) -> QSize:
        """Return a comfortable width for the fields, and the height of all of them."""
        return QSize(_WIDTH, self._body.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return the smallest useful width; the height is free, since the panel scrolls."""
        return QSize(_NARROWEST, 80)

    def _lay_out(self) -> None:
        body = self._body
        column = vbox(of=body, margins=16, spacing=8)
        vbox(self._heading, self.compress, self.card, of=self._upper, margins=(0, 0, 0, 16), spacing=8)
        column.addWidget(self._upper)
        column.addLayout(hbox(self._keeping, FREE, self.presets))
        column.addWidget(self.qualities)
        column.addWidget(self.warning)
        column.addSpacing(4)
        column.addWidget(self.keep)
        column.addWidget(self.error)
        column.addWidget(self.hint)
        self.details.setCheckable(True)
        self.details.setChecked(True)
        self.details.setAutoRaise(True)
        self.details.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.details.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.details.hide()
        column.addWidget(self.details, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch()
        self.setWidget(body)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)


class SidePane(QWidget):
    """The settings, and the account of the bytes below them, which is brief where there is little room."""

    def __init__(self, panel: SettingsPanel, account: BytesView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._account = account
        account.setContentsMargins(16, 8, 16, 16)
        vbox((panel, 1), account, of=self, spacing=0)
        account.hide()
        panel.detailsShown.connect(account.setVisible)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave room for the settings."""
        super().resizeEvent(event)
        self._account.set_brief(self.height() < _LOW)


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

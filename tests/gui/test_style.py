"""The style: the states of controls look different, in both schemes."""

import pytest
from PySide6 import QtWidgets
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from pcaimage.gui.colours import contrast
from pcaimage.gui.style import Flat
from pcaimage.gui.theme import apply_theme

State = QtWidgets.QStyle.StateFlag
SCHEMES = ("light", "dark")


@pytest.fixture(params=SCHEMES)
def theme(request, qapp):
    theme = apply_theme(qapp, request.param)
    yield theme
    theme.set_scheme("light")
    theme.deleteLater()


def drawn(element, option, state, theme):
    """Draw a control's part in a state, and return its pixels."""
    image = QImage(40, 24, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.colours.window))
    option.rect, option.state = QRect(0, 0, 40, 24), state
    painter = QPainter(image)
    Flat().drawPrimitive(element, option, painter)
    painter.end()
    return bytes(image.constBits())


BUTTON_STATES = (
    State.State_None,
    State.State_Enabled,
    State.State_Enabled | State.State_MouseOver,
    State.State_Enabled | State.State_Sunken,
    State.State_Enabled | State.State_HasFocus | State.State_KeyboardFocusChange,
)
BOX_STATES = (
    State.State_Off,
    State.State_On,
    State.State_Enabled | State.State_Off,
    State.State_Enabled | State.State_On,
    State.State_Enabled | State.State_NoChange,
    State.State_Enabled | State.State_Off | State.State_MouseOver,
)


@pytest.mark.parametrize(
    ("element", "states"),
    [
        (QtWidgets.QStyle.PrimitiveElement.PE_PanelButtonCommand, BUTTON_STATES),
        (QtWidgets.QStyle.PrimitiveElement.PE_PanelButtonTool, BUTTON_STATES[1:4:2]),
        (QtWidgets.QStyle.PrimitiveElement.PE_IndicatorCheckBox, BOX_STATES),
        (QtWidgets.QStyle.PrimitiveElement.PE_FrameLineEdit, (*BUTTON_STATES[:2], BUTTON_STATES[4])),
    ],
)
@pytest.mark.sweep(4)
def test_every_state_of_a_control_looks_another_way(theme, element, states):
    button = element == QtWidgets.QStyle.PrimitiveElement.PE_PanelButtonCommand
    pictures = {
        drawn(element, QtWidgets.QStyleOptionButton() if button else QtWidgets.QStyleOption(), s, theme)
        for s in states
    }
    assert len(pictures) == len(states)


def shown(qtbot, widget, width=120):
    qtbot.addWidget(widget)
    widget.resize(width, 28)
    return widget.grab().toImage()


def count(image, colour, where=None):
    area = where or image.rect()
    wanted = QColor(colour)
    return sum(
        image.pixelColor(x, y) == wanted
        for y in range(area.top(), area.bottom() + 1)
        for x in range(area.left(), area.right() + 1)
    )


def test_the_default_button_has_the_accent_and_a_text_that_is_read(theme, qtbot):
    colours = theme.colours
    button = QtWidgets.QPushButton("Save")
    button.setDefault(True)
    assert count(shown(qtbot, button), colours.accent) > 1000
    assert count(button.grab().toImage(), colours.accent_text) > 0
    assert contrast(colours.accent, colours.accent_text) >= 4.5
    plain = QtWidgets.QPushButton("Save")
    assert count(shown(qtbot, plain), colours.accent) == 0


def test_a_sliders_groove_is_filled_up_to_its_handle_and_progress_fills_its_bar(theme, qtbot):
    slider, bar = QtWidgets.QSlider(Qt.Orientation.Horizontal), QtWidgets.QProgressBar()
    bar.setTextVisible(False)

    def filled(widget, values):
        for value in values:
            widget.setValue(value)
            yield count(shown(qtbot, widget), theme.colours.accent)

    def ends():
        picture = slider.grab().toImage()
        return [count(picture, theme.colours.accent, QRect(x, 0, 10, 28)) > 0 for x in (0, 110)]

    slider.setRange(0, 100)
    few, half, many = filled(slider, (10, 50, 90))
    assert 0 < few < half < many
    assert ends() == [True, False]
    slider.setInvertedAppearance(True)
    assert ends() == [False, True]
    slider.setEnabled(False)
    assert count(slider.grab().toImage(), theme.colours.accent) == 0
    bar.setRange(0, 4)
    nothing, half, whole = filled(bar, (0, 2, 4))
    assert nothing == 0
    assert whole == pytest.approx(2 * half, rel=0.1)


@pytest.mark.usefixtures("theme")
@pytest.mark.parametrize(
    "make",
    [
        QtWidgets.QCheckBox,
        QtWidgets.QRadioButton,
        QtWidgets.QLineEdit,
        QtWidgets.QSpinBox,
        QtWidgets.QComboBox,
        QtWidgets.QPushButton,
        QtWidgets.QToolButton,
    ],
)
@pytest.mark.sweep(7)
def test_what_cannot_be_used_looks_so(qtbot, make):
    widget = make()
    if isinstance(widget, QtWidgets.QComboBox):
        widget.addItem("Photo")
    elif not isinstance(widget, QtWidgets.QSpinBox):
        widget.setText("Photo")
    usable = shown(qtbot, widget)
    widget.setEnabled(False)
    assert widget.grab().toImage() != usable


@pytest.mark.usefixtures("theme")
def test_controls_that_are_drawn_by_fusion_still_are(qtbot):
    upright = QtWidgets.QSlider(Qt.Orientation.Vertical)
    qtbot.addWidget(upright)
    editable = QtWidgets.QComboBox()
    editable.setEditable(True)
    for widget in (upright, editable):
        image = shown(qtbot, widget) if widget is editable else widget.grab().toImage()
        colours = {image.pixel(QPoint(x, y)) for x in range(image.width()) for y in range(image.height())}
        assert len(colours) > 2


class WithPictures(Flat):
    """The style on a desktop whose dialogs have pictures on their buttons."""

    def styleHint(  # noqa: N802 - Qt's name
        self, hint, option=None, widget=None, data=None
    ):
        if hint == QtWidgets.QStyle.StyleHint.SH_DialogButtonBox_ButtonsHaveIcons:
            return 1
        return super().styleHint(hint, option, widget, data)


def test_buttons_of_dialogs_have_no_pictures_whatever_the_desktop_has(qapp, qtbot, on_screen):
    theme = apply_theme(qapp, "light")
    qapp.setStyle(WithPictures())
    ours, theirs = QtWidgets.QDialogButtonBox.StandardButton, QtWidgets.QMessageBox.StandardButton
    try:
        own, question = QtWidgets.QDialogButtonBox(ours.Ok | ours.Cancel), QtWidgets.QMessageBox()
        question.setStandardButtons(theirs.Save | theirs.Cancel)
        for box in (own, question):
            qtbot.addWidget(box)
            box.show()
            assert [button.icon().isNull() for button in box.buttons()] == [True, True]
        picture = own.style().standardIcon(QtWidgets.QStyle.StandardPixmap.SP_DialogOkButton)
        assert not on_screen(QtWidgets.QPushButton(picture, "Open")).icon().isNull()
    finally:
        qapp.setStyle(Flat())
        theme.deleteLater()

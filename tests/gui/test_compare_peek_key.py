import pytest
from PySide6 import QtWidgets
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from pcaimage.gui.compare.peek_key import KEEPS_SPACE, PeekKey

SPACE = Qt.Key.Key_Space


class Window(QtWidgets.QWidget):
    def __init__(self):
        super().__init__()
        column = QtWidgets.QVBoxLayout(self)
        self.picture = QtWidgets.QLabel("picture", focusPolicy=Qt.FocusPolicy.StrongFocus)
        self.field, self.box = QtWidgets.QLineEdit(), QtWidgets.QSpinBox()
        self.button, self.check = QtWidgets.QPushButton("Button"), QtWidgets.QCheckBox("Check")
        for widget in (self.picture, self.field, self.box, self.button, self.check):
            column.addWidget(widget)
        self.heard = []
        self.key = PeekKey(self)
        self.key.pressed.connect(lambda: self.heard.append("pressed"))
        self.key.released.connect(lambda: self.heard.append("released"))


@pytest.fixture
def window(on_screen):
    window = on_screen(Window())
    window.activateWindow()
    window.picture.setFocus()
    return window


def repeat(window, kind):
    event = QKeyEvent(kind, SPACE, Qt.KeyboardModifier.NoModifier, " ", True)
    QtWidgets.QApplication.sendEvent(window.picture, event)


def test_space_is_heard_for_as_long_as_it_is_held(window, qtbot):
    qtbot.keyPress(window.picture, SPACE)
    assert window.heard == ["pressed"]
    for _ in range(3):
        repeat(window, QEvent.Type.KeyRelease)
        repeat(window, QEvent.Type.KeyPress)
    assert window.heard == ["pressed"]
    assert window.key.held
    qtbot.keyRelease(window.picture, SPACE)
    assert window.heard == ["pressed", "released"]


def test_other_keys_and_space_with_modifiers_are_left_alone(window, qtbot):
    qtbot.keyClick(window.picture, Qt.Key.Key_A)
    qtbot.keyClick(window.picture, SPACE, Qt.KeyboardModifier.ControlModifier)
    assert window.heard == []


def test_space_keeps_its_meaning_in_fields_and_buttons(window, qtbot):
    window.field.setFocus()
    qtbot.keyClick(window.field, SPACE)
    assert window.field.text() == " "
    window.check.setFocus()
    qtbot.keyClick(window.check, SPACE)
    assert window.check.isChecked()
    window.button.setFocus()
    with qtbot.waitSignal(window.button.clicked):
        qtbot.keyClick(window.button, SPACE)
    window.box.setFocus()
    qtbot.keyClick(window.box, SPACE)
    window.picture.setFocus()
    window.picture.setProperty(KEEPS_SPACE, True)
    qtbot.keyClick(window.picture, SPACE)
    assert window.heard == []


def test_a_window_that_loses_the_keys_lets_go(window, qtbot):
    qtbot.keyPress(window.picture, SPACE)
    QtWidgets.QApplication.sendEvent(window, QEvent(QEvent.Type.WindowDeactivate))
    assert window.heard == ["pressed", "released"]
    qtbot.keyRelease(window.picture, SPACE)
    assert window.heard == ["pressed", "released"]


def test_a_release_elsewhere_counts(window, qtbot):
    qtbot.keyPress(window.picture, SPACE)
    window.field.setFocus()
    qtbot.keyRelease(window.field, SPACE)
    assert window.heard == ["pressed", "released"]
    assert not window.field.text()

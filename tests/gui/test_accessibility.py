"""The window without a mouse, without colours, and read aloud.

Opening a window takes longer than all looks at it: a test opens one, and goes through tabs and schemes in it.
"""

import numpy as np
import pytest
from PySide6 import QtWidgets
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible, QImage, QRegion

from pcaimage.gui.colours import contrast
from pcaimage.gui.commands.help import AboutDialog, KeyboardHelp
from pcaimage.gui.empty import Card
from pcaimage.gui.preferences_dialog import PreferencesDialog
from pcaimage.gui.session.requests import Keep, Toggle

DIALOGS = {"preferences": PreferencesDialog, "keyboard-help": KeyboardHelp, "about": AboutDialog}
SCHEMES = ("light", "dark")
pytestmark = pytest.mark.usefixtures("unabridged")

KINDS = {
    "photo": ("tab-1", "tab-2", "tab-3", "tab-4", "tab-5", "tab-6"),
    "stack": ("tab-4", "tab-7", "tab-8"),
    "bands": ("tab-5", "tab-9", "tab-10"),
}
"""Images, and the tabs in which they show something of their own."""
MANY = 200
FRAME = 2
"""Pixels of outlines, which are no ground of texts."""
LEAST = 4.5  # WCAG 2.2, success criterion 1.4.3
LOW = 360
"""Pixels of height of a screen of 1280 × 720 at 200 %."""


@pytest.fixture
def schemes(user):
    yield
    user.window.theme.set_scheme("light")


@pytest.fixture
def opened(user, draw, tmp_path, kind):
    shapes = {"photo": (24, 32, 3), "stack": (24, 32, 3), "bands": (24, 32, 9)}
    count, ending = (4, "png") if kind == "stack" else (1, "tif" if kind == "bands" else "png")
    user.open(*(draw(tmp_path / f"{seed}.{ending}", *shapes[kind], seed=seed) for seed in range(count)))
    user.session.request(Keep(min(3, user.state.fit.n_components)))
    user.session.request(Toggle(1, out=True))
    user.rest()
    return user


def show_tab(user, tab):
    user.trigger(tab)
    user.idle()
    page = user.window.tabs.currentWidget()
    assert page is not None
    return page


def show_dialog(user, action):
    user.trigger(action)
    dialog = next(iter(user.window.findChildren(DIALOGS[action])))
    user.until(dialog.isVisible)
    return dialog


def spoken(widget):
    """Return the name by which a screen reader calls a widget."""
    face = QAccessible.queryAccessibleInterface(widget)
    return "" if face is None else face.text(QAccessible.Text.Name)


def nameless(root):
    """Return the widgets that take keys but have no name; the lists of combo boxes have the boxes' names."""
    found = []
    for widget in root.findChildren(QtWidgets.QWidget):
        if widget.window() is not root or widget.focusProxy() is not None:
            continue
        inner = isinstance(widget.parent(), QtWidgets.QAbstractSpinBox | QtWidgets.QComboBox)
        takes_keys = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisibleTo(root)
        if takes_keys and not inner and not spoken(widget).strip():
            found.append(f"{type(widget).__name__} in {type(widget.parent()).__name__}")
    return found


def walked(window, qtbot, key):
    """Return the widgets that a key visits until it is back at the first."""
    visited = []
    start = window.focusWidget()
    for _ in range(MANY):
        visited.append(window.focusWidget())
        qtbot.keyClick(window.focusWidget(), key)
        if window.focusWidget() is start:
            return visited
    pytest.fail(f"{key.name} does not come back: {[type(each).__name__ for each in visited[-12:]]}")


def missed(user, qtbot):
    """Return the parts of the window that the Tab key misses, and the hidden ones that it visits."""
    window = user.window
    window.compare.reconstruction.setFocus()
    visited = walked(window, qtbot, Qt.Key.Key_Tab)
    parts = {
        "the left picture": window.compare.original,
        "the right picture": window.compare.reconstruction,
        "the settings": window.panel,
        "the tab bar": window.tabs.tabBar(),
        "the tab": window.tabs.currentWidget(),
    }
    found = [
        f"does not visit {name}"
        for name, part in parts.items()
        if not any(part is each or part.isAncestorOf(each) for each in visited)
    ]
    found += [f"visits the hidden {type(each).__name__}" for each in visited if not each.isVisible()]
    back = walked(window, qtbot, Qt.Key.Key_Backtab)
    only = {spoken(each) for each in back} ^ {spoken(each) for each in visited}
    return found + [f"visits {name!r} in one direction only" for name in only]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.sweep(3)
def test_every_tab_can_be_walked_through_and_read_aloud(opened, qtbot, kind):
    faults = []
    for tab in KINDS[kind]:
        show_tab(opened, tab)
        faults += [f"{tab}: {each} has no name" for each in nameless(opened.window)]
        faults += [f"{tab}: the Tab key {each}" for each in missed(opened, qtbot)]
    assert not faults


def pixels_of(root):
    """Return the picture of a window, as one number for each pixel."""
    picture = root.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(picture.constBits(), np.uint32).reshape(
        picture.height(), picture.bytesPerLine() // 4
    )
    return rows[:, : picture.width()] & 0xFFFFFF


def painted_contrast(pixels):
    """Return the contrast of a text with its ground."""
    colours, counts = np.unique(pixels, return_counts=True)
    ground = f"#{colours[counts.argmax()]:06x}"
    return max(contrast(ground, f"#{colour:06x}") for colour in colours.tolist())


def texts(root):
    """Return the visible, enabled widgets that show words."""
    found = []
    for widget in root.findChildren(QtWidgets.QWidget):
        if isinstance(widget, QtWidgets.QLineEdit | QtWidgets.QLabel | QtWidgets.QAbstractButton):
            words = widget.text()
        elif isinstance(widget, QtWidgets.QComboBox):
            words = widget.currentText()
        else:
            words = "tabs" if isinstance(widget, QtWidgets.QTabBar) else ""
        if words.strip() and widget.isVisible() and widget.isEnabled():
            found.append(widget)
    return found


def whole(widget):
    """Return whether all of a widget is seen."""
    return widget.visibleRegion() == QRegion(widget.rect())


def too_faint(part):
    """The texts in a part of a window that hardly stand out."""
    root, found = part.window(), []
    pixels = pixels_of(root)
    shown = [widget for widget in texts(part) if not widget.visibleRegion().isEmpty()]
    # Of a card below a message the picture may be seen, and not the text.
    shown = [each for each in shown if not isinstance(each, Card) or whole(each)]
    for widget in shown:
        seen = widget.visibleRegion().boundingRect().adjusted(FRAME, FRAME, -FRAME, -FRAME)
        area = QRect(widget.mapTo(root, seen.topLeft()), seen.size())
        value = painted_contrast(pixels[area.top() : area.bottom() + 1, area.left() : area.right() + 1])
        if value < LEAST:
            found.append(f"{type(widget).__name__} {spoken(widget)!r}: {value:.1f}")
    assert shown or part is not root
    return found


@pytest.mark.usefixtures("schemes")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_texts_stand_out_from_their_ground(opened, kind):
    faults = []
    for scheme in SCHEMES:
        opened.window.theme.set_scheme(scheme)
        for tab in KINDS[kind]:
            page = show_tab(opened, tab)
            QtWidgets.QApplication.processEvents()
            # The rest of the window is the same in all tabs.
            part = opened.window if tab == KINDS[kind][0] else page
            faults += [f"{tab}, {scheme}: {each}" for each in too_faint(part)]
    assert not faults


@pytest.mark.slow
@pytest.mark.usefixtures("schemes")
def test_texts_stand_out_before_anything_is_open_and_in_messages(user, tmp_path):
    user.open(tmp_path / "nothing.png")
    user.until(lambda: user.message)
    faults = []
    for scheme in SCHEMES:
        user.window.theme.set_scheme(scheme)
        QtWidgets.QApplication.processEvents()
        faults += [f"{scheme}: {each}" for each in too_faint(user.window)]
    assert not faults


@pytest.mark.usefixtures("schemes")
@pytest.mark.slow
def test_dialogs_can_be_read_and_fit_a_small_screen(user):
    faults = []
    for action in DIALOGS:
        dialog = show_dialog(user, action)
        for scheme in SCHEMES:
            user.window.theme.set_scheme(scheme)
            QtWidgets.QApplication.processEvents()
            faults += [f"{action}, {scheme}: {each}" for each in too_faint(dialog)]
        faults += [f"{action}: {each} has no name" for each in nameless(dialog)]
        assert spoken(dialog)
        assert dialog.minimumSizeHint().height() < 0.9 * LOW
        dialog.close()
    assert not faults

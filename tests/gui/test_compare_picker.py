import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QMenu

from pcaimage.gui.compare.options import ViewOption
from pcaimage.gui.session.state import Rival

LEFT = (
    ViewOption("original", "Original"),
    ViewOption("reconstruction", "Reconstruction", enabled=False, tip="Not fitted yet."),
)
METHODS = (ViewOption(("method", "blocks"), "Blocks"), ViewOption(("method", "channels"), "Channels"))
RIGHT = (
    ViewOption(None, "Reconstruction"),
    ViewOption(("k", 24), "Another k…"),
    ViewOption("", "Other Method", options=METHODS),
    ViewOption("jpeg", "JPEG & Co. of the Same Size", tip="As many bytes."),
)


@pytest.fixture
def compare(compare_view):
    view = compare_view
    view.original.set_caption(["Original", "768 × 512"])
    view.reconstruction.set_caption(["k = 136 of 192", "66 KB"])
    view.left_picker.set_choices(LEFT, "original")
    view.set_right_choices(RIGHT, None)
    return view


def entries(menu):
    if menu.parentWidget() is not None and not isinstance(menu.parentWidget(), QMenu):
        menu.aboutToShow.emit()
    return {action.text(): action for action in menu.actions()}


def test_choosing_asks_for_the_value_as_it_was_given(compare):
    left, right = [], []
    compare.left_picker.requested.connect(left.append)
    compare.rightRequested.connect(right.append)
    entries(compare.left_picker.menu)["Original"].trigger()
    menu = entries(compare.right_picker.menu)
    menu["Reconstruction"].trigger()
    menu["Another k…"].trigger()
    entries(menu["Other Method"].menu())["Channels"].trigger()
    menu["JPEG && Co. of the Same Size"].trigger()
    assert left == ["original"]
    assert right == [None, ("k", 24), ("method", "channels"), "jpeg"]
    compare.difference.set_caption(["Difference"])
    compare.set_mode("difference")
    assert compare.difference_picker.isVisible()
    entries(compare.difference_picker.menu)["Another k…"].trigger()
    assert right[4:] == [("k", 24)]


def test_the_menu_marks_what_is_shown_and_what_cannot_be(compare):
    menu = entries(compare.left_picker.menu)
    assert menu["Original"].isChecked()
    assert not menu["Reconstruction"].isEnabled()
    assert menu["Reconstruction"].toolTip() == "Not fitted yet."
    compare.set_right_choices(RIGHT, ("method", "blocks"))
    menu = entries(compare.right_picker.menu)
    assert not menu["Reconstruction"].isChecked()
    assert entries(menu["Other Method"].menu())["Blocks"].isChecked()
    assert compare.right_picker.button.accessibleName() == "The right view shows: Blocks"


def test_another_k_is_typed_into_the_caption(compare, qtbot):
    field = compare.right_picker.field
    assert not field.isVisible()
    narrow = compare.reconstruction.caption.width()
    compare.set_right_components(24, 192)
    assert field.isVisible()
    assert compare.reconstruction.caption.width() > narrow
    with qtbot.waitSignal(compare.rightRequested) as asked:
        field.selectAll()
        qtbot.keyClicks(field, "48")
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert asked.args == [Rival("k", k=48)]
    compare.set_right_components(None)
    assert not field.isVisible()
    assert compare.reconstruction.caption.width() == narrow


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Down])
def test_keys_open_the_menu(compare, qtbot, key):
    picker = compare.right_picker
    opened = []

    def close():
        opened.append(picker.menu.isVisible() and bool(picker.menu.actions()))
        picker.menu.close()

    picker.button.setFocus()
    QTimer.singleShot(20, close)
    qtbot.keyClick(picker.button, key)
    qtbot.waitUntil(lambda: bool(opened))
    assert opened == [True]

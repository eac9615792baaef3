"""Comparing with other formats at equal bytes: the button over the pictures, its key and its menus."""

import pytest
from PySide6.QtCore import QPoint, Qt

from pcaimage.gui.compare import captions
from pcaimage.gui.compare.options import ViewOption, key_of
from pcaimage.gui.session import transitions
from pcaimage.gui.session.requests import Keep
from pcaimage.gui.session.state import Rival, SessionState

JPEG = ViewOption(Rival("jpeg"), "JPEG of the same size", tip="As many bytes.", name="JPEG")
JXL = ViewOption(Rival("jpegxl"), "JPEG XL of the same size", False, "It is not installed.", name="JPEG XL")
OFFERED = (JPEG, ViewOption(Rival("webp"), "WebP of the same size", name="WebP"), JXL)


@pytest.fixture
def compare(compare_view):
    view = compare_view
    view.resize(602, 300)
    view.set_rivals(OFFERED, None, JPEG)
    return view


def entries(menu):
    menu.aboutToShow.emit()
    return {action.text(): action for action in menu.actions()}


def test_a_click_asks_for_the_rival_and_another_for_none(compare, qtbot):
    asked = []
    button = compare.rivals
    button.requested.connect(asked.append)
    assert button.text() == "Compare with JPEG"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    assert not button.isChecked()
    compare.set_rivals(OFFERED, Rival("jpeg"), JPEG)
    assert button.isChecked()
    assert button.text() == "Comparing with JPEG"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    assert asked == [Rival("jpeg"), None]


def test_its_menu_has_radio_items_and_says_why_one_is_grey(compare):
    compare.set_rivals(OFFERED, Rival("jpeg"), JPEG)
    menu = entries(compare.rivals.menu())
    group = menu["JPEG of the same size"].actionGroup()
    assert group.isExclusive()
    assert all(action.actionGroup() is group for action in menu.values())
    assert menu["JPEG of the same size"].isChecked()
    assert not menu["JPEG XL of the same size"].isEnabled()
    assert menu["JPEG XL of the same size"].toolTip() == "It is not installed."


def test_it_stands_in_the_corner_of_every_arrangement(compare):
    for mode in ("side-by-side", "split", "difference"):
        compare.set_mode(mode)
        assert compare.rect().contains(compare.rivals.geometry())
        assert compare.childAt(compare.rivals.geometry().center()) is compare.rivals
    compare.set_rivals((), None, None)
    assert not compare.rivals.isVisible()


def test_rivals_are_remembered_by_kind():
    assert key_of(Rival("jpeg")) == "jpeg"
    assert key_of(Rival("k", k=7)) == key_of(Rival("k", k=9)) == "k"
    assert key_of(Rival("method", method="blocks")) == "method blocks"


def test_ending_a_comparison_brings_the_original_back():
    state = transitions.with_rival(SessionState(left="reconstruction"), Rival("webp"))
    assert state.rival == Rival("webp")
    assert transitions.with_rival(state, Rival("webp")) is state
    ended = transitions.compared(state, None)
    assert (ended.left, ended.rival) == ("original", None)
    assert transitions.compared(ended, None) is ended


def test_the_button_compares_and_remembers_the_rival(user, photo):
    user.open(photo)
    window, compare = user.window, user.window.compare
    user.window.session.request(Keep(40))
    user.until(compare.rivals.isVisible)
    user.qtbot.mouseClick(compare.rivals, Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    user.until(lambda: user.state.rivalry is not None and user.state.rivalry.ssim is not None)
    user.until(lambda: user.state.current(user.state.similarity) is not None)
    assert (user.state.rival, user.state.left) == (Rival("jpeg"), "reconstruction")
    for caption, title in ((captions.left_caption, "pcaimage · "), (captions.right_caption, "JPEG, quality")):
        lines = caption(user.state)
        assert lines[0].startswith(title)
        assert "\u00a0dB" in lines[-1]
        assert " · SSIM 0." in lines[-1]
    assert window.actions_by_name["compare"].isChecked()

    user.trigger("difference")
    assert user.state.left == "original"
    own = captions.difference_caption(user.state)[-1].split(" · pcaimage ")[1]
    assert "\u00a0dB" in own
    assert " · SSIM 0." in own
    user.trigger("side-by-side")
    assert user.state.left == "reconstruction"

    entries(compare.rivals.menu())["WebP of the same size"].trigger()
    user.until(lambda: user.state.rival == Rival("webp"))
    user.until(lambda: compare.rivals.text() == "Comparing with WebP")
    compare.reconstruction.setFocus()
    user.qtbot.keyClick(compare.reconstruction, Qt.Key.Key_C)
    assert (user.state.rival, user.state.left) == (None, "original")
    user.until(lambda: compare.rivals.text() == "Compare with WebP")
    assert window.preferences.kept("rival", "") == "webp"
    right = entries(window.submenus["right-view"])
    assert right["Reconstruction"].isChecked()
    assert set(right) >= {"Another k", "JPEG of the same size", "JPEG XL of the same size"}
    right["JPEG of the same size"].trigger()
    assert user.state.rival == Rival("jpeg")

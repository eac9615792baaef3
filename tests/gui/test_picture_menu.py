"""The context menus of the pictures."""

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu

from pcaimage.gui.clipboard import to_image
from pcaimage.gui.compare.compare_view import CompareView
from pcaimage.gui.session.requests import ShowRight
from pcaimage.gui.session.sources import copy_of
from pcaimage.gui.session.state import Rival, SessionState
from pcaimage.progress import no_progress


def click(view, canvas):
    place = QPoint(60, 80)
    widget = getattr(view, canvas)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)


def test_every_picture_asks_for_its_own_menu(qtbot):
    view = CompareView()
    qtbot.addWidget(view)
    asked = []
    view.menuRequested.connect(lambda name, _: asked.append(name))
    for canvas in ("original", "reconstruction", "difference"):
        click(view, canvas)
    assert asked == ["left", "right", "difference"]


def test_without_an_image_nothing_is_copied():
    assert copy_of(SessionState(), "left") is None
    assert copy_of(SessionState(), "difference") is None


def chosen(user, view, text):
    menu = user.window.picture_menus.menu(view)
    entries = {action.text().replace("&", ""): action for action in menu.actions()}
    entries[text].trigger()


def clipboard():
    return to_image(QGuiApplication.clipboard().image()).pixels


def test_what_a_picture_shows_is_copied(user, photo):
    user.open(photo)
    chosen(user, "left", "Copy Original")
    user.until(lambda: user.message == "The original is on the clipboard.")
    np.testing.assert_array_equal(clipboard(), user.state.original.pixels)
    chosen(user, "right", "Copy Reconstruction")
    user.until(lambda: user.message == "The reconstruction is on the clipboard.")
    np.testing.assert_array_equal(clipboard(), user.state.exact.pixels)

    user.window.session.request(ShowRight(Rival("jpeg")))
    user.until(lambda: user.state.rivalry is not None)
    chosen(user, "right", "Copy Picture")
    user.until(lambda: "JPEG, quality" in user.message)
    rival = user.state.rivalry.pixels  # so small a JPEG is grey
    np.testing.assert_array_equal(np.broadcast_to(clipboard(), rival.shape), rival)

    faint, bright = (
        copy_of(user.state, "difference", scale).make(no_progress).pixels.astype(int).sum()
        for scale in (200.0, 10.0)
    )
    assert faint < bright
    user.trigger("difference")
    chosen(user, "difference", "Copy Difference")
    user.until(lambda: user.message == "The difference is on the clipboard.")

    menu = user.window.picture_menus.menu("difference")
    texts = [action.text().replace("&", "") for action in menu.actions()]
    assert {"Export…", "Fit", "100 %", "Compare with JPEG"} <= set(texts)
    assert "Bands…" not in texts
    shown = next(each for each in menu.findChildren(QMenu) if each.title() == "S&how")
    radios = [action for action in shown.actions() if action.isCheckable()]
    assert [action.text() for action in radios if action.isChecked()] == ["JPEG of the same size"]
    assert len({action.actionGroup() for action in radios}) == 1

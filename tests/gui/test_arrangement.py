import importlib
import threading
from types import ModuleType

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from pcaimage.gui.app import make_window
from pcaimage.gui.commands.arrangement import LAYOUTS, layout_called
from pcaimage.gui.tabs import workbench
from pcaimage.gui.tabs.error import ErrorFeed
from pcaimage.gui.tabs.workbench import TABS
from tests.gui.finding import find

pytestmark = pytest.mark.usefixtures("unabridged")


@pytest.fixture
def loaded(monkeypatch):
    """Give the names of modules that are imported as pages need them, and the threads that import them."""
    found: list[tuple[str, threading.Thread]] = []

    def import_module(name: str) -> ModuleType:
        found.append((name, threading.current_thread()))
        return importlib.import_module(name)

    monkeypatch.setattr(workbench, "import_module", import_module)
    return found


def test_pages_are_loaded_by_the_thread_of_the_window_before_one_is_shown(loaded, user):
    made = list[bool]()
    user.window.tabs.pageMade.connect(lambda: made.append(True))
    user.until(lambda: bool(made))
    assert {f"pcaimage.gui.tabs.{spec.name}" for spec in TABS} <= {name for name, _ in loaded}
    assert {thread for _, thread in loaded} == {threading.main_thread()}


def double_click(window, number):
    bar = window.tabs.tabBar()
    QTest.mouseDClick(
        bar, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, bar.tabRect(number).center()
    )


@pytest.mark.slow
def test_a_tab_fills_the_window_until_escape(opened, qtbot):
    window = opened.window
    seen = window.compare.viewport
    height = window.tabs.height()
    opened.trigger("tab-4")
    double_click(window, 3)
    assert window.arrangement.enlarged
    assert window.tabs.isVisible()
    assert not window.pages.isVisible()
    assert not window.panel.isVisible()
    opened.until(lambda: window.tabs.width() == window.width() and window.tabs.height() > 2 * height)
    feed = window.tabs.feed(ErrorFeed)
    assert feed.active
    window.messages.show_message("error", "Something is wrong.")
    assert window.messages.isVisible()
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert not window.messages.text
    assert window.arrangement.enlarged
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert not window.arrangement.enlarged
    assert window.pages.isVisible()
    assert window.panel.isVisible()
    QApplication.processEvents()
    assert window.tabs.height() == height
    assert window.compare.viewport == seen


@pytest.mark.slow
def test_an_enlarged_tab_gives_way_to_what_hides_it(opened):
    window = opened.window
    enlarge = window.actions_by_name["enlarge-tab"]
    find(window, QToolButton, "Enlarge the tab").click()
    assert window.arrangement.enlarged
    opened.trigger("show-panel")
    assert window.panel.isVisible()
    opened.trigger("show-tabs")
    assert not enlarge.isChecked()
    assert window.pages.isVisible()
    assert not window.tabs.isVisible()
    opened.trigger("enlarge-tab")
    assert window.tabs.isVisible()
    opened.trigger("close")
    assert not enlarge.isChecked()
    assert window.empty.isVisible()


def shown_tabs(window):
    return [spec.name for number, spec in enumerate(TABS) if window.tabs.isTabVisible(number)]


def press(window, key):
    QTest.keyClick(window.focusWidget(), key, Qt.KeyboardModifier.ControlModifier)


def test_layouts_name_tabs_and_actions_that_exist(window):
    names = {spec.name for spec in TABS}
    for layout in LAYOUTS:
        assert {*layout.tabs, *layout.first} <= names
        assert set(layout.first) <= set(layout.tabs or names)
        assert f"layout-{layout.name}" in window.actions_by_name
    assert layout_called("learn").name == "learn"
    assert layout_called("nonsense") is LAYOUTS[0]
    corner = window.tabs.cornerWidget()
    for button in corner.findChildren(QToolButton):  # their labels would leave the tabs no room
        assert not button.icon().isNull()
    assert corner.sizeHint().width() < 90


def test_layouts_arrange_the_window(opened):
    window = opened.window
    opened.until(lambda: QApplication.activeWindow() is window)
    opened.trigger("show-panel")
    press(window, Qt.Key.Key_1)
    assert window.arrangement.layout.name == "photo"
    assert not window.panel.isVisible()
    assert not window.tabs.isVisible()
    assert window.panel.keep.slider.isVisible()
    assert window.panel.bar.qualities.isVisible()
    opened.until(lambda: window.compare.width() == window.panel.bar.width() == window.width())
    window.panel.bar.details.click()
    assert window.actions_by_name["show-panel"].isChecked()
    assert window.panel.keep.k.isVisible()
    assert window.panel.compress.isVisible()
    assert window.panel.account.isVisible()
    press(window, Qt.Key.Key_2)
    assert window.panel.isAncestorOf(window.panel.bar)
    assert window.panel.isAncestorOf(window.panel.notes)
    assert window.tabs.isVisible()
    assert window.tabs.current == "spectrum"
    assert shown_tabs(window) == ["spectrum", "curve", "components", "error", "block"]
    assert not window.panel.bar.details.isVisible()
    opened.trigger("tab-6")
    assert window.tabs.current == "table"
    assert "table" in shown_tabs(window)
    press(window, Qt.Key.Key_2)
    assert "table" not in shown_tabs(window)
    press(window, Qt.Key.Key_3)
    assert shown_tabs(window) == ["spectrum", "curve", "components", "error", "block", "table"]
    find(window.menuBar(), QToolButton, "Photo layout").click()
    assert window.arrangement.layout.name == "photo"
    opened.trigger("target-size")
    assert window.panel.keep.size_field.isVisible()
    assert window.panel.keep.size_field.hasFocus()


def test_images_of_many_bands_have_a_layout_of_their_own(user, tmp_path, draw, photo):
    layout = lambda: user.window.arrangement.layout.name  # noqa: E731
    user.window.preferences.keep("layout", "photo")
    user.open(draw(tmp_path / "cube.tif", 20, 30, 7))
    user.until(lambda: layout() == "science")
    assert user.window.tabs.current == "pixel"
    user.open(photo)
    user.until(lambda: layout() == "photo")
    user.trigger("layout-learn")
    user.open(draw(tmp_path / "other.tif", 20, 30, 7))
    user.until(lambda: layout() == "science")
    user.trigger("layout-photo")
    user.open(photo)
    user.until(lambda: layout() == "learn")
    user.open(draw(tmp_path / "cube.tif", 20, 30, 7))
    user.until(lambda: layout() == "photo")


@pytest.mark.slow
def test_the_layout_of_the_last_time_comes_back(on_screen, look, settings):
    settings.remove("kept/layout")

    def start():
        return on_screen(make_window(look, settings))

    first = start()
    assert first.arrangement.layout.name == "photo"
    assert not first.panel.isVisible()
    assert not first.tabs.isVisible()
    assert shown_tabs(first) == ["curve", "error"]
    first.actions_by_name["layout-learn"].trigger()
    first.views.slots["split"]()
    first.actions_by_name["show-panel"].trigger()
    first.close()
    second = start()
    assert second.arrangement.layout.name == "learn"
    assert second.actions_by_name["layout-learn"].isChecked()
    assert second.actions_by_name["split"].isChecked()
    assert second.tabs.isVisible()
    assert not second.panel.isVisible()
    assert not second.actions_by_name["show-panel"].isChecked()
    for window in (first, second):
        window.session.jobs.shutdown()

from __future__ import annotations

from threading import Event

import pytest
from PySide6.QtCore import QPoint, Qt

from pcaimage.errors import DataError
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.requests import Choose
from tests.gui.mouse import move

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*QDropEvent:DeprecationWarning")]


def test_dragging_the_line_moves_every_view_of_k_and_commits_the_last_component(opened, qtbot):
    window, plot = opened.window, opened.window.tabs.tab("spectrum").page
    moving = []
    window.session.stateChanged.connect(lambda state, _: moving.append(state.moving))
    left = Qt.MouseButton.LeftButton
    qtbot.mousePress(plot.surface, left, pos=plot.position_of(5))
    move(plot.surface, plot.position_of(20))
    move(plot.surface, plot.position_of(48) + QPoint(40, 0))
    assert opened.state.setting.k == 48
    qtbot.mouseRelease(plot.surface, left, pos=plot.position_of(48) + QPoint(40, 0))
    opened.rest()
    assert moving[0]
    assert not opened.state.moving
    keep = window.panel.keep
    assert (opened.state.setting.k, keep.k.text(), keep.slider.value()) == (48, "48", keep.slider.maximum())
    assert opened.caption.splitlines()[1].startswith("k = 48 of 48")


@pytest.mark.usefixtures("unabridged")
def test_every_k_is_estimated_before_it_is_asked_for(fitted):
    fitted.idle()
    fit = fitted.state.fit
    assert all(fit.rates.knows(float(fit.step(k, None))) for k in range(1, fit.n_components + 1))


def test_fit_and_zoom_keys_and_the_scheme_that_is_remembered(opened, settings, qtbot):
    window = opened.window
    fitted = window.compare.viewport.scale
    qtbot.keyClick(window, "z")
    assert window.compare.viewport.scale == 1.0
    assert window.zoom.text() == "100\u00a0%"
    window.zoom.scaleRequested.emit(2.0)
    assert window.compare.viewport.scale == 2.0
    qtbot.keyClick(window, "f")
    assert window.compare.viewport.scale == pytest.approx(fitted)
    opened.trigger("zoom-in")
    assert window.compare.viewport.scale == pytest.approx(1.25 * fitted)
    opened.trigger("theme-dark")
    assert (window.theme.scheme, settings.value("window/scheme")) == ("dark", "dark")
    opened.trigger("theme-light")
    assert window.actions_by_name["theme-light"].isChecked()


def test_a_typed_variance_keeps_the_fewest_components_that_reach_it_and_a_size_is_not_exceeded(opened):
    keep, ratios = opened.window.panel.keep, opened.state.fit.ratios
    opened.type_into(keep.variance, "90")
    assert ratios[opened.state.setting.k] >= 0.9 > ratios[opened.state.setting.k - 1]
    opened.type_into(keep.variance, "120")
    assert opened.state.setting.k == 48
    assert opened.state.hint == "120.00 % cannot be reached; 100.00 % is the most."
    opened.type_into(keep.k, "3")
    assert opened.state.hint == ""
    opened.type_into(keep.size_field, "1500 B")
    opened.rest()
    opened.until(lambda: opened.state.measured.setting == opened.state.setting)
    assert opened.state.measured.n_bytes <= 1500
    opened.type_into(keep.size_field, "5 B")
    opened.until(lambda: opened.state.hint.startswith("5\u00a0B cannot be reached"))
    assert opened.state.setting.k == 1
    assert opened.window.panel.error.text() == opened.state.hint


class Endless(Event):
    """Set when a fit began that only ends when it is stopped."""

    patch: pytest.MonkeyPatch


@pytest.fixture
def endless():
    begun = Endless()

    def fit(_image, _choice, progress):
        begun.set()
        while True:
            progress(1, 4)

    with pytest.MonkeyPatch.context() as begun.patch:
        begun.patch.setattr(Fit, "of_image", fit)
        yield begun


def test_stopping_another_method_goes_back_to_the_one_shown(opened, endless, qtbot):
    before = opened.state
    opened.window.panel.requested.emit(Choose(block=8))
    assert endless.wait(10)
    opened.until(opened.window.progress.isVisible)
    opened.until(lambda: opened.window.progress.text == "finding components 25\u00a0%")
    qtbot.keyClick(opened.window, Qt.Key.Key_Escape)
    assert opened.state.choice == before.choice
    assert opened.state.exact is before.exact
    opened.until(opened.window.progress.isHidden)
    assert opened.window.panel.compress.block.currentText() == "4 × 4"


def test_stopping_the_first_fit_leaves_the_original_and_the_choice(user, photo, endless):
    user.drop(photo)
    user.until(endless.is_set)
    user.until(lambda: user.window.compare.original.caption.lines)
    assert user.window.compare.reconstruction.caption.busy == "finding components"
    assert not user.window.actions_by_name["save"].isEnabled()
    user.window.progress.stop.click()
    assert user.state.document.name == "photo.png"
    assert user.window.compare.reconstruction.caption.busy == ""
    assert "stopped" in user.window.panel.hint.text()
    assert user.window.panel.compress.isEnabled()
    endless.patch.undo()
    user.window.panel.requested.emit(Choose(block=4))  # the same choice, once more
    user.rest()
    assert user.state.exact is not None


def test_a_fit_that_fails_says_so(user, photo, monkeypatch):
    def fails(*_):
        raise DataError("This cannot be fitted.")

    with monkeypatch.context() as patch:
        patch.setattr(Fit, "of_image", fails)
        user.open(photo)
        assert user.message == "This cannot be fitted."
        assert user.state.document is not None
        assert "Choose another" in user.window.panel.hint.text()
    user.window.panel.requested.emit(Choose(block=2))
    user.rest()
    shown = user.state.choice
    monkeypatch.setattr(Fit, "of_image", fails)
    user.window.panel.requested.emit(Choose(block=8))
    user.rest()
    assert user.state.choice == shown

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QToolButton

from pcaimage.gui.colours import DARK, LIGHT, mixed
from pcaimage.gui.session.requests import Keep
from pcaimage.gui.tabs.spectrum.figures import SpectrumData, Threshold
from pcaimage.gui.tabs.spectrum.page import SpectrumPage
from pcaimage.gui.theme import qt_palette
from tests.gui.finding import find
from tests.gui.mouse import move

LEFT = Qt.MouseButton.LeftButton
VARIANCES = 1000.0 * 0.9 ** np.arange(100)
GROUPS = np.arange(100) % 3
NAMES = ("1st colour axis", "2nd colour axis", "3rd colour axis")


@pytest.fixture
def plot(qtbot):
    plot = SpectrumPage()
    qtbot.addWidget(plot)
    plot.setPalette(qt_palette(LIGHT))
    plot.resize(900, 260)
    plot.show()
    plot.set_spectrum(SpectrumData.of(VARIANCES, 100))
    plot.set_k(24)
    plot.grab()
    return plot


def colour_of(plot, component, height=0.1):
    """The colour of a component's bar, some part of the plot's height above its foot."""
    plot.grab()
    foot = plot.surface.height() - 50
    x = plot.position_of(component).x() + 1  # beside lines that stand on the component
    return QColor(plot.surface.grab().toImage().pixel(x, round(foot * (1 - height)))).name()


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 1000])
def test_flags_stand_over_the_fewest_components_that_reach_a_share(qtbot, n):
    plot = SpectrumPage()
    qtbot.addWidget(plot)
    plot.resize(900, 260)
    plot.show()
    plot.set_spectrum(SpectrumData.of(1000.0 * 0.9 ** np.arange(n), n))
    plot.grab()
    assert [button.text() for button in plot.flags.buttons] == ["90\u00a0%", "95\u00a0%", "99\u00a0%"]
    for button, k in zip(plot.flags.buttons, (22, 29, 44), strict=True):
        centre = button.mapTo(plot, button.rect().center()).x()
        assert centre == pytest.approx(plot.surface.mapTo(plot, plot.position_of(k)).x(), abs=16)


def test_a_click_on_a_flag_chooses_its_k(plot, qtbot):
    requested = []
    plot.requested.connect(requested.append)
    qtbot.mouseClick(plot.flags.buttons[1], LEFT)
    assert requested == [Keep(29, final=False), Keep(29)]
    assert "29 components" in plot.flags.buttons[1].accessibleName()


@pytest.mark.slow
def test_flags_in_each_others_way_stand_side_by_side(plot):
    plot.set_spectrum(SpectrumData.of([89.0, 3.0, 4.0, 3.5, *[0.01] * 46], 50))
    plot.grab()
    rects = [button.geometry() for button in plot.flags.buttons]
    assert len(rects) == 3
    assert all(a.right() < b.left() for a, b in pairwise(rects))
    plot.set_spectrum(SpectrumData.of([1e-6] * 46 + [50.0, 41.0, 4.5, 4.5], 50))
    plot.grab()
    rects = [button.geometry() for button in plot.flags.buttons]
    assert all(a.right() < b.left() for a, b in pairwise(rects))
    assert rects[-1].right() < plot.flags.width()


def test_shares_reached_together_share_a_flag():
    data = SpectrumData.of([96.0, 4.0], 2)
    assert data.thresholds == (Threshold((90, 95), 1), Threshold((99,), 2))
    assert data.thresholds[0].name == "90, 95\u00a0%"
    assert data.describe(1).endswith("first to reach 90, 95\u00a0%")


def test_a_share_that_cannot_be_asked_for_has_no_flag(plot):
    plot.set_spectrum(SpectrumData.of(VARIANCES, 25))
    assert [button.text() for button in plot.flags.buttons] == ["90\u00a0%"]
    plot.set_spectrum(SpectrumData.of(np.zeros(5), 5))
    assert plot.flags.buttons == []


@pytest.mark.slow
def test_hovering_names_the_share_that_a_component_reaches(plot):
    move(plot.surface, plot.position_of(29))
    assert plot.text.endswith("first to reach 95\u00a0%")


def test_the_scale_changes_by_button_and_key_and_stays_for_the_next_image(plot, qtbot):
    assert plot.logarithmic
    # On a linear scale component 40, of 1.6 % of the first one's variance, is all but invisible.
    assert colour_of(plot, 40, 0.2) == LIGHT.bar
    qtbot.mouseClick(find(plot, QToolButton, "Linear scale of the variance"), LEFT)
    assert not plot.logarithmic
    assert colour_of(plot, 40, 0.2) == LIGHT.base
    plot.set_spectrum(SpectrumData.of(VARIANCES, 100))
    assert not plot.logarithmic
    qtbot.keyClick(plot, Qt.Key.Key_L)
    assert plot.logarithmic
    assert find(plot, QToolButton, "Log scale of the variance").isChecked()


def test_on_a_linear_scale_heights_are_variances():
    data = SpectrumData.of([4.0, 1.0, 0.0], 3, logarithmic=False)
    assert data.heights.tolist() == [4.0, 1.0, 0.0]
    assert data.floor == 0.0
    assert 4.0 < data.top < 5.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "variances", [[0.0, 0.0], [3.0], [1e9, 1e-12], [2.0, -1e-17], [np.nan, 0.0], [1e-300, 0.0]]
)
def test_zeros_and_extremes_can_be_drawn_on_a_linear_scale(plot, variances):
    plot.set_logarithmic(on=False)
    plot.set_spectrum(SpectrumData.of(variances, len(variances)))
    plot.set_k(1)
    assert not plot.grab().isNull()


def test_groups_have_colours_a_legend_and_a_name_in_words(plot):
    plot.set_spectrum(SpectrumData.of(VARIANCES, 100, GROUPS, NAMES))
    plot.set_k(24)
    for component in (5, 6, 7):
        assert colour_of(plot, component) == LIGHT.planes[(component - 1) % 3]
    assert colour_of(plot, 60) == mixed(LIGHT.planes[2], LIGHT.base, 90)
    assert plot.legend.startswith("1st colour axis 37\u00a0%, 2nd colour axis 33\u00a0%")
    move(plot.surface, plot.position_of(3))
    assert plot.text.startswith("component 3 · 3rd colour axis · λ")
    plot.set_spectrum(SpectrumData.of(VARIANCES, 100))
    assert plot.legend == ""
    assert colour_of(plot, 5) == LIGHT.accent


@pytest.mark.slow
def test_groups_follow_the_colour_scheme(plot):
    plot.set_spectrum(SpectrumData.of(VARIANCES, 100, GROUPS, NAMES))
    plot.set_k(24)
    plot.setPalette(qt_palette(DARK))
    assert colour_of(plot, 5) == DARK.planes[1]


@pytest.mark.slow
def test_components_that_are_left_out_are_hollow_and_said_to_be(plot):
    kept, behind = colour_of(plot, 10), colour_of(plot, 60)
    plot.set_left_out({10, 60})
    assert colour_of(plot, 10) != kept
    assert colour_of(plot, 60) == LIGHT.base != behind
    assert colour_of(plot, 11) == kept
    move(plot.surface, plot.position_of(10))
    assert plot.text.endswith("left out")
    plot.set_left_out(frozenset())
    assert colour_of(plot, 10) == kept
    move(plot.surface, plot.position_of(10) + QPoint(0, 5))
    assert "left out" not in plot.text


def test_the_component_under_the_mouse_is_marked_until_it_leaves(plot):
    plain = plot.surface.grab().toImage()
    move(plot.surface, plot.position_of(60))
    assert plot.surface.grab().toImage() != plain
    QApplication.sendEvent(plot.surface, QEvent(QEvent.Type.Leave))
    assert plot.surface.grab().toImage() == plain

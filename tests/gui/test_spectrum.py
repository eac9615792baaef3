import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QToolButton

from pcaimage.gui.colours import LIGHT, mixed
from pcaimage.gui.session.requests import Keep
from pcaimage.gui.tabs.error.page import ErrorPlot
from pcaimage.gui.tabs.scatter.plot import ScatterPlot
from pcaimage.gui.tabs.shared.ticks import decades
from pcaimage.gui.tabs.spectrum import SpectrumFeed
from pcaimage.gui.tabs.spectrum.figures import SpectrumData, Threshold
from pcaimage.gui.tabs.spectrum.page import SpectrumPage
from pcaimage.gui.tabs.spectrum.plot import SpectrumMarks
from tests.gui.finding import find
from tests.gui.mouse import move
from tests.gui.work import calls_of

VARIANCES = 1000.0 * 0.9 ** np.arange(100)


@pytest.fixture
def plot(on_screen):
    plot = on_screen(SpectrumPage(), 900, 260)
    plot.set_spectrum(SpectrumData.of(VARIANCES, 100))
    plot.set_k(24)
    plot.grab()
    return plot


def test_the_component_under_the_mouse_is_marked_and_told_until_it_leaves(plot):
    plain = plot.surface.grab().toImage()
    move(plot.surface, plot.position_of(2))
    assert plot.text == "component 2 · λ = 900 · 9.00\u00a0% · cumulative 19.00\u00a0%"
    move(plot.surface, plot.position_of(60))
    assert plot.surface.grab().toImage() != plain
    QApplication.sendEvent(plot.surface, QEvent(QEvent.Type.Leave))
    assert plot.surface.grab().toImage() == plain
    assert plot.text.startswith("component 24 ")
    assert "24 of 100 components are kept" in plot.accessibleDescription()


@pytest.mark.slow
def test_a_click_on_a_share_of_the_variance_keeps_the_components_that_reach_it(plot, qtbot):
    asked = list[object]()
    plot.requested.connect(asked.append)
    lines = (item for item in plot.findChild(pg.PlotWidget).items() if isinstance(item, pg.InfiniteLine))
    marks = {line.value(): line for line in lines if hasattr(line, "label")}
    for k in (22, 29, 44):  # the fewest that keep 90, 95 and 99 %
        name, view = (item.sceneBoundingRect() for item in (marks[k].label, marks[k].getViewBox()))
        assert name.top() > view.top() + 0.1 * view.height()  # below the curve
        spot = plot.surface.parent().mapFromScene(name.center())
        qtbot.mouseClick(plot.surface, Qt.MouseButton.LeftButton, pos=spot)
        assert asked[-1] == Keep(k, final=True)


@pytest.mark.parametrize(
    "variances",
    [[5.0, 1.0, 0.0, 0.0], [0.0, 0.0], [3.0], [1e9, 1e-12], [2.0, -1e-17], [np.nan, 0.0], [1e-300, 0.0]],
)
@pytest.mark.slow
def test_zeros_and_extremes_can_be_drawn(plot, variances):
    plot.set_spectrum(SpectrumData.of(variances, len(variances)))
    plot.set_k(1)
    assert not plot.grab().isNull()
    assert plot.text.startswith("component 1 ")


@pytest.mark.slow
def test_a_drag_is_no_more_work_among_thousands_of_components(plot):
    def drag():
        for k in range(100, 120):
            plot.set_k(k)
            plot.grab()

    def calls(n):
        plot.set_spectrum(SpectrumData.of(1e4 / np.arange(1, n + 1) ** 2, n))
        plot.grab()
        return calls_of(drag)

    assert calls(12288) < 2 * calls(600)


@pytest.mark.parametrize("n", [3, 192, 511, 512, 12288])
def test_components_and_places_are_inverse(n):
    data = SpectrumData.of(np.ones(n), n)
    for k in (1, 2, n // 2, n):
        assert data.component_at(float(data.place(k))) == max(1, k)
    assert data.component_at(-1e9) == 1
    assert data.component_at(1e9) == n


def test_figures_of_a_component_are_said_in_words():
    data = SpectrumData.of([99_999.0, 1.0], 2)
    assert "99.99" in data.describe(1)  # never rounded up to all
    assert "100.00" in data.describe(2)
    assert "< 0.01" in data.describe(2)
    nothing = SpectrumData.of([0.0, 0.0], 2)
    assert nothing.cumulative.tolist() == [100.0, 100.0]
    assert "λ = 0" in nothing.describe(1)
    assert "1.00\u00a0×\u00a010⁷" in SpectrumData.of([1e7], 1).describe(1)
    together = SpectrumData.of([96.0, 4.0], 2)
    assert together.thresholds == (Threshold((90, 95), 1), Threshold((99,), 2))
    assert together.thresholds[0].name == "90, 95\u00a0%"
    assert together.describe(1).endswith("first to reach 90, 95\u00a0%")


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (-2.2, 3.4, ["0.01", "0.1", "1", "10", "100", "1000"]),
        (2.1, 4.9, ["1000", "10⁴"]),
        (-9, 9, ["10⁻⁸", "10⁻⁴", "1", "10⁴", "10⁸"]),
    ],
)
def test_decades_are_labelled_where_there_is_room(low, high, labels):
    assert [text for _, text in decades(low, high)] == labels


LEFT = Qt.MouseButton.LeftButton


GROUPS = np.arange(100) % 3


NAMES = ("1st colour axis", "2nd colour axis", "3rd colour axis")


def colour_of(plot, component, height=0.1):
    """The colour of a component's bar, some part of the plot's height above its foot."""
    plot.grab()
    foot = plot.surface.height() - 50
    x = plot.position_of(component).x() + 1  # beside lines that stand on the component
    return QColor(plot.surface.grab().toImage().pixel(x, round(foot * (1 - height)))).name()


def test_the_fewest_components_that_reach_a_share_are_marked(qapp):
    assert qapp is not None
    marks = SpectrumMarks()
    for most, seen in (
        (100, [(22, "90\u00a0%"), (29, "95\u00a0%"), (44, "99\u00a0%")]),
        (25, [(22, "90\u00a0%")]),
    ):
        marks.show(SpectrumData.of(1000.0 * 0.9 ** np.arange(100), most))
        lines = [line for line in marks.lines if line.isVisible()]
        assert [(line.value(), line.label.format) for line in lines] == seen
    marks.show(SpectrumData.of(np.zeros(5), 5))
    assert not any(line.isVisible() for line in marks.lines)


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


def test_groups_have_colours_a_legend_and_a_name_in_words(plot):
    plot.set_spectrum(SpectrumData.of(VARIANCES, 100, GROUPS, NAMES))
    plot.set_k(24)
    for component in (5, 6, 7):
        assert colour_of(plot, component) == LIGHT.planes[(component - 1) % 3]
    assert colour_of(plot, 60) == mixed(LIGHT.planes[2], LIGHT.base, 90)
    assert plot.legend.startswith("1st axis 37\u00a0%, 2nd axis 33\u00a0%")
    move(plot.surface, plot.position_of(3))
    assert plot.text.startswith("component 3 · 3rd colour axis · λ")
    plot.set_spectrum(SpectrumData.of(VARIANCES, 100))
    assert plot.legend == ""
    assert colour_of(plot, 5) == LIGHT.accent


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


def test_a_spectrum_that_is_not_seen_follows_when_a_drag_ends(fitted, qtbot):
    page, k = SpectrumPage(), fitted.state.setting.k
    qtbot.addWidget(page)
    SpectrumFeed(fitted.session, page)
    fitted.session.request(Keep(k - 1, final=False))
    with qtbot.waitSignal(fitted.session.afterwards.stateChanged):
        fitted.session.request(Keep(k - 2, final=False))
    assert page.number == k
    fitted.session.request(Keep(k - 2))
    assert page.number == k - 2


@pytest.mark.parametrize("side", ["left", "bottom"])
def test_negative_numbers_have_a_minus_sign(qtbot, side):
    scatter, error = ScatterPlot(LIGHT), ErrorPlot()
    for widget in (scatter.widget, error):
        qtbot.addWidget(widget)
    for plot in (scatter.widget, error.plot_widget):
        axis = plot.getAxis(side)
        assert axis.tickStrings([-20.0, 0.0, 20.0], 1, 20) == ["−20", "0", "20"]

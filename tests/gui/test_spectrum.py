import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import QApplication

from pcaimage.gui.colours import DARK
from pcaimage.gui.session.requests import Keep
from pcaimage.gui.tabs.shared.ticks import decades
from pcaimage.gui.tabs.spectrum.figures import SpectrumData
from pcaimage.gui.tabs.spectrum.page import SpectrumPage
from pcaimage.gui.theme import qt_palette
from tests.gui.mouse import move
from tests.gui.work import calls_of

LEFT = Qt.MouseButton.LeftButton
VARIANCES = 1000.0 * 0.9 ** np.arange(100)


@pytest.fixture
def plot(qtbot):
    plot = SpectrumPage()
    qtbot.addWidget(plot)
    plot.resize(900, 260)
    plot.show()
    plot.set_spectrum(SpectrumData.of(VARIANCES, 100))
    plot.set_k(24)
    plot.grab()
    return plot


@pytest.fixture
def requests(plot):
    """The requests of the plot, which nobody answers."""
    requests = []
    plot.requested.connect(requests.append)
    return requests


@pytest.mark.slow
def test_only_as_many_components_as_there_are_can_be_asked_for(plot, requests, qtbot):
    plot.set_spectrum(SpectrumData.of(VARIANCES, 10))
    assert plot.text.startswith("component 10 ")
    qtbot.mouseClick(plot.surface, LEFT, pos=plot.position_of(70))
    qtbot.keyClick(plot, Qt.Key.Key_End)
    assert requests == []


@pytest.mark.slow
def test_hovering_tells_the_figures_and_leaving_those_of_k(plot):
    move(plot.surface, plot.position_of(2))
    assert plot.text == "component 2 · λ = 900 · 9.00\u00a0% · cumulative 19.00\u00a0%"
    QApplication.sendEvent(plot.surface, QEvent(QEvent.Type.Leave))
    assert plot.text.startswith("component 24 ")
    assert "24 of 100 components are kept" in plot.accessibleDescription()


def test_showing_another_spectrum_emits_nothing(plot, requests):
    plot.set_k(1000)
    plot.set_spectrum(SpectrumData.of(VARIANCES / 2, 100))
    plot.set_spectrum(SpectrumData.of(VARIANCES / 2, 10))
    assert requests == []


def test_without_a_spectrum_the_plot_says_so_and_does_nothing(qtbot):
    plot = SpectrumPage()
    qtbot.addWidget(plot)
    requests = []
    plot.requested.connect(requests.append)
    plot.show()
    assert "appears here" in plot.accessibleDescription()
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    move(plot.surface, QPoint(20, 20))
    qtbot.mouseClick(plot.surface, LEFT, pos=QPoint(20, 20))
    assert requests == []


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


def test_of_thousands_of_components_the_first_are_far_apart(plot, requests, qtbot):
    plot.set_spectrum(SpectrumData.of(1e4 / np.arange(1, 12289) ** 2, 12288))
    assert plot.position_of(10).x() - plot.position_of(1).x() > 100
    qtbot.mouseClick(plot.surface, LEFT, pos=plot.position_of(12))
    assert requests == [Keep(12, final=False), Keep(12)]


@pytest.mark.slow
def test_the_plot_follows_the_colour_scheme(plot):
    plot.setPalette(qt_palette(DARK))
    assert plot.grab().toImage().pixelColor(plot.width() - 10, plot.height() - 5).name() == DARK.base


@pytest.mark.parametrize("n", [3, 192, 511, 512, 12288])
def test_components_and_places_are_inverse(n):
    data = SpectrumData.of(np.ones(n), n)
    for k in (1, 2, n // 2, n):
        assert data.component_at(float(data.place(k))) == max(1, k)
    assert data.component_at(-1e9) == 1
    assert data.component_at(1e9) == n


def test_the_share_is_never_rounded_up_to_all():
    data = SpectrumData.of([99_999.0, 1.0], 2)
    assert "99.99" in data.describe(1)
    assert "100.00" in data.describe(2)
    assert "< 0.01" in data.describe(2)


def test_of_no_variance_everything_is_kept():
    data = SpectrumData.of([0.0, 0.0], 2)
    assert data.cumulative.tolist() == [100.0, 100.0]
    assert "λ = 0" in data.describe(1)
    assert "1.00\u00a0×\u00a010⁷" in SpectrumData.of([1e7], 1).describe(1)


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

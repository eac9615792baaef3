import pytest

from pcaimage.gui.colours import LIGHT
from pcaimage.gui.tabs.error.page import ErrorPlot
from pcaimage.gui.tabs.scatter.plot import ScatterPlot


@pytest.mark.parametrize("side", ["left", "bottom"])
def test_negative_numbers_have_a_minus_sign(qtbot, side):
    scatter, error = ScatterPlot(LIGHT), ErrorPlot()
    for widget in (scatter.widget, error):
        qtbot.addWidget(widget)
    for plot in (scatter.widget, error.plot_widget):
        axis = plot.getAxis(side)
        assert axis.tickStrings([-20.0, 0.0, 20.0], 1, 20) == ["−20", "0", "20"]

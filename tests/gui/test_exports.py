"""The files that are written beside images: plots, tables, models."""

import csv
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication, QImage

from pcaimage.gui.session.requests import Toggle


def test_the_table_is_written_as_csv(opened, answers, tmp_path):
    answers.write = tmp_path / "table.csv"
    opened.trigger("export-table")
    opened.rest()
    rows = list(csv.DictReader(answers.write.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == opened.state.fit.n_components
    variances = [float(row["variance"]) for row in rows]
    np.testing.assert_allclose(variances, opened.state.fit.variances)
    assert "Exported table.csv" in opened.message


def test_the_model_is_written_for_numpy(opened, answers, tmp_path):
    answers.write = tmp_path / "model.npz"
    opened.trigger("export-model")
    opened.rest()
    with np.load(answers.write) as model:
        k = opened.state.setting.k
        assert int(model["k"]) == k
        components = model["components"]
        np.testing.assert_allclose(components @ components.T, np.eye(k), atol=1e-6)


@pytest.mark.usefixtures("unabridged")
@pytest.mark.slow
def test_the_plot_that_is_seen_is_written(opened, answers, tmp_path):
    for tab in ("tab-1", "tab-4", "tab-5"):
        opened.trigger(tab)
        opened.until(lambda: not opened.session.jobs.busy())
        paths = [tmp_path / f"{tab}.svg", tmp_path / f"{tab}.png"]
        for path in paths:
            answers.write = path
            opened.trigger("export-plot")
            opened.rest()
        assert ET.parse(paths[0]).getroot().tag.endswith("svg")  # noqa: S314 - just written
        assert paths[0].stat().st_size > 4000
        picture = QImage(str(paths[1]))
        assert picture.width() >= 1400
        small = picture.scaled(64, 64)
        colours = {small.pixel(x, y) for x in range(64) for y in range(64)}
        assert len(colours) > 20, tab  # something is drawn


def test_a_report_is_written(opened, answers, tmp_path):
    answers.write = tmp_path / "report.html"
    opened.session.request(Toggle(2, out=True))  # so that nothing is known of this setting yet
    opened.trigger("report")
    opened.rest()
    text = answers.write.read_text(encoding="utf-8")
    assert "photo.png" in text
    assert "pcaimage encode" in text
    assert "--leave-out 2" in text


@pytest.mark.usefixtures("unabridged")
@pytest.mark.slow
def test_a_plot_needs_a_tab_that_has_one(opened):
    opened.window.tabs.setCurrentWidget(opened.window.tabs.page("table"))
    assert not opened.window.actions_by_name["export-plot"].isEnabled()
    opened.trigger("tab-1")
    assert opened.window.actions_by_name["export-plot"].isEnabled()


@pytest.mark.slow
def test_a_plot_can_be_exported_as_soon_as_its_tab_is_made(opened):
    action, tabs = opened.window.actions_by_name["export-plot"], opened.window.tabs
    assert tabs.current == "spectrum"
    assert not action.isEnabled()  # the tabs are hidden, and none is made
    tabs.tab("spectrum")
    assert action.isEnabled()


@pytest.mark.slow
def test_what_is_open_is_never_written_over(opened, answers, photo):
    before = photo.read_bytes()
    answers.write = photo
    opened.trigger("export-table")
    opened.rest()
    assert photo.read_bytes() == before
    assert "it is not replaced" in opened.message


@pytest.mark.usefixtures("unabridged")
@pytest.mark.slow
def test_changing_one_s_mind_writes_nothing(opened, answers, tmp_path):
    files = set(tmp_path.iterdir())
    for action in ("export-table", "export-model", "export-plot"):
        opened.trigger(action)
    opened.rest()
    assert answers.asked.count("write") == 3
    assert set(tmp_path.iterdir()) == files


def test_the_command_is_copied(opened, photo):
    opened.trigger("copy-command")
    command = QGuiApplication.clipboard().text()
    assert command.startswith("pcaimage encode")
    assert str(photo) in command
    assert command in opened.message

"""The files that are written beside images: plots, tables, models."""

import csv
from xml.etree import ElementTree as ET

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication

from pcaimage.errors import ImageError
from pcaimage.gui.colours import DARK, LIGHT
from pcaimage.gui.session.requests import Choose, ExportScores, Keep, Toggle
from pcaimage.gui.tabs.shared.pens import Pens
from pcaimage.gui.tabs.shared.plot_export import LEAST, SCALE, export_plot, flattened, plot_writer
from pcaimage.gui.tabs.spectrum.figures import SpectrumData
from pcaimage.gui.tabs.spectrum.page import SpectrumPage
from pcaimage.gui.theme import qt_palette
from pcaimage.imaging import BandInfo, Image, read_image
from pcaimage.imaging.georeference.geo import Place, place_of
from pcaimage.insight.formatting import percent
from pcaimage.progress import no_progress


def test_the_table_is_written_as_csv_and_the_model_for_numpy(opened, answers, tmp_path):
    answers.write = tmp_path / "table.csv"
    opened.trigger("export-table")
    opened.rest()
    rows = list(csv.DictReader(answers.write.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == opened.state.fit.n_components
    np.testing.assert_allclose([float(row["variance"]) for row in rows], opened.state.fit.variances)
    assert "Exported table.csv" in opened.message
    answers.write = tmp_path / "model.npz"
    opened.trigger("export-model")
    opened.rest()
    with np.load(answers.write) as model:
        k, components = opened.state.setting.k, model["components"]
        assert int(model["k"]) == k
        np.testing.assert_allclose(components @ components.T, np.eye(k), atol=1e-6)


def test_scores_are_written_as_bands_singly_and_as_a_stack(user, answers, tmp_path):
    rng = np.random.default_rng(3)
    pixels = (rng.normal(0, 1, (20, 30, 4)) @ rng.normal(0, 60, (4, 9)) + 900).astype(np.uint16)
    place = "{UTM, 1, 1, 500000, 4000000, 20, 20, 33, North, WGS-84}"
    user.session.open_image(Image(pixels, bands=BandInfo(fields=(("map info", place), ("bbl", "{1}")))))
    user.session.request(Choose(method="bands"))
    user.until(user.window.actions_by_name["export-scores"].isEnabled)
    user.session.request(Keep(3))
    user.rest()
    for path in (tmp_path / "scores.tif", tmp_path / "scores.hdr", tmp_path / "scores.npy"):
        answers.write = path
        user.trigger("export-scores")
        user.until(lambda path=path: user.message == f"Exported {path.name}.")
    answers.write = tmp_path / "one.tif"
    user.window.request(ExportScores(2))
    user.until(lambda: user.message == "Exported one.tif.")
    values = pixels.reshape(-1, 9) - pixels.reshape(-1, 9).mean(axis=0)
    variances, axes = np.linalg.eigh(values.T @ values)
    expected = values @ axes[:, :-4:-1]
    written = read_image(tmp_path / "scores.tif")
    assert written.dtype == np.float32
    np.testing.assert_allclose(np.abs(written.pixels.reshape(-1, 3)), np.abs(expected), rtol=1e-3, atol=0.02)
    share = 100 * variances[-1] / variances.sum()
    assert written.bands.names[0] == f"PC 1, {percent(share)}".replace("\u00a0", " ")
    assert place_of(written.bands) == Place((500000.0, 20.0, 0.0, 4000000.0, 0.0, -20.0), "EPSG:32633")
    np.testing.assert_array_equal(read_image(tmp_path / "scores.hdr").pixels, written.pixels)
    np.testing.assert_array_equal(np.load(tmp_path / "scores.npy"), written.pixels)
    np.testing.assert_array_equal(read_image(tmp_path / "one.tif").pixels[..., 0], written.pixels[..., 1])


@pytest.mark.usefixtures("unabridged")
@pytest.mark.slow
def test_the_plot_that_is_seen_is_written(opened, answers, tmp_path):
    for tab in ("tab-1", "tab-4", "tab-5"):
        opened.trigger(tab)
        opened.idle()
        paths = [tmp_path / f"{tab}.svg", tmp_path / f"{tab}.png"]
        for path in paths:
            answers.write = path
            opened.trigger("export-plot")
            opened.rest()
        assert ET.parse(paths[0]).getroot().tag.endswith("svg")  # noqa: S314 - just written
        assert paths[0].stat().st_size > 4000
        picture = QImage(str(paths[1]))
        assert picture.width() >= 1400
        small = picture.scaled(128, 128)
        colours = {small.pixel(x, y) for x in range(128) for y in range(128)}
        assert len(colours) > 20, tab  # something is drawn


def test_a_report_is_written_and_the_command_copied(opened, answers, photo, tmp_path):
    answers.write = tmp_path / "report.html"
    opened.session.request(Toggle(2, out=True))  # so that nothing is known of this setting yet
    opened.trigger("report")
    opened.rest()
    text = answers.write.read_text(encoding="utf-8")
    for part in ("photo.png", "pcaimage encode", "--leave-out 2"):
        assert part in text
    opened.trigger("copy-command")
    command = QGuiApplication.clipboard().text()
    assert command.startswith("pcaimage encode")
    assert str(photo) in command
    assert command in opened.message


@pytest.mark.usefixtures("unabridged")
@pytest.mark.slow
def test_what_is_open_is_never_written_over_and_changing_one_s_mind_writes_nothing(
    opened, answers, photo, tmp_path
):
    files, before = set(tmp_path.iterdir()), photo.read_bytes()
    for action in ("export-table", "export-model", "export-plot"):
        opened.trigger(action)
    opened.rest()
    assert answers.asked.count("write") == 3
    assert set(tmp_path.iterdir()) == files
    answers.write = photo
    opened.trigger("export-table")
    opened.rest()
    assert photo.read_bytes() == before
    assert "it is not replaced" in opened.message


SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def tab(qtbot):
    tab = SpectrumPage()
    qtbot.addWidget(tab)
    tab.resize(500, 150)
    tab.setPalette(qt_palette(DARK))
    tab.show()
    tab.set_spectrum(SpectrumData.of(1000.0 * 0.9 ** np.arange(50), 50))
    tab.set_k(20)
    tab.grab()
    return tab


@pytest.mark.slow
def test_a_png_is_large_and_on_white_whatever_the_scheme(tab, tmp_path):
    export_plot(tab, tmp_path / "plot.png")
    image = QImage(str(tmp_path / "plot.png"))
    assert (image.width(), image.height()) == (SCALE * LEAST.width(), SCALE * LEAST.height())
    assert image.pixelColor(image.width() - 1, image.height() - 1).name() == LIGHT.base
    colours = {image.pixelColor(x, y).name() for x in range(0, image.width(), 8) for y in range(0, 700, 8)}
    assert LIGHT.accent in colours
    assert DARK.accent not in colours


def test_lines_of_a_plot_are_as_wide_as_drawn_for_on_dense_screens_but_not_in_files(qtbot, monkeypatch):
    plot = pg.PlotWidget()
    qtbot.addWidget(plot)
    widths = []
    pens = Pens(plot, lambda: widths.append(pens(LIGHT.accent, 1.5).widthF()))
    monkeypatch.setattr(plot, "devicePixelRatioF", lambda: 2.0)
    QApplication.sendEvent(plot, QEvent(QEvent.Type.DevicePixelRatioChange))
    pens.hold(1.0)
    pens.hold(None)
    assert widths == [3.0, 1.5, 3.0]


@pytest.mark.slow
def test_an_svg_has_words_as_words_and_no_stretched_strokes(tab, tmp_path):
    export_plot(tab, tmp_path / "plot.svg")
    root = ET.fromstring((tmp_path / "plot.svg").read_bytes())  # noqa: S314
    assert root.get("viewBox") == f"0 0 {LEAST.width()} {LEAST.height()}"
    assert root.findtext(f"{SVG}title") == "plot"
    words = {"".join(text.itertext()).strip() for text in root.iter(f"{SVG}text")}
    assert {"component", "λ"} <= words
    assert not [element for element in root.iter() if "vector-effect" in element.attrib]
    assert not list(root.iter(f"{SVG}image"))
    fills = {group.get("fill") for group in root.iter(f"{SVG}g")}
    assert LIGHT.accent in fills


@pytest.mark.slow
def test_what_reaches_out_of_the_plot_is_clipped(qtbot, tmp_path):
    plot = pg.PlotWidget(background=LIGHT.base)
    qtbot.addWidget(plot)
    plot.plot([0, 10], [0, 10], pen=pg.mkPen("#ff0000", width=3))
    plot.setTitle("above")  # there is room that the line must not enter
    plot.setXRange(0, 2, padding=0)
    plot.setYRange(0, 1, padding=0)
    plot.resize(800, 400)
    plot.show()
    plot.grab()
    export_plot(plot, tmp_path / "plot.svg")
    root = ET.fromstring((tmp_path / "plot.svg").read_bytes())  # noqa: S314
    assert [element for element in root.iter() if element.get("clip-path") == "url(#frame)"]
    assert root.find(f".//{SVG}clipPath[@id='frame']/{SVG}rect") is not None
    export_plot(plot, tmp_path / "plot.png")
    image = QImage(str(tmp_path / "plot.png"))
    row = [image.pixelColor(x, 2).name() for x in range(image.width())]
    assert "#ff0000" not in row


def test_other_endings_and_missing_folders_are_refused_in_a_sentence(tab, tmp_path):
    with pytest.raises(ImageError, match=r"plots are saved as \.png or \.svg"):
        export_plot(tab, tmp_path / "plot.pdf")
    with pytest.raises(ImageError, match="does not exist"):
        export_plot(tab, tmp_path / "nowhere" / "plot.png")


def test_what_was_drawn_is_written_later_and_as_it_was(tab, tmp_path):
    write = plot_writer(tab, tmp_path / "plot.svg")
    assert not (tmp_path / "plot.svg").exists()
    tab.set_k(3)
    assert write(no_progress) == tmp_path / "plot.svg"
    first = (tmp_path / "plot.svg").read_bytes()
    export_plot(tab, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_bytes() != first


def test_coordinates_become_those_of_the_picture():
    svg = (
        b'<svg xmlns="http://www.w3.org/2000/svg"><defs/><g><g transform="matrix(10,0,0,-2,5,100)">'
        b'<path vector-effect="non-scaling-stroke" d="M0,0 L1.5,-2e1 "/>'
        b'<rect vector-effect="non-scaling-stroke" x="1" y="2" width="3" height="4"/></g>'
        b'<g transform="matrix(2,0,0,2,0,0)"><path d="M1,1 L2,2"/></g><g transform="matrix(1,0,0,1,0,0)"/>'
        b"</g></svg>"
    )
    root = ET.fromstring(flattened(svg, (0.0, 0.0, 50.0, 50.0)))  # noqa: S314
    paths = [path.get("d") for path in root.iter(f"{SVG}path")]
    assert paths == ["M5,100 L20,140 ", "M1,1 L2,2"]
    polygon = next(root.iter(f"{SVG}polygon"))
    assert polygon.get("points") == "15,96 45,96 45,88 15,88"
    assert polygon.get("clip-path") is None  # it lies outside
    groups = list(root.iter(f"{SVG}g"))
    assert [group.get("transform") for group in groups] == [None, None, "matrix(2,0,0,2,0,0)"]

"""The window with many bands: their choice, the spectrum of a pixel, the quality of each."""

from fnmatch import fnmatch

import numpy as np
import pyqtgraph as pg
import pytest
import tifffile
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QComboBox, QGraphicsView

import pcaimage
from pcaimage import api
from pcaimage.api import CompressedImage
from pcaimage.gui.compare.toolbar import BandsForm
from pcaimage.gui.dialogs import open_filters
from pcaimage.gui.session.display import Look
from pcaimage.gui.session.document import known_of
from pcaimage.gui.session.requests import Choose, Keep, ShowBand, ShowBands
from pcaimage.gui.tabs.bands.figures import BandFigures
from pcaimage.gui.tabs.bands.page import EXACT, BandQualityPlot, BandsPage
from pcaimage.gui.tabs.pixel import ClassesFeed, PixelFeed, PixelFigures, RegionsFeed, ScatterFeed
from pcaimage.gui.tabs.pixel.page import PixelPage, PixelPlot
from pcaimage.gui.tabs.shared.plot_export import export_plot
from pcaimage.imaging import BandInfo, Image
from pcaimage.insight.bands import BandNames, BandQuality, PixelSpectrum, UsualSpectrum
from pcaimage.insight.classes import Classification
from tests.gui.finding import find
from tests.gui.mouse import move
from tests.smooth import spectra

NAMES = BandNames(61, tuple(400.0 + 10 * n for n in range(61)))


def figures(channels=7):
    rng = np.random.default_rng(0)
    before = rng.integers(0, 4000, (20, 30, channels)).astype(np.uint16)
    errors = np.rint(rng.normal(0, 1 + np.arange(channels), before.shape)).astype(int)
    after = np.clip(before + errors, 0, 65535).astype(np.uint16)
    return BandFigures(BandNames(channels), BandQuality.of(before, after, 65535))


@pytest.fixture
def cube(draw, tmp_path):
    return draw(tmp_path / "cube.tif", 40, 30, 9)


@pytest.fixture
def form(qtbot):
    form = BandsForm()
    qtbot.addWidget(form)
    form.set_look(Look("true-colour"), NAMES)
    return form


# Choosing bands


def test_the_form_shows_what_the_colours_are_and_asks_for_others(form, qtbot):
    assert form.preset.currentText() == "True colour"
    assert [combo.currentIndex() for combo in form.colours] == [24, 15, 6]
    assert form.colours[0].currentText() == "25 · 640\u00a0nm"
    assert form.stretch.currentText() == "1–99\u00a0%"
    with qtbot.waitSignal(form.requested) as asked:
        form.colours[1].setCurrentIndex(40)
    assert asked.args == [ShowBands(Look("own", (24, 40, 6)))]
    form.set_look(Look("true-colour"), NAMES)
    with qtbot.waitSignal(form.requested) as asked:
        form.preset.activated.emit(form.preset.findData("components"))
    assert asked.args[0].look.preset == "components"
    with qtbot.waitSignal(form.requested) as asked:
        form.stretch.activated.emit(0)
    assert asked.args == [ShowBands(Look("true-colour", percentiles=(0.0, 100.0)))]


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # offscreen nothing pops up
@pytest.mark.slow
def test_bands_are_chosen_only_where_there_are_many(user, cube, photo):
    window = user.window
    user.open(photo)
    assert not window.bands.isVisible()
    assert not window.actions_by_name["bands"].isEnabled()
    assert not window.tabs.isTabVisible(window.tabs.indexOf(window.tabs.tab("pixel").page))
    user.open(cube)
    assert window.bands.isVisible()
    assert window.tabs.isTabVisible(window.tabs.indexOf(window.tabs.tab("bands").page))
    assert window.bands.text() == "Bands 9 · 6 · 3 ▾"
    user.trigger("bands")
    assert window.bands.popup.isVisible()
    window.bands.form.colours[0].setCurrentIndex(6)
    user.until(lambda: user.state.display is not None and user.state.display.bands == (6, 5, 2))
    assert window.bands.text() == "Bands 7 · 6 · 3 ▾"
    window.bands.popup.close()


# A pixel


@pytest.fixture
def view(on_screen):
    view = on_screen(PixelPage(), 900, 200)
    usual = UsualSpectrum(np.full(61, 50.0), np.full(61, 4.0))
    values = 40.0 + np.arange(61)
    pixel = PixelSpectrum(3, 4, values, values + (np.arange(61) == 10) * 5)
    view.set_figures(PixelFigures(NAMES, usual, pixel))
    return view


def test_hovering_and_arrows_tell_the_band_by_its_wavelength_and_with_shift_go_to_other_pixels(view, qtbot):
    plot, drawing = find(view, PixelPlot), find(find(view, PixelPlot), QGraphicsView)
    box = next(item for item in drawing.scene().items() if isinstance(item, pg.ViewBox))
    move(drawing.viewport(), drawing.mapFromScene(box.mapViewToScene(QPointF(500, 50))))
    assert view.text == "(3, 4) · band 11 · 500\u00a0nm: 50 → 55, error +5"
    QGuiApplication.sendEvent(drawing.viewport(), QEvent(QEvent.Type.Leave))
    assert "RMS error" in view.text
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert "band 2 ·" in view.text
    with qtbot.waitSignal(view.targetChanged) as asked:
        qtbot.keyClick(plot, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyRelease(plot, Qt.Key.Key_Shift)  # Qt goes on to believe that it is held
    assert asked.args == [3, 5]
    assert view.pinned


def test_no_error_is_shown_that_is_larger_than_those_of_the_file(session_user, view, monkeypatch):
    session_user.session.open_image(Image(spectra(26, 30, 6, least=0)))
    session_user.until(lambda: session_user.state.exact is not None)
    session_user.session.request(Choose(max_error=3.0))
    session_user.until(lambda: session_user.state.exact is not None and session_user.state.bounded)
    shown = []
    monkeypatch.setattr(view, "set_figures", shown.append)
    PixelFeed(session_user.session, view).set_active(True)
    session_user.until(lambda: shown)
    another = session_user.state.setting.k % 6 + 1
    session_user.session.request(Keep(another, final=False))
    session_user.until(lambda: not session_user.session.jobs.busy("pixel"))
    session_user.session.request(Keep(another))
    session_user.until(lambda: len(shown) > 1)
    for figures in shown:
        assert figures.pixel.difference is not None
        assert np.abs(figures.pixel.difference).max() <= 3


@pytest.mark.slow
def test_the_pixel_under_the_cursor_is_original_and_reconstruction(user, cube):
    user.open(cube)
    window, pixel = user.window, user.window.tabs.tab("pixel").page
    user.trigger("tab-9")
    user.until(lambda: user.state.settled is not None)
    window.compare.cursorMoved.emit(7, 21)
    user.until(
        lambda: pixel.pixel is not None and (pixel.pixel.x, pixel.pixel.y) == (7, 21) and pixel.pixel.exact
    )
    assert pixel.pixel.original.tolist() == user.state.document.image.pixels[21, 7].tolist()
    assert pixel.pixel.reconstruction.tolist() == user.state.settled.pixels[21, 7].tolist()
    window.compare.clicked.emit(3, 2)
    assert pixel.pinned
    window.compare.cursorMoved.emit(20, 20)
    user.until(lambda: pixel.pixel is not None and (pixel.pixel.x, pixel.pixel.y) == (3, 2))


@pytest.mark.slow
def test_the_spectrum_follows_k_while_it_moves(user, cube):
    user.open(cube)
    user.session.request(Choose(method="channels"))
    user.rest()
    pixel = user.window.tabs.tab("pixel").page
    user.trigger("tab-9")
    user.until(lambda: pixel.pixel is not None and pixel.pixel.exact)
    user.session.request(Keep(1 if user.state.setting.k > 1 else 2, final=False))
    user.until(lambda: pixel.pixel is not None and not pixel.pixel.exact)
    assert pixel.pixel.reconstruction is not None
    rough = pixel.pixel.reconstruction
    user.session.request(Keep(user.state.setting.k))
    user.until(lambda: pixel.pixel is not None and pixel.pixel.exact)
    assert pixel.pixel.reconstruction == pytest.approx(rough, abs=4)


@pytest.mark.slow
def test_a_compressed_file_shows_its_reconstruction_alone(user, cube, tmp_path):
    user.open(cube)
    user.session.save(tmp_path / "cube.pcai")
    user.rest()
    user.open(tmp_path / "cube.pcai")
    pixel, bands = user.window.tabs.tab("pixel").page, user.window.tabs.tab("bands").page
    user.trigger("tab-9")
    user.until(lambda: pixel.pixel is not None)
    assert pixel.pixel.original is None
    user.trigger("tab-10")
    user.until(lambda: "without its original" in bands.text)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_plots_are_exported_with_what_they_show(view, quality, tmp_path, suffix):
    for widget in (view, quality):
        path = tmp_path / f"plot{suffix}"
        export_plot(widget, path)
        if suffix == ".png":
            picture = QImage(str(path))
            row = {picture.pixel(x, picture.height() // 3) for x in range(picture.width())}
            assert len(row) > 3  # lines on white
        else:
            assert b"<path" in path.read_bytes() or b"<poly" in path.read_bytes()


# Regions


@pytest.fixture
def brushed(session_user, view, supply):
    """A page that is supplied with an image of three kinds: upper rows, lower rows, and a square."""
    pixels = np.random.default_rng(5).normal(500, 2, (20, 30, 6))
    pixels[10:] += [0, 200, 200, 0, 0, 0]
    pixels[2:6, 3:9] += [0, 0, 0, 90, 90, 90]
    session_user.session.open_image(Image(pixels.astype(np.uint16)))
    session_user.session.request(Choose(method="channels"))
    supply(view, PixelFeed, ScatterFeed, RegionsFeed)
    session_user.until(lambda: view.scatter.isVisible() and session_user.state.settled is not None)
    return view


def test_a_lasso_among_scores_marks_pixels_and_shows_their_spectra(brushed, session_user):
    pixels, laid = session_user.state.document.image.pixels, []
    brushed.overlayReady.connect(lambda _, text: laid.append(text))
    kinds = np.zeros((20, 30), int)
    kinds[10:], kinds[2:6, 3:9] = 1, 2
    scores = np.stack([session_user.state.fit.preview.score_plane(n) for n in (1, 2)], axis=-1)
    x, y = scores[kinds == 2].mean(axis=0).tolist()
    brushed.scatter.lassoed.emit(
        np.array([(x - 60, y - 60), (x + 60, y - 60), (x + 60, y + 60), (x - 60, y + 60)])
    )
    assert laid == ["24 pixels in the region"]
    session_user.until(lambda: brushed.text.startswith("24 pixels · "))
    assert np.array_equal(brushed.masks[-1], kinds == 2)
    brushed.keep()
    brushed.outline([(0, 10), (30, 10), (30, 20), (0, 20)])
    session_user.until(lambda: brushed.text.startswith("300 pixels · "))
    expected = pixels[10:].reshape(-1, 6).mean(axis=0)
    assert brushed.spectra[1].mean == pytest.approx(expected)
    assert brushed.spectra[1].after == pytest.approx(
        session_user.state.settled.pixels[10:].reshape(-1, 6).mean(axis=0)
    )
    brushed.clear_regions()
    assert brushed.masks == ()
    assert laid[-1] == ""


def test_keys_choose_pixels_and_keep_the_one_that_is_shown(brushed, qtbot):
    qtbot.keyClick(brushed.scatter, Qt.Key.Key_Right)
    for _ in range(12):
        qtbot.keyClick(brushed.scatter, Qt.Key.Key_Plus)
    assert brushed.masks[-1].sum() == 600
    brushed.clear_regions()
    brushed.pin_at(4, 3)
    qtbot.waitUntil(lambda: brushed.pixel is not None and (brushed.pixel.x, brushed.pixel.y) == (4, 3))
    brushed.keep()
    assert np.argwhere(brushed.kept[0]).tolist() == [[3, 4]]


def test_classes_of_regions_and_by_k_means_are_laid_over_both_pictures(brushed, session_user, supply):
    laid = []
    brushed.overlayReady.connect(lambda overlay, text: laid.append((overlay, text)))
    supply(brushed, ClassesFeed)
    session_user.session.request(Keep(1))
    session_user.until(lambda: session_user.state.current(session_user.state.settled) is not None)
    state, choose = session_user.state, brushed.classes.setCurrentIndex
    choose(brushed.classes.findData(3))
    session_user.until(lambda: brushed.text.startswith("overall accuracy"))
    agreement = Classification(3).compare(state.document.image.pixels, state.settled.pixels, None)
    assert brushed.text == agreement.summary == laid[-1][1]
    overlay = laid[-1][0]
    colours = np.unique(overlay.before.reshape(-1, 4)[:, :3], axis=0)
    assert len(colours) == 3
    assert not np.array_equal(overlay.before, overlay.pixels)  # one component cannot tell three kinds apart
    choose(brushed.classes.count() - 1)
    assert brushed.classification is None  # there are no regions yet
    for top in (11, 2):
        brushed.outline([(3, top), (9, top), (9, top + 4), (3, top + 4)])
        brushed.keep()
    session_user.until(lambda: brushed.text.startswith("overall accuracy"))
    assert brushed.classification.regions == brushed.kept
    choose(0)
    session_user.until(lambda: laid[-1][1].endswith("in the region"))


@pytest.mark.slow
def test_regions_are_drawn_upon_the_picture_with_shift(user, cube, qtbot):
    user.open(cube)
    user.until(lambda: user.state.fit is not None)
    canvas, page = user.window.compare.original, user.window.tabs.tab("pixel").page
    user.trigger("tab-9")
    corners = [
        QPoint(canvas.width() // 2 + dx, canvas.height() // 2 + dy)
        for dx, dy in ((-40, -40), (40, -40), (0, 40))
    ]
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, shift, corners[0])
    for corner in corners[1:]:
        move(canvas, corner)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, shift, corners[-1])
    assert page.masks[-1].any()


# The quality of each band


@pytest.fixture
def quality(on_screen):
    view = on_screen(BandsPage(), 900, 200)
    view.set_figures(figures())
    QGuiApplication.processEvents()  # the table lays its columns out before rows can be selected
    return view


def column(view, place):
    model = view.table.model()
    return [model.index(row, place).data().strip() for row in range(model.rowCount())]


@pytest.mark.slow
def test_the_table_sorts_by_numbers_and_another_figure_is_plotted(quality):
    assert column(quality, 0) == [str(n) for n in range(1, 8)]
    quality.table.sortByColumn(3, Qt.SortOrder.DescendingOrder)
    assert column(quality, 0) == [str(n) for n in range(7, 0, -1)]
    assert float(column(quality, 3)[0]) > float(column(quality, 3)[-1])
    find(quality, QComboBox, "Figure that is plotted").setCurrentIndex(3)
    items = find(quality, QGraphicsView).scene().items()
    _, heights = next(item for item in items if isinstance(item, pg.PlotCurveItem)).getData()
    assert heights.tolist() == figures().quality.largest.tolist()


def test_clicking_the_plot_selects_the_row_which_can_be_copied(quality):
    assert "spectral angle" in quality.text
    assert "worst band 7: SNR" in quality.text
    plot = find(quality, BandQualityPlot)
    quality.table.sortByColumn(3, Qt.SortOrder.DescendingOrder)
    plot.chosen.emit(1)
    assert [index.data() for index in quality.table.selectionModel().selectedRows()] == ["2"]
    plot.hovered.emit(1)
    assert quality.text.startswith("band 2 · SNR")
    plot.chosen.emit(2)
    quality.copy()
    titles, row = QGuiApplication.clipboard().text().splitlines()
    assert titles.split("\t") == ["Band", "SNR", "PSNR", "RMS error", "Largest"]
    assert row.split("\t")[0] == "3"
    assert float(row.split("\t")[3]) == pytest.approx(figures().quality.rms[2])
    same = np.ones((4, 4, 7), np.uint16)
    quality.set_figures(BandFigures(BandNames(7), BandQuality.of(same, same, 65535)))
    assert quality.text == EXACT


def test_bands_are_compared_when_the_tab_is_seen_and_one_is_shown_alone(user, cube):
    user.open(cube)
    bands = user.window.tabs.tab("bands").page
    user.trigger("tab-10")
    user.until(lambda: "spectral angle" in bands.text and "updating" not in bands.text)
    before, after = user.state.document.image.pixels, user.state.settled.pixels
    rms = np.sqrt(np.square(before.astype(float) - after).mean(axis=(0, 1)))
    assert bands.figures.quality.rms == pytest.approx(rms)
    bands.requested.emit(ShowBand(5))
    user.until(lambda: user.state.display is not None)
    assert user.state.look == Look("own", (5, 5, 5))


# Bands or images


def test_planes_that_may_be_both_open_as_bands_and_as_images_at_a_click(user, tmp_path):
    np.save(tmp_path / "planes.npy", np.random.default_rng(0).integers(0, 200, (7, 20, 24), np.uint8))
    user.open(tmp_path / "planes.npy")
    user.until(lambda: user.state.document is not None)
    assert user.state.document.shape == (20, 24, 7)
    assert user.message == "The 7 planes of planes.npy are open as the bands of one image."
    assert user.window.messages.action.text() == "Open as &Images"
    user.window.messages.action.click()
    user.until(lambda: user.state.document.is_stack)
    assert user.message == "The 7 planes of planes.npy are open as images."
    user.trigger("close")
    user.open(tmp_path / "planes.npy")  # as the last time
    user.until(lambda: user.state.document is not None)
    assert user.state.document.is_stack


def test_a_few_pages_open_alone_and_as_bands_or_images_at_a_click(user, tmp_path):
    pages = np.random.default_rng(0).integers(0, 900, (3, 20, 24)).astype(np.uint16)
    tifffile.imwrite(tmp_path / "pages.tif", pages, photometric="minisblack", metadata=None)
    user.open(tmp_path / "pages.tif")
    user.until(lambda: user.state.document is not None)
    assert user.message == "Only the first plane of pages.tif is open."
    assert user.window.messages.other.text() == "Open as &Images"
    user.window.messages.action.click()
    user.until(lambda: user.state.document.shape == (20, 24, 3))


# Values with a sign, and real numbers


def test_the_dialog_offers_every_file_that_can_be_read():
    offered = open_filters().partition("(")[2].partition(")")[0].split()
    cubes = ("cube.hdr", "cube.img", "a.npy", "a.npz", "digits.gz", "train-images-idx3-ubyte")
    for name in (*cubes, "a.tif", "a.pcai"):
        assert any(fnmatch(name, pattern) for pattern in offered)


def test_a_compressed_file_says_what_its_bands_are():
    info = BandInfo(names=tuple("abcdef"), wavelengths=tuple(map(float, range(6))), unit="nm", nodata=3.0)
    encoding = api.compress_image(Image(spectra(26, 30, 6, least=0), bands=info), pcaimage.Settings(k=2))
    file = CompressedImage(encoding.compressed, 0)
    known = known_of(None, 6, file)
    assert (known.names.nanometres, known.names.names, known.nodata) == (info.wavelengths, info.names, 3.0)
    assert known_of(None, 6).nodata is None

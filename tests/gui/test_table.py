import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from pcaimage.codec import Header, Step
from pcaimage.gui.session.requests import ExportTable, Keep
from pcaimage.gui.tabs.table import TableFeed
from pcaimage.gui.tabs.table.page import TablePage
from pcaimage.insight.component_table import component_rows
from pcaimage.sampling import Blocks

HEADER = Header((480, 640, 3), "uint8", Blocks(8), Step.nearest(1.0))
UP, DOWN = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
VARIANCES = np.array([100.0, 9.0, 20.0, 3.0, 1.0, 0.5])
BITS, PSNR, STATE = 4, 5, 6


def rows(variances=VARIANCES, k=3, **more):
    return component_rows(variances, HEADER, **more).kept(k)


@pytest.fixture
def table(on_screen):
    table = on_screen(TablePage(), 900, 190)
    table.set_rows(rows(of_components=np.array([50, 200, 30])))
    return table


@pytest.fixture
def committed(table):
    found = []

    def note(request):
        if isinstance(request, Keep):
            assert request.final
            found.append(request.k)

    table.requested.connect(note)
    return found


def column(table, number):
    model = table.model
    return [model.data(model.index(row, number)).strip() for row in range(model.rowCount())]


def components(table):
    return [table.model.component_at(row) for row in range(table.model.rowCount())]


def test_components_are_sorted_by_numbers_and_unknown_ones_come_last(table):
    assert components(table) == [1, 2, 3, 4, 5, 6]
    for by, direction, order in (
        (1, DOWN, [1, 3, 2, 4, 5, 6]),
        (BITS, UP, [3, 1, 2, 4, 5, 6]),
        (BITS, DOWN, [2, 1, 3, 4, 5, 6]),
    ):
        table.view.sortByColumn(by, direction)
        assert components(table) == order
    assert column(table, BITS) == ["1\u202f600", "400", "240", "", "", ""]


def test_what_is_selected_stays_so_in_any_order_and_with_new_figures(table):
    table.view.selectRow(0)
    table.view.sortByColumn(1, UP)
    assert table.selected() == [1]
    table.set_rows(rows(2 * VARIANCES))
    assert table.selected() == [1]
    assert components(table)[0] == 6
    assert column(table, BITS) == [""] * 6


def test_the_last_component_kept_is_marked_and_those_behind_it_stand_back(table):
    assert column(table, STATE) == ["kept", "kept", "kept ◂ k", "not kept", "not kept", "not kept"]
    table.set_k(4, {2})
    assert column(table, STATE)[1:5] == ["left out", "kept", "kept ◂ k", "not kept"]
    assert table.text.startswith("4 of 6 components are kept, 1 of them left out")
    model = table.model
    fonts = [model.data(model.index(row, 0), Qt.ItemDataRole.FontRole) for row in range(6)]
    assert [font is not None for font in fonts] == [False, False, False, True, False, False]
    model.sort(STATE, DOWN)
    assert components(table) == [5, 6, 2, 1, 3, 4]


@pytest.mark.slow
def test_enter_or_a_double_click_keeps_up_to_that_row(table, committed, qtbot):
    place = table.view.visualRect(table.model.index(4, 2)).center()
    qtbot.mouseClick(table.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(table.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    table.view.sortByColumn(1, DOWN)
    for row, key in ((1, Qt.Key.Key_Return), (0, Qt.Key.Key_Enter)):
        table.view.selectRow(row)
        qtbot.keyClick(table.view, key)
    assert committed == [5, 3, 1]


def test_the_selection_is_copied_as_it_is_shown_with_a_header(table, qtbot):
    table.view.sortByColumn(1, DOWN)
    table.view.selectRow(1)
    qtbot.keyClick(table.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    data = QGuiApplication.clipboard().mimeData()
    lines = data.text().splitlines()
    assert lines[0].startswith("Component\tVariance λ\t")
    assert [line.split("\t")[:2] for line in lines[1:]] == [["3", "20.0"]]
    assert "<table>" in data.html()


def test_the_menu_offers_what_can_be_done(table, committed, qtbot):
    table.view.selectRow(1)
    actions = {action.text(): action for action in table.menu().actions()}
    actions["&Keep up to component 2"].trigger()
    assert committed == [2]
    actions["Select &all"].trigger()
    assert len(table.selected()) == 6
    with qtbot.waitSignal(table.requested) as asked:
        actions["&Export CSV…"].trigger()
    assert asked.args == [ExportTable()]


def test_without_figures_the_table_says_why(table, committed):
    table.set_rows(None)
    table.set_message("Finding the components…")
    assert table.text == "Finding the components…"
    table.set_k(5)
    table.copy()
    assert committed == []
    assert table.menu().actions()


# In the window


@pytest.fixture
def listed(supply):
    return supply(TablePage(), TableFeed)


@pytest.mark.slow
def test_an_opened_image_fills_the_table_and_measuring_adds_bits(session_user, listed, photo):
    session_user.open(photo)
    table = listed
    session_user.until(lambda: table.rows is not None and not np.isnan(table.rows.bits[0]))
    found = table.rows
    assert len(found) == session_user.state.fit.n_components
    assert found.k == session_user.state.setting.k
    assert int(np.count_nonzero(~np.isnan(found.bits))) == found.k
    session_user.session.request(Keep(5))
    assert table.rows.k == 5
    session_user.session.close()
    assert table.rows is None


def test_a_compressed_file_has_a_table_too(session_user, listed, compressed):
    session_user.open(compressed)
    table = listed
    session_user.until(lambda: table.rows is not None)
    found = table.rows
    assert int(np.count_nonzero(~np.isnan(found.bits))) == 10
    assert np.isfinite(found.psnr[0])
    assert table.text.startswith("10 of 10 components are kept · 38 more are not in the file")
    assert column(table, STATE)[8:11] == ["kept", "kept ◂ k", "not in the file"]


def test_a_photos_file_has_axes_but_no_quality(session_user, listed, draw, tmp_path):
    import pcaimage

    path = tmp_path / "photo.pcai"
    pixels = pcaimage.imaging.read_image(draw(tmp_path / "p.png", 40, 40, 3)).pixels
    path.write_bytes(pcaimage.encode(pixels, pcaimage.Settings(k=9)))
    session_user.open(path)
    table = listed
    session_user.until(lambda: table.rows is not None)
    found = table.rows
    assert found.axes is not None
    assert len(found.axes) == 9
    assert np.isnan(found.psnr).all()
    assert found.cumulative[-1] == pytest.approx(1.0)

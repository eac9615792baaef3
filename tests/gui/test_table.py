import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel

from pcaimage.codec import Header, Step
from pcaimage.gui.colours import DARK, LIGHT
from pcaimage.gui.panel.bytes_data import EMPTY, WAITING, Account
from pcaimage.gui.panel.bytes_view import BytesFeed, BytesView
from pcaimage.gui.session.requests import ExportTable, Keep
from pcaimage.gui.tabs.table import TableFeed
from pcaimage.gui.tabs.table.page import TablePage
from pcaimage.insight.component_table import component_rows
from pcaimage.insight.formatting import file_size
from pcaimage.insight.size_breakdown import SizeBreakdown
from pcaimage.sampling import Blocks
from tests.gui.mouse import move

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


@pytest.mark.slow
def test_an_opened_image_fills_the_table_and_measuring_adds_bits(session_user, supply, photo):
    session_user.open(photo)
    table = supply(TablePage(), TableFeed)
    session_user.until(lambda: table.rows is not None and not np.isnan(table.rows.bits[0]))
    found = table.rows
    assert len(found) == session_user.state.fit.n_components
    assert found.k == session_user.state.setting.k
    assert int(np.count_nonzero(~np.isnan(found.bits))) == found.k
    session_user.session.request(Keep(5))
    assert table.rows.k == 5
    session_user.session.close()
    assert table.rows is None


def test_a_compressed_file_has_a_table_too(session_user, supply, compressed):
    session_user.open(compressed)
    table = supply(TablePage(), TableFeed)
    session_user.until(lambda: table.rows is not None)
    found = table.rows
    assert int(np.count_nonzero(~np.isnan(found.bits))) == 10
    assert np.isfinite(found.psnr[0])
    assert table.text.startswith("10 of 10 components are kept · 38 more are not in the file")
    assert column(table, STATE)[8:11] == ["kept", "kept ◂ k", "not in the file"]


def test_a_photos_file_has_axes_but_no_quality(session_user, supply, draw, tmp_path):
    import pcaimage

    path = tmp_path / "photo.pcai"
    pixels = pcaimage.imaging.read_image(draw(tmp_path / "p.png", 40, 40, 3)).pixels
    path.write_bytes(pcaimage.encode(pixels, pcaimage.Settings(k=9)))
    session_user.open(path)
    table = supply(TablePage(), TableFeed)
    session_user.until(lambda: table.rows is not None)
    found = table.rows
    assert found.axes is not None
    assert len(found.axes) == 9
    assert np.isnan(found.psnr).all()
    assert found.cumulative[-1] == pytest.approx(1.0)


VECTORS, SCORES = np.full(20, 10), np.array([100, 300, 200] + [50] * 13 + [5] * 4)
PARTS = SizeBreakdown(VECTORS, SCORES, header=20, mean=30, metadata=100, frames={"header": 80})
TOTAL = PARTS.total


@pytest.fixture
def view(on_screen):
    view = on_screen(BytesView(), 264, 200)
    view.set_parts(PARTS, 10 * TOTAL, None)
    view.grab()
    return view


def texts(view):
    return [row.text for row in view.rows]


def test_every_byte_is_in_one_of_the_rows(view):
    assert TOTAL == 1700
    assert [text.replace("\u00a0", " ") for text in texts(view)] == [
        "Mean 30 B 1.8 %",
        "Basis 200 B 12 %",
        "Scores 1–3 600 B 35 %",
        "Scores 4–16 650 B 38 %",
        "Scores 17–20 20 B 1.2 %",
        "Metadata 100 B 5.9 %",
        "Other 100 B 5.9 %",
    ]
    assert view.text.replace("\u00a0", " ") == "1.7 KB · 10 % of the original 17.0 KB"
    assert "Basis 200" in view.accessibleDescription()


def test_an_estimate_is_marked_and_its_parts_follow_and_without_a_file_the_view_says_so(view):
    waiting = next(label for label in view.findChildren(QLabel) if label.text() == WAITING)
    view.set_parts(None, 17_000, 1_712)
    assert view.text.startswith("≈ 1.7")
    assert view.rows == []
    assert not waiting.isHidden()
    view.set_parts(PARTS, 17_000, 1_712)
    assert not view.text.startswith("≈")
    assert len(view.rows) == 7
    assert waiting.isHidden()
    view.set_parts(None, None, None)
    assert (view.text, view.rows) == (EMPTY, [])
    assert view.bars.isHidden()
    view.set_parts(PARTS, None, None)
    assert not view.bars.isHidden()
    assert view.text.replace("\u00a0", " ") == "1.7 KB"


def test_a_file_larger_than_the_original_says_so():
    account = Account.of(PARTS, TOTAL // 2, None)
    assert "larger than the original" in account.caption
    frame = Account.of(PARTS, 2 * TOTAL, None, "a frame's")
    assert f"50\u00a0% of a frame's {file_size(2 * TOTAL)}" in frame.caption
    assert account.of_original == 1
    assert account.original_end == 0.5
    assert Account.of(PARTS, 4 * TOTAL, None).of_original == 0.25


def test_pointing_at_the_bar_tells_the_components_there(view):
    start, end = view.account.ends[2:4]
    centre = QPointF((start + end) / 2 * view.bars.width(), view.bars.height() - 9)
    move(view.bars, centre.toPoint())
    tip = view.bars.tip_at(centre)
    assert tip.splitlines()[0].startswith("Scores of components 4–16: 650 bytes, 38")
    assert tip.splitlines()[1] == "Here: component 10, 50 bytes"
    assert view.bars.lit == 3
    assert [row.lit for row in view.rows].index(True) == 3
    # Above the bar stands the line of the original.
    assert view.bars.tip_at(QPointF(centre.x(), 1)) == view.text


def test_each_place_of_the_bar_belongs_to_the_component_whose_bytes_are_there():
    account = Account.of(PARTS, None, None)
    before = PARTS.mean + PARTS.basis
    for number, start, stop in ((1, 0, 100), (2, 100, 400), (3, 400, 600)):
        for byte in (start, stop - 1):
            place = (before + byte + 0.5) / TOTAL
            assert f"Here: component {number}," in account.tell(2, place)
            assert account.share_at(place) == 2
    assert account.share_at(1.0) is None
    assert account.share_at(-0.1) is None


def test_pointing_at_a_row_lights_its_part_of_the_bar(view, qtbot):
    row = view.rows[1]
    with qtbot.waitSignal(row.pointed):
        QApplication.sendEvent(row, QEnterEvent(QPointF(2, 2), QPointF(2, 2), QPointF(2, 2)))
    assert view.bars.lit == 1
    QApplication.sendEvent(row, QEvent(QEvent.Type.Leave))
    assert view.bars.lit is None


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_no_two_parts_have_one_colour(scheme):
    frames = {"header": 1}
    more = SizeBreakdown(np.ones(99), np.ones(99), mean=1, alpha=1, metadata=1, residual=1, frames=frames)
    colours = Account.of(more, None, None).colours(scheme)
    assert len(set(colours)) == len(colours) == 10


@pytest.mark.slow
def test_the_window_tells_where_the_measured_files_bytes_go(session_user, supply, photo):
    session_user.open(photo)
    view = supply(BytesView(), BytesFeed)
    session_user.until(lambda: view.rows)
    assert view.account.total == session_user.state.measured.n_bytes
    assert view.account.original == photo.stat().st_size
    session_user.session.request(Keep(7, final=False))
    session_user.until(lambda: view.rows == [])
    session_user.session.request(Keep(7))
    session_user.until(lambda: view.rows)
    assert view.account.parts.k == 7
    session_user.session.close()
    assert view.text == EMPTY


def test_a_compressed_files_bytes_are_those_of_the_components_kept(session_user, supply, compressed):
    session_user.open(compressed)
    view = supply(BytesView(), BytesFeed)
    session_user.until(lambda: view.rows)
    assert view.account.total == compressed.stat().st_size
    session_user.session.request(Keep(4))
    session_user.until(lambda: view.account.parts is not None and view.account.parts.k == 4)
    assert view.account.total == session_user.state.fit.file_size(4)

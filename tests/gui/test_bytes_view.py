import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QLabel

from pcaimage.gui.colours import DARK, LIGHT
from pcaimage.gui.panel.bytes_data import EMPTY, WAITING, Account
from pcaimage.gui.panel.bytes_view import BytesFeed, BytesView
from pcaimage.gui.session.requests import Keep
from pcaimage.insight.formatting import file_size
from pcaimage.insight.size_breakdown import SizeBreakdown
from tests.gui.mouse import move

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


@pytest.fixture
def supplied(supply):
    return supply(BytesView(), BytesFeed)


@pytest.mark.slow
def test_the_window_tells_where_the_measured_files_bytes_go(session_user, supplied, photo):
    session_user.open(photo)
    view = supplied
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


def test_a_compressed_files_bytes_are_those_of_the_components_kept(session_user, supplied, compressed):
    session_user.open(compressed)
    view = supplied
    session_user.until(lambda: view.rows)
    assert view.account.total == compressed.stat().st_size
    session_user.session.request(Keep(4))
    session_user.until(lambda: view.account.parts is not None and view.account.parts.k == 4)
    assert view.account.total == session_user.state.fit.file_size(4)

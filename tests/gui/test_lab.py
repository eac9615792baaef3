"""The lab's panes show one state; mouse, keys and buttons lead to the next, and undo leads back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage

from pcaimage.gui.lab.history import MOST, LabHistory
from pcaimage.gui.lab.page import CONVENTIONS, LabPage
from pcaimage.gui.theme import colours_of
from pcaimage.insight.lab import LabData, LabState, built_in
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.numbers import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import User
    from pytestqt.qtbot import QtBot


@pytest.fixture
def page(qtbot: QtBot) -> LabPage:
    page = LabPage()
    page.resize(1000, 680)
    qtbot.addWidget(page)
    page.show()
    qtbot.waitExposed(page)
    return page


def choose(page: LabPage, box: str, text: str) -> None:
    field = {"source": page.source, "convention": page.convention}[box]
    field.setCurrentText(text)
    field.activated.emit(field.currentIndex())


def trigger(page: LabPage, *names: str) -> None:
    for name in names:
        page.actions_by_name[name].trigger()


def test_a_drag_turns_the_line_and_is_undone_as_a_whole(page: LabPage, qtbot: QtBot) -> None:
    plane = page.plane
    end = plane.place(0.0, 0.0) + QPointF(80, -80)
    qtbot.mousePress(plane, Qt.MouseButton.LeftButton, pos=QPoint(plane.width() - 20, plane.height() // 2))
    qtbot.mouseMove(plane, end.toPoint())
    qtbot.mouseRelease(plane, Qt.MouseButton.LeftButton, pos=end.toPoint())
    assert page.state.angle == pytest.approx(math.pi / 4, abs=0.03)
    assert "line at 4" in plane.accessibleDescription()
    assert "variance" in page.angles.accessibleDescription()
    trigger(page, "undo")
    assert page.state.angle == 0
    trigger(page, "redo")
    assert page.state.angle == pytest.approx(math.pi / 4, abs=0.03)


def test_keys_turn_the_line_finely_and_find_the_best(page: LabPage, qtbot: QtBot) -> None:
    qtbot.keyClick(page.plane, Qt.Key.Key_Left)
    assert math.degrees(page.state.angle) == pytest.approx(1)
    qtbot.keyClick(page.plane, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert math.degrees(page.state.angle) == pytest.approx(0.9)
    qtbot.keyClick(page.plane, Qt.Key.Key_Return)
    assert math.degrees(page.state.angle) == pytest.approx(62.61, abs=0.01)
    qtbot.keyClick(page.plane, Qt.Key.Key_Home)
    assert page.state.angle == 0
    x = 10 + 0.75 * (page.angles.width() - 20)
    qtbot.mouseClick(page.angles, Qt.MouseButton.LeftButton, pos=QPoint(round(x), 90))
    assert math.degrees(page.state.angle) == pytest.approx(45, abs=1)


def test_a_cell_of_the_covariance_chooses_the_plane(page: LabPage, qtbot: QtBot) -> None:
    view = page.matrix
    cells = {
        view.cell_at(QPointF(x, y)): QPoint(x, y)
        for x in range(0, view.width(), 5)
        for y in range(0, view.height(), 5)
    }
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=cells[(3, 4)])
    assert page.state.plane == (3, 4)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=cells[(2, 2)])
    assert page.state.plane == (3, 4)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert page.state.plane == (2, 4)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert page.state.plane == (2, 4)
    assert view.accessibleDescription() == "x3 and x5: −0.025"


def test_turns_lead_to_pca_and_back(page: LabPage) -> None:
    trigger(page, "best")
    assert page.state.basis.matrix[0, 1] == pytest.approx(0, abs=1e-12)
    trigger(page, *["most"] * 5, "finish")
    assert page.state.basis.variances[0] == pytest.approx(2.3288, abs=5e-5)
    assert page.spectrum.accessibleDescription().endswith("95\u00a0%: 2 · ties")
    trigger(page, "anew")
    assert page.state.basis.axes.tolist() == np.eye(5).tolist()
    for _ in range(8):
        trigger(page, "undo")
    assert not page.actions_by_name["undo"].isEnabled()


def test_k_is_dragged_and_stepped(page: LabPage, qtbot: QtBot) -> None:
    trigger(page, "finish")
    view = page.spectrum
    x = 10 + (view.width() - 20) * 2 // 5
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(x, view.height() // 2))
    assert page.state.k == 2
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert page.state.k == 1
    assert page.state.reconstruction[0] == pytest.approx([2.169, 4.532, 5.072, 7.324, 3.713], abs=5e-4)


def test_the_formula_of_the_current_cell_is_shown_and_tables_are_copied(page: LabPage) -> None:
    trigger(page, "finish")
    page.numbers.show_kind(Kind.SCORES)
    page.numbers.table.setCurrentIndex(page.numbers.model.index(0, 0))
    assert page.strip.text().startswith("c₁,₁ = 0.4339 · (−0.075) + ")
    menu = page.numbers.copy.menu()
    copied = []
    for action in menu.actions():
        action.trigger()
        copied.append(QGuiApplication.clipboard().text())
    assert copied[0].startswith("Scores\n")
    assert copied[1].startswith(",axis 1,axis 2")
    assert copied[2].startswith(r"\begin{bmatrix}")


def test_a_table_in_latex_is_pasted_and_transposed(page: LabPage) -> None:
    matrix = r"""\begin{bmatrix} 2.3 & 2.6 & 1.5 & 3.1 \\ 4.9 & 5.3 & 3.2 & 6.3 \\ 5.1 & 5.2 & 4.9 & 5.3 \\
    8.2 & 6.3 & 7.4 & 6.8 \\ 4.4 & 3.1 & 3.6 & 3.5 \end{bmatrix}"""
    QGuiApplication.clipboard().setText(matrix)
    trigger(page, "paste", "transpose")
    choose(page, "convention", "Undivided")
    trigger(page, "finish")
    assert page.state.basis.variances[:3] == pytest.approx([6.986, 2.351, 0.002], abs=5e-4)
    QGuiApplication.clipboard().setText("no table")
    before = page.state
    trigger(page, "paste")
    assert "no column of numbers" in page.strip.text() or "row" in page.strip.text()
    assert page.state is before


@pytest.mark.parametrize("name", CONVENTIONS)
@pytest.mark.sweep(5)
def test_every_convention_can_be_followed(page: LabPage, name: str) -> None:
    choose(page, "source", "Three prices")
    choose(page, "convention", name)
    assert page.state.convention == CONVENTIONS[name]
    assert page.convention.toolTip()


def test_steps_are_chosen_checked_and_marked(page: LabPage) -> None:
    choose(page, "source", "Cross")
    page.rail.list.setCurrentRow(4)
    assert page.state.step == "turn"
    assert page.rail.reached.text() == "Drag the handle of the line."
    page.plane.bestRequested.emit()
    assert page.rail.reached.text().startswith("✓ Yours 0.8571")
    assert page.rail.list.item(4).text() == "✓ Turn a line"
    page.rail.list.setCurrentRow(7)
    assert page.numbers.kind.currentText() == "Scores"


def test_one_feature_can_be_shown(page: LabPage) -> None:
    page.open_data(LabData("One", ("x",), np.array([[1.0], [2.0], [5.0]])))
    assert not page.actions_by_name["best"].isEnabled()
    page.grab()
    trigger(page, "finish", "undo", "undo")
    assert page.actions_by_name["best"].isEnabled()


def test_flowers_have_their_colours_and_many_features_no_numbers(page: LabPage) -> None:
    choose(page, "source", "Iris")
    picture = page.plane.grab().toImage()
    places = [picture.rect().center() + QPoint(x, y) for x in range(-150, 150, 3) for y in range(-60, 60, 3)]
    seen = {picture.pixelColor(place).name() for place in places}
    assert set(colours_of(page.palette()).planes[:3]) <= seen or len(seen) > 20
    rng = np.random.default_rng(0)
    page.open_data(LabData("Many", tuple(f"f{n}" for n in range(30)), rng.normal(size=(5000, 30))))
    page.grab()
    assert page.matrix.accessibleDescription().startswith("f0 and f1: ")


def test_panes_are_saved_as_pictures_on_white(page: LabPage, tmp_path: Path) -> None:
    for name in page.panes:
        for suffix in (".svg", ".png"):
            path = tmp_path / f"{name}{suffix}"
            page.save_picture(name, path)
            assert path.stat().st_size > 500
    picture = QImage(str(tmp_path / "Scatter.png"))
    assert picture.pixelColor(3, 3).name() == "#ffffff"
    assert "polyline" in (tmp_path / "Angles.svg").read_text("utf-8")
    page.save_picture("Scatter", tmp_path / "none" / "a.png")
    assert "none" in page.strip.text()


def test_undo_remembers_only_so_much() -> None:
    history = LabHistory(LabState.of(built_in("cross")))
    assert history.undone() is history.redone() is history
    for k in range(MOST + 20):
        history = history.committed(go.with_k(history.state, k % 3))
    assert len(history.past) == MOST


def test_the_lab_takes_samples_of_the_open_image_and_leaves_it_as_it_is(
    user: User, photo: Path, qtbot: QtBot
) -> None:
    user.open(photo)
    before = user.state
    lab = user.window.lab.open()
    qtbot.addWidget(lab)
    names = [lab.page.source.itemText(index) for index in range(lab.page.source.count())]
    assert names[5:] == ["Neighbouring pixels", "Channels of the image", "Blocks of 8 × 8"]
    for name in names[5:]:
        choose(lab.page, "source", name)
        trigger(lab.page, "finish")
        assert lab.page.state.basis.variances[0] > lab.page.state.basis.variances[1]
    assert user.state is before

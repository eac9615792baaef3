"""The lab's panes show one state; mouse, keys and buttons lead to the next, and undo leads back."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QLineEdit

from pcaimage.gui.lab.numbers import CODE, NOTES, PAPER, TITLES
from pcaimage.gui.lab.panes import MATRICES
from pcaimage.gui.lab.reading import ReadingDialog
from pcaimage.imaging import read_image
from pcaimage.insight.lab import STEPS, LabData, LabState, built_in, stack
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.live import CONVENTIONS, differences
from pcaimage.insight.lab.numbers import Kind
from pcaimage.insight.lab.python import listing
from pcaimage.insight.lab.state import MOST, LabHistory


def choose(page, box, text):
    field = {"source": page.source, "convention": page.convention}[box]
    field.setCurrentText(text)
    field.activated.emit(field.currentIndex())


def trigger(page, *names):
    for name in names:
        page.commands.by_name[name].trigger()


def follow(page, step):
    page.rail.list.setCurrentRow([each.key for each in STEPS].index(step))


def test_a_drag_turns_the_line_and_is_undone_as_a_whole(page, qtbot):
    plane = page.panes.plane
    end = plane.place(0.0, 0.0) + QPointF(80, -80)
    qtbot.mousePress(plane, Qt.MouseButton.LeftButton, pos=QPoint(plane.width() - 20, plane.height() // 2))
    qtbot.mouseMove(plane, end.toPoint())
    qtbot.mouseRelease(plane, Qt.MouseButton.LeftButton, pos=end.toPoint())
    assert page.state.angle == pytest.approx(math.pi / 4, abs=0.03)
    assert "line at 4" in plane.accessibleDescription()
    assert "variance" in page.panes.angles.accessibleDescription()
    trigger(page, "undo")
    assert page.state.angle == 0
    trigger(page, "redo")
    assert page.state.angle == pytest.approx(math.pi / 4, abs=0.03)


def test_keys_turn_the_line_finely_and_find_the_best(page, qtbot):
    qtbot.keyClick(page.panes.plane, Qt.Key.Key_Left)
    assert math.degrees(page.state.angle) == pytest.approx(1)
    qtbot.keyClick(page.panes.plane, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert math.degrees(page.state.angle) == pytest.approx(0.9)
    qtbot.keyClick(page.panes.plane, Qt.Key.Key_Return)
    assert math.degrees(page.state.angle) == pytest.approx(62.61, abs=0.01)
    qtbot.keyClick(page.panes.plane, Qt.Key.Key_Home)
    assert page.state.angle == 0
    x = 46 + 0.75 * (page.panes.angles.width() - 60)
    qtbot.mouseClick(page.panes.angles, Qt.MouseButton.LeftButton, pos=QPoint(round(x), 90))
    assert math.degrees(page.state.angle) == pytest.approx(45, abs=1)


def test_a_cell_of_the_covariance_chooses_the_plane(page, qtbot):
    view = page.panes.matrix
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


def test_turns_lead_to_pca_and_back(page):
    trigger(page, "best")
    assert page.state.basis.matrix[0, 1] == pytest.approx(0, abs=1e-12)
    trigger(page, *["most"] * 5, "finish")
    assert page.state.basis.variances[0] == pytest.approx(2.3288, abs=5e-5)
    assert page.panes.spectrum.accessibleDescription().endswith("95\u00a0%: 2 · ties")
    trigger(page, "anew")
    assert page.state.basis.axes.tolist() == np.eye(5).tolist()
    for _ in range(8):
        trigger(page, "undo")
    assert not page.commands.by_name["undo"].isEnabled()


def test_k_is_dragged_and_stepped(page, qtbot):
    trigger(page, "finish")
    view = page.panes.spectrum
    x = 46 + (view.width() - 90) * 2 // 5
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(x, view.height() // 2))
    assert page.state.k == 2
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert page.state.k == 1
    assert page.state.reconstruction[0] == pytest.approx([2.169, 4.532, 5.072, 7.324, 3.713], abs=5e-4)


def test_the_formula_of_the_current_cell_is_shown_and_tables_are_copied(page):
    trigger(page, "finish")
    page.panes.numbers.show_kind(Kind.SCORES)
    page.panes.numbers.table.setCurrentIndex(page.panes.numbers.model.index(0, 0))
    assert page.panes.numbers.formula.text().startswith("c₁,₁ = 0.4339 · (−0.075) + ")
    menu = page.panes.numbers.copy.menu()
    copied = []
    for action in menu.actions():
        action.trigger()
        copied.append(QGuiApplication.clipboard().text())
    assert copied[0].startswith("Scores\n")
    assert copied[1].startswith(",axis 1,axis 2")
    assert copied[2].startswith(r"\begin{bmatrix}")


def test_a_table_in_latex_is_pasted_and_transposed(page):
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
    assert "no column of numbers" in page.messages.text or "row" in page.messages.text
    assert page.state is before


@pytest.mark.parametrize("name", CONVENTIONS)
@pytest.mark.sweep(5)
def test_every_convention_can_be_followed(page, name):
    choose(page, "source", "Three prices")
    choose(page, "convention", name)
    assert page.state.convention == CONVENTIONS[name]
    assert page.convention.toolTip()
    assert page.differs.isVisible() == bool(page.differs.text()) == bool(differences(CONVENTIONS[name]))
    for other, products in (("As scikit-learn", "covariance"), ("Standardised, n − 1", "correlation")):
        choose(page, "convention", other)
        tips = [page.commands.by_name[action].toolTip() for action in ("best", "most", "power")]
        assert [products in tip for tip in tips] == [True, True, False]
        assert "covariance" not in "".join(tips) or products == "covariance"


def test_steps_are_chosen_checked_and_marked(page):
    choose(page, "source", "Cross")
    page.rail.list.setCurrentRow(4)
    assert page.state.step == "turn"
    assert page.task.reached.text() == "Drag the handle of the line."
    page.panes.plane.bestRequested.emit()
    assert page.task.reached.text().startswith("✓ Now 0.8571")
    assert page.rail.list.item(4).text() == "✓ Turn a line"
    page.rail.list.setCurrentRow(7)
    assert page.panes.numbers.kind.currentText() == "Scores"


def test_one_feature_k_of_nothing_and_tables_without_variance_are_shown_in_every_step(page):
    page.open_data(LabData("One", ("x",), np.array([[1.0], [2.0], [5.0]])))
    assert not page.commands.by_name["best"].isEnabled()
    page.grab()
    trigger(page, "finish", "undo", "undo")
    assert page.commands.by_name["best"].isEnabled()
    page.open_data(LabData("Constant", ("a", "b", "c"), np.ones((3, 3))))
    page.panes.spectrum.kChosen.emit(0, True)
    for step in STEPS:
        follow(page, step.key)
        page.grab()
    assert page.state.k == 0
    page.panes.numbers.show_kind(PAPER)
    page.open_data(built_in("three-prices"))
    page.panes.numbers.table.setCurrentIndex(page.panes.numbers.model.index(2, 2))
    assert page.panes.numbers.formula.text() != ""


@pytest.mark.slow
def test_panes_are_saved_as_pictures_on_white(page, tmp_path):
    for name in page.panes.by_name:
        page.save_picture(name, path := tmp_path / f"{name}.svg")
        drawn = path.read_text("utf-8")
        assert sum(drawn.count(shape) for shape in ("<path", "<poly", "<rect", "<text")) > 3, name
    page.save_picture("Scatter", tmp_path / "Scatter.png")
    picture = QImage(str(tmp_path / "Scatter.png"))
    assert picture.pixelColor(3, 3).name() == "#ffffff"
    assert "polyline" in (tmp_path / "Angles.svg").read_text("utf-8")
    page.save_picture("Scatter", tmp_path / "none" / "a.png")
    assert "none" in page.messages.text


def test_undo_remembers_only_so_much_and_of_many_features_stays_within_its_memory(monkeypatch):
    history = LabHistory(LabState.of(built_in("cross")))
    assert history.undone() is history.redone() is history
    for k in range(MOST + 20):
        history = history.committed(go.with_k(history.state, k % 3))
    assert len(history.past) == MOST
    history = LabHistory(LabState.of(built_in("five-features")))
    one = history.state.basis.axes.nbytes + history.state.basis.matrix.nbytes
    monkeypatch.setattr("pcaimage.insight.lab.state.MOST_BYTES", 3 * one + history.state.data.samples.nbytes)
    for number in range(8):
        assert history.state.scores is not None
        history = history.committed(go.turned_where_most(history.state))
        history = history.committed(go.with_k(history.state, number % 3))
    assert len({id(state.basis) for state in history.past}) == 3
    assert not any("scores" in vars(state) for state in history.past)


def test_the_lab_takes_samples_of_the_open_image_and_leaves_it_as_it_is(user, photo, qtbot):
    user.open(photo)
    user.until(lambda: not user.session.jobs.busy())
    before = user.state
    lab = user.window.lab.open()
    qtbot.addWidget(lab)
    names = [lab.page.source.itemText(index) for index in range(lab.page.source.count())]
    assert names[7:] == ["Neighbouring pixels", "Channels of the image", "Blocks of 8 × 8"]
    for name in names[7:]:
        choose(lab.page, "source", name)
        user.until(lambda: not user.session.jobs.busy())
        trigger(lab.page, "finish")
        assert lab.page.state.basis.variances[0] > lab.page.state.basis.variances[1]
    assert user.state is before
    lab.page.panes.spectrum.kChosen.emit(5, True)
    follow(lab.page, "cost")
    trigger(lab.page, "keep")
    user.until(lambda: user.state.fitted and user.state.setting.k == 5)
    assert (user.state.choice.method, user.state.choice.block) == ("blocks", 8)


def test_ticks_stay_over_windows_of_the_lab(user, qtbot):
    for step, earlier in (("data", set[str]()), ("standardise", {"data"})):
        lab = user.window.lab.open()
        qtbot.addWidget(lab)
        assert lab.page.ticks == earlier
        follow(lab.page, step)
        page = lab.page
        choose(page, "convention", "Standardised, n")
        page.panes.numbers.show_kind(Kind.DATA)
        page.panes.numbers.table.setCurrentIndex(page.panes.numbers.model.index(1, 1))
        assert page.ticks == earlier | {step}
    assert user.window.preferences.kept("lab/done", "") == "data standardise"


def test_a_code_is_dragged_to_the_least_error(page, qtbot):
    trigger(page, "finish")
    follow(page, "encode")
    page.panes.numbers.table.setCurrentIndex(page.panes.numbers.model.index(2, 0))
    assert page.state.marked == (2,)
    view, best = page.panes.code, float(page.state.scores[2, 0])
    x = next(x for x in range(view.width()) if view.code_at(x) >= best)
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(20, 60))
    assert page.task.reached.text().startswith("Yours")
    qtbot.mouseMove(view, QPoint(x, 60))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(x, 60))
    assert page.task.reached.text().startswith("✓ Yours")
    assert "gradient" in page.live.text()
    trigger(page, "undo")
    assert page.state.code is None
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert page.state.code == pytest.approx(4 * abs(best) / 120)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert page.state.code == pytest.approx((best + 4 * abs(best) / 120) / 2)


def test_parts_and_costs_follow_k_and_the_step(page):
    trigger(page, "finish")
    follow(page, "decode")
    page.panes.spectrum.kChosen.emit(1, True)
    assert page.panes.parts.accessibleDescription() == "1.62 = 0.226 + 1.394"
    follow(page, "cost")
    before = page.panes.cost.bars.accessibleDescription()
    assert before.startswith("14 of 20 numbers, ")
    page.panes.cost.step.setValue(0.01)
    assert page.state.rounding == 0.01
    assert page.panes.cost.bars.accessibleDescription() != before
    assert not page.commands.by_name["keep"].isEnabled()


def test_arrows_of_the_biplot_are_chosen_and_the_circle_drawn(page, qtbot):
    choose(page, "source", "Iris")
    trigger(page, "finish")
    follow(page, "biplot")
    plot = page.panes.biplot.plot
    for _ in range(2):
        for feature in (2, 3):
            qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=QPointF(*plot.ends()[feature]).toPoint())
        if page.panes.biplot.circle.isChecked():
            break
        assert page.task.reached.text().startswith("✓ The correlation of yours is 0.963")
        assert "r(petal length, petal width) = 0.963" in page.live.text()
        page.panes.biplot.circle.setChecked(True)
    assert page.state.arrows == ()
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Space, Qt.Key.Key_Left, Qt.Key.Key_Space):
        qtbot.keyClick(plot, key)
    assert page.state.arrows == (3, 2)
    page.panes.biplot.alpha.setValue(0)
    page.grab()


def test_points_are_drawn_moved_and_removed(page, qtbot):
    choose(page, "source", "Drawn by hand")
    assert page.commands.by_name["draw"].isChecked()
    plane = page.panes.plane
    place = plane.place(1.0, -2.0)
    qtbot.mousePress(plane, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert page.state.data.n_samples == 8
    assert page.state.data.samples[7] == pytest.approx([1.0, -2.0], abs=0.05)
    kept = plane.place(*page.state.prepared.samples[0])
    end = place + QPointF(20, -40)
    qtbot.mouseMove(plane, end.toPoint())
    moved = plane.place(*page.state.prepared.samples[0])
    assert (moved.x(), moved.y()) == pytest.approx((kept.x(), kept.y()))
    qtbot.mouseRelease(plane, Qt.MouseButton.LeftButton, pos=end.toPoint())
    found = plane.place(*page.state.prepared.samples[7])
    assert plane.sample_at(found) == 7
    qtbot.mouseClick(plane, Qt.MouseButton.RightButton, pos=found.toPoint())
    assert page.state.data.n_samples == 7
    trigger(page, "undo")
    qtbot.mouseClick(
        plane,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.ControlModifier,
        plane.place(*page.state.prepared.samples[2]).toPoint(),
    )
    assert page.state.marked == (2,)
    assert page.panes.numbers.table.currentIndex().row() == 2
    qtbot.keyClick(plane, Qt.Key.Key_Delete)
    assert page.state.data.n_samples == 7
    trigger(page, "undo", "undo")
    assert page.state.data.n_samples == 7


def test_a_table_is_typed_cell_by_cell_and_undone(page, qtbot, monkeypatch):
    trigger(page, "new", "add-row", "add-column")
    numbers = page.panes.numbers
    assert page.state.data.samples.shape == (4, 3)
    assert numbers.cell() == (3, 2)
    wanted = [1.5, 0.75, 2.0, -2.0]
    for row, text in enumerate(("1,5", "3/4", "√4", "-2")):
        numbers.go_to(row, 0)
        numbers.table.edit(numbers.model.index(row, 0))
        (field,) = (each for each in numbers.table.findChildren(QLineEdit) if each.isVisible())
        field.setText(text)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda row=row: page.state.data.samples[row, 0] == wanted[row])
    assert page.state.basis.variances[0] == pytest.approx(np.var(wanted, ddof=1))
    assert not numbers.model.setData(numbers.model.index(0, 0), "many")
    names = iter(["height", "ann"])
    monkeypatch.setattr("pcaimage.gui.lab.page.QInputDialog.getText", lambda *_, **__: (next(names), True))
    numbers.go_to(1, 0)
    trigger(page, "name-column", "name-row", "names")
    assert (page.state.data.features[0], page.state.data.sample_names[1]) == ("height", "ann")
    page.grab()
    numbers.go_to(1, 1)
    trigger(page, "remove-column", "remove-row")
    assert page.state.data.features == ("height", "x3")
    assert page.state.data.sample_names == ("1", "3", "4")
    trigger(page, *["undo"] * 8)
    assert page.state.data.samples.tolist() == np.zeros((4, 3)).tolist()
    numbers.show_kind(Kind.SCORES)
    assert not numbers.model.flags(numbers.model.index(0, 0)) & Qt.ItemFlag.ItemIsEditable


def test_how_a_paste_was_read_is_corrected(page):
    trigger(page, "read")
    assert "Paste or open" in page.messages.text
    QGuiApplication.clipboard().setText(
        "| id | city | x | y |\n|--|--|--|--|\n|1|Rome|1|2|\n|2|Bern||5|\n|3|Graz|4|7|"
    )
    trigger(page, "paste")
    assert "row 3, column 3 ('x') is empty" in page.messages.text
    page.messages.action.click()
    dialog = page.findChild(ReadingDialog)
    assert not dialog.buttons.button(dialog.buttons.StandardButton.Ok).isEnabled()
    dialog.gaps.setCurrentIndex(1)
    dialog.gaps.activated.emit(1)
    dialog.columns.selectRow(0)
    dialog.role.activated.emit(3)
    assert "rows with gaps left out: 1" in dialog.said.text()
    dialog.accept()
    assert page.state.data.features == ("x", "y")
    assert page.state.data.sample_names == ("Rome", "Graz")
    assert "column 1 left out" in page.differs.text()


def test_a_large_table_is_read_and_changed_aside(user, qtbot, tmp_path):
    np.savetxt(
        path := tmp_path / "large.csv", np.random.default_rng(0).normal(size=(300, 800)), delimiter=","
    )
    lab = user.window.lab.open()
    qtbot.addWidget(lab)
    lab.page.open_file(path)
    assert lab.page.state.data.n_samples == 4
    user.until(lambda: lab.page.state.data.samples.shape == (300, 800))
    lab.page.panes.numbers.model.typed.emit(2, 3, 8.5)
    assert lab.page.state.data.samples[2, 3] != 8.5
    user.until(lambda: lab.page.state.data.samples[2, 3] == 8.5)


def test_work_by_hand_and_python_stand_beside_the_numbers(page):
    numbers = page.panes.numbers
    numbers.show_kind(PAPER)
    assert numbers.notes.toPlainText().startswith("det(λI − C) = λ⁵")
    numbers.show_kind(CODE)
    follow(page, "power")
    assert "w = C @ w" in numbers.notes.toPlainText()
    numbers.copy.menu().actions()[0].trigger()
    assert QGuiApplication.clipboard().text() == listing(page.state)
    numbers.show_kind(Kind.MATRIX)
    numbers.table.setCurrentIndex(numbers.model.index(0, 1))
    copied = []
    for action in numbers.copy.menu().actions()[4:]:
        action.trigger()
        copied.append(QGuiApplication.clipboard().text())
    assert copied[0].startswith("C₁,₂ = ((−0.075)")
    assert copied[1].startswith(r"C_{1,2} = \frac{")
    assert eval(copied[2]) == pytest.approx(0.864, abs=1e-3)  # noqa: S307 - the lab's own text


def test_digits_are_pictures_in_all_panes(page):
    rng = np.random.default_rng(0)
    images = rng.integers(0, 255, (12, 4, 4), dtype=np.uint8)
    page.open_data(stack(images, np.arange(12) % 2))
    trigger(page, "finish")
    model = page.panes.numbers.model
    assert model.picture(0) is not None
    header = model.headerData(3, Qt.Orientation.Vertical, Qt.ItemDataRole.DecorationRole)
    assert (header.width(), header.height()) == (30, 30)
    for step in ("keep", "decode", "biplot"):
        follow(page, step)
        page.grab()
    page.panes.numbers.show_kind(Kind.AXES)
    axis = model.picture(1)
    assert not axis.isGrayscale() or axis.pixelColor(2, 2) != axis.pixelColor(28, 28)


def test_the_course_names_what_the_window_has(page):
    text = (Path(__file__).parents[2] / "docs" / "course.md").read_text("utf-8")
    places = re.findall(r"^\| \d\.\d+ \| .+ \| (.+) \|$", text, re.MULTILINE)
    named = {name for place in places for name in re.findall(r"\*(.+?)\*", place)}
    actions = {action.text().replace("&", "").rstrip("…") for action in page.commands.by_name.values()}
    sources = {page.source.itemText(index) for index in range(page.source.count())} | {"Neighbouring pixels"}
    shown = {*TITLES.values(), *NOTES.values(), *MATRICES.values(), *CONVENTIONS}
    assert named
    assert named <= shown | actions | sources


def test_turns_are_shown_as_movements_if_that_is_wanted(page, qtbot):
    trigger(page, "animate", "finish")
    before = page.state
    assert page.turning.left
    shown = page.panes.spectrum.accessibleDescription()
    assert page.state.basis.off_diagonal == 0
    qtbot.waitUntil(lambda: not page.turning.left)
    assert page.state is before
    assert page.panes.spectrum.accessibleDescription() != shown
    trigger(page, "undo")
    page.panes.plane.lineMoved.emit(0.3, True)
    assert not page.turning.left
    trigger(page, "animate", "finish")
    assert not page.turning.left
    assert page.panes.spectrum.accessibleDescription() != shown


def test_the_matrix_moves_grid_and_circle(page, qtbot):
    assert not page.commands.by_name["move"].isVisible()
    follow(page, "power")
    still = page.panes.plane.grab().toImage()
    trigger(page, "move")
    assert page.panes.plane.moving.share == 0
    qtbot.waitUntil(lambda: page.panes.plane.moving.share == 1)
    assert page.panes.plane.grab().toImage() != still
    trigger(page, "move")
    assert page.panes.plane.moving.share is None
    assert page.panes.plane.grab().toImage() == still
    trigger(page, "components")
    assert page.panes.plane.grab().toImage() != still


def test_every_step_is_explained_and_next_leads_through_all(page):
    for step in STEPS:
        assert page.state.step == step.key
        words = page.rail.lesson.toPlainText()
        assert len(words) > 400
        assert page.task.task.text() == step.words(page.state.convention)
        page.task.next.click()
    assert not page.task.next.isEnabled()
    choose(page, "convention", "Not centred")
    follow(page, "turn")
    assert "squares / (n − 1) along the line" in page.rail.lesson.toPlainText()


def test_the_last_turn_is_saved_as_an_animation(page, tmp_path, monkeypatch):
    monkeypatch.setattr("pcaimage.gui.lab.desk.ask_write", lambda *_: tmp_path / "turn.webp")
    trigger(page, "film")
    assert "Turn axes or the line first" in page.messages.text
    trigger(page, "best", "film")
    assert page.messages.text == ""
    film = read_image(tmp_path / "turn.webp")
    assert film.frames == 25
    assert film.timing.total == pytest.approx(600 + 23 * 40 + 1500)
    assert (film.pixels[0] != film.pixels[12]).any()
    assert (film.pixels[12] != film.pixels[24]).any()
    page.save_film(tmp_path / "turn.svg")
    drawn = (tmp_path / "turn.svg").read_text("utf-8")
    assert (drawn.count("<animate "), drawn.count('<g display="inline"')) == (25, 1)


def test_samples_stand_in_columns_and_a_new_one_is_typed_and_drawn(page):
    trigger(page, "columns")
    model = page.panes.numbers.model
    assert (model.rowCount(), model.columnCount()) == (5, 4)
    assert model.setData(model.index(4, 1), "7,5")
    assert page.state.data.samples[1].tolist() == [2.6, 5.3, 5.2, 6.3, 7.5]
    page.panes.numbers.table.setCurrentIndex(model.index(0, 2))
    assert page.state.marked == (2,)
    before = page.panes.plane.grab().toImage()
    page.panes.numbers.show_kind(Kind.NEWCOMER)
    assert model.setData(model.index(1, 0), "6")
    assert not model.flags(model.index(1, 1)) & Qt.ItemFlag.ItemIsEditable
    assert page.state.newcomer[1] == 6
    assert page.panes.plane.grab().toImage() != before


def test_three_axes_are_seen_from_elsewhere_by_mouse_and_keys(page, qtbot):
    trigger(page, "space")
    view = page.panes.space
    assert view.accessibleDescription() == "x1, x2, x4"
    assert np.linalg.norm(view.places(np.eye(3)) - view.places(np.zeros((3, 3))), axis=1).min() > 0
    turn, tilt = view.turn, view.height_angle
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert (view.turn - turn, view.height_angle - tilt) == pytest.approx([math.radians(5)] * 2)
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(50, 50))
    qtbot.mouseMove(view, QPoint(90, 50))
    assert view.turn > turn + math.radians(6)
    choose(page, "source", "Two units")
    assert page.panes.plane.isVisible()

"""Exercises in the lab's window: opened, answered, kept, hidden, made and printed."""

import json

import pytest
from PySide6.QtWidgets import QDialog, QMenu

from pcaimage.gui.lab.desk import ExerciseDialog
from pcaimage.gui.lab.page import LabPage
from pcaimage.insight.lab.exercise import Exercise
from pcaimage.machine.folders import asset

FOLDER = asset("resources", "lab", "exercises")


def check(page, typed):
    page.task.answer.setText(typed)
    page.task.check.click()
    return page.task.reached.text()


def test_questions_are_answered_hinted_and_kept(page, qtbot):
    kept = []
    page.desk.recorded.connect(kept.append)
    page.open_file(FOLDER / "tacos-1-normalise.pcalab")
    assert page.task.task.text() == "1 of 4: What are the means?"
    assert page.state.step == "centre"
    assert page.task.hint.isHidden()
    assert check(page, "4 5 7") == "Not yet. Number 3 is off."
    assert check(page, "4 5 6").startswith("✓")
    page.task.next.click()
    assert page.task.answer.text() == ""
    page.task.hint.click()
    assert "22 − 16" in page.task.reached.text()
    assert page.task.hint.isHidden()
    assert page.state.step == "standardise"
    assert check(page, "√6").startswith("✓")
    again = LabPage(records=kept[-1])
    qtbot.addWidget(again)
    again.open_file(FOLDER / "tacos-1-normalise.pcalab")
    assert again.task.task.text().startswith("3 of 4")
    again.task.next.click()
    assert not again.task.next.isEnabled()
    again.commands.by_name["close-exercise"].trigger()
    assert again.task.task.text() == "Let every feature count equally."


def test_a_task_of_an_exercise_is_done_in_the_plot(page):
    page.open_file(FOLDER / "notes-1-line.pcalab")
    assert page.task.answer.isHidden()
    page.commands.by_name["hide-answers"].setChecked(True)
    page.panes.plane.lineMoved.emit(0.1, True)
    assert page.task.reached.text() == "Not yet."
    page.panes.plane.bestRequested.emit()
    assert page.task.reached.text() == "✓ Done."
    page.panes.plane.lineMoved.emit(0.1, True)
    assert page.task.reached.text() == "✓ Done."
    assert page.desk.records[page.desk.sitting.exercise.key]["answers"][0]["right"]


def test_what_is_hidden_is_not_seen_and_a_broken_file_leaves_everything(page, tmp_path):
    before, path = page.state, tmp_path / "hidden.pcalab"
    (broken := tmp_path / "broken.pcalab").write_text("{")
    page.open_file(broken)
    assert page.messages.text.startswith("broken.pcalab is no exercise")
    page.open_file(tmp_path / "none.pcalab")
    assert page.messages.text.startswith("none.pcalab cannot be read")
    assert page.state is before
    found = json.loads((FOLDER / "linear-algebra-3-eigenvalues.pcalab").read_text("utf-8"))
    path.write_text(json.dumps(found | {"hidden": ["finish", "numbers", "answers"]}), "utf-8")
    page.open_file(path)
    commands = page.commands.by_name
    assert page.panes.numbers.isHidden()
    assert page.live.isHidden()
    assert not any(commands[name].isVisible() for name in ("finish", "most", "best"))
    assert commands["line"].isVisible()
    commands["close-exercise"].trigger()
    assert not page.panes.numbers.isHidden()
    assert commands["finish"].isVisible()


def test_a_teacher_makes_an_exercise_of_what_is_shown(page, tmp_path, monkeypatch):
    path = tmp_path / "mine.pcalab"
    monkeypatch.setattr("pcaimage.gui.lab.desk.ask_write", lambda *_: path)
    page.commands.by_name["finish"].trigger()
    page.commands.by_name["hide-finish"].setChecked(True)
    page.panes.spectrum.kChosen.emit(2, True)
    for question, kind, place, own in (
        ("What does the first two keep?", "shares", "2", ""),
        ("And a number?", "own", "", "1,5"),
        ("And a word?", "own", "", "Jacobi"),
        ("Do it.", "task", "", ""),
    ):
        page.desk.ask_exercise()
        dialog = next(each for each in page.findChildren(QDialog) if isinstance(each, ExerciseDialog))
        dialog.title.setText("Mine")
        dialog.question.setText(question)
        dialog.answer.setCurrentIndex(dialog.answer.findData(kind))
        dialog.place.setText(place)
        dialog.own.setText(own)
        dialog.hints.setPlainText("One.\n\nTwo.")
        dialog.accept()
        dialog.setParent(None)
        assert page.messages.text == ""
    found = Exercise.read(path.read_bytes(), "mine")
    assert [each.answer for each in found.questions] == [(), (1.5,), "Jacobi", ()]
    assert found.questions[0].at == (2,)
    assert found.questions[0].hints == ("One.", "Two.")
    assert found.hidden == {"finish"}
    assert found.state().k == 2
    assert found.state().basis.off_diagonal == pytest.approx(0, abs=1e-9)
    assert page.desk.sitting.exercise.title == "Mine"
    page.desk.ask_exercise()
    dialog = next(each for each in page.findChildren(QDialog) if isinstance(each, ExerciseDialog))
    dialog.accept()
    assert "needs a question" in page.messages.text


def test_worksheets_and_answers_are_written(page, tmp_path, monkeypatch):
    page.open_file(FOLDER / "tacos-1-normalise.pcalab")
    check(page, "4 5 6")
    for suffix, name in (
        (".pdf", "blank-sheet"),
        (".md", "filled-sheet"),
        (".tex", "filled-sheet"),
        (".md", "answers"),
    ):
        path = tmp_path / f"{name}{suffix}"
        monkeypatch.setattr("pcaimage.gui.lab.desk.ask_write", lambda *_, path=path: path)
        page.commands.by_name[name].trigger()
        assert page.messages.text == ""
    assert (tmp_path / "blank-sheet.pdf").read_bytes().startswith(b"%PDF-")
    assert (tmp_path / "blank-sheet.pdf").read_bytes().rstrip().endswith(b"%%EOF")
    assert "| x̄ | 4 | 5 | 6 |" in (tmp_path / "filled-sheet.md").read_text("utf-8")
    assert "What are the means? | 4 5 6 | yes | 1 | 0 |" in (tmp_path / "answers.md").read_text("utf-8")
    monkeypatch.setattr("pcaimage.gui.lab.desk.ask_write", lambda *_: tmp_path / "a.odt")
    page.commands.by_name["blank-sheet"].trigger()
    assert "not .odt" in page.messages.text


def test_shipped_exercises_are_in_the_menu(page):
    (menu,) = page.commands.menus["Exercise"].findChildren(QMenu)
    titles = [action.text() for action in menu.actions()]
    assert len(titles) == len(list(FOLDER.iterdir()))
    menu.actions()[0].trigger()
    assert page.desk.sitting.exercise.title == "Principal Component Analysis 1: the best code"


def test_an_exercise_opens_in_the_lab_wherever_files_open(user, qtbot):
    opened = []
    user.window.files.tableRequested.disconnect()
    user.window.files.tableRequested.connect(lambda path: opened.append(user.window.lab.open_table(path)))
    user.open(FOLDER / "notes-6-power.pcalab")
    user.until(lambda: bool(opened))
    assert user.window.messages.text == ""
    pages = [each for each in user.window.findChildren(LabPage) if each.desk.sitting is not None]
    qtbot.addWidget(pages[0].window())
    assert pages[0].task.task.text().endswith("Come within 1° of the first component.")
    pages[0].commands.by_name["power"].trigger()
    assert "power" in pages[0].state.step

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from pcaimage.gui import dialogs
from pcaimage.gui.session.several import Several
from pcaimage.imaging import format_of_path


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    parent = QWidget()
    qtbot.addWidget(parent)
    return parent


def answer(monkeypatch: pytest.MonkeyPatch, code: int) -> list[QFileDialog]:
    """Let file dialogs be answered at once, and give those that were."""
    shown: list[QFileDialog] = []

    def execute(dialog: QFileDialog) -> int:
        shown.append(dialog)
        return code

    monkeypatch.setattr(QFileDialog, "exec", execute)
    return shown


def test_saving_suggests_the_name_and_asks_before_it_replaces(
    parent: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = answer(monkeypatch, QFileDialog.DialogCode.Accepted)
    assert dialogs.ask_save(parent, str(tmp_path), "tulip") == tmp_path / "tulip.pcai"
    assert not shown[0].testOption(QFileDialog.Option.DontConfirmOverwrite)
    assert shown[0].defaultSuffix() == "pcai"


def test_exporting_asks_for_a_name_with_the_ending_of_the_format(
    parent: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = answer(monkeypatch, QFileDialog.DialogCode.Accepted)
    path = dialogs.ask_export(parent, str(tmp_path), "tulip", format_of_path("a.webp"))
    assert path == tmp_path / "tulip.webp"
    assert shown[0].nameFilters() == ["WebP (*.webp)"]
    assert shown[0].defaultSuffix() == "webp"
    assert not shown[0].testOption(QFileDialog.Option.DontConfirmOverwrite)


def test_a_dialog_that_is_cancelled_names_no_file(
    parent: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, QFileDialog.DialogCode.Rejected)
    assert dialogs.ask_save(parent, str(tmp_path), "tulip") is None
    assert dialogs.ask_export(parent, str(tmp_path), "tulip", format_of_path("a.png")) is None


def test_several_files_can_be_opened(parent: QWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (["a.png", "b.png"], ""))
    assert dialogs.ask_open(parent, "") == ["a.png", "b.png"]


def test_a_file_name_in_a_question_is_never_markup(parent: QWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[QMessageBox] = []

    def answer_no(box: QMessageBox) -> int:
        shown.append(box)
        assert box.textFormat() == Qt.TextFormat.PlainText
        assert "<b>tulip</b>.jpg" in box.text()
        return int(QMessageBox.StandardButton.Cancel.value)

    monkeypatch.setattr(QMessageBox, "exec", answer_no)
    assert not dialogs.ask_sure(parent, "Remove", "Remove <b>tulip</b>.jpg?", "Remove")
    assert shown


def test_a_question_how_files_are_opened_is_answered_once_or_goes(parent: QWidget) -> None:
    answers: list[tuple[str, bool]] = []
    several = Several(("a.png", "b.png"), (1, 2), ("separate", "stack"), (3, 4))
    dialogs.ask_several(parent, several, lambda way, always: answers.append((way, always)))
    (box,) = parent.findChildren(QMessageBox)
    assert box.isVisible()
    dialogs.drop_questions(parent)
    assert not box.isVisible()
    assert not answers

    def then(way: str, always: object) -> None:
        answers.append((way, bool(always)))
        dialogs.drop_questions(parent)  # as whoever opens an image does

    dialogs.ask_several(parent, several, then)
    box = next(each for each in parent.findChildren(QMessageBox) if each.isVisible())
    box.checkBox().setChecked(True)
    next(button for button in box.buttons() if "tack" in button.text()).click()
    assert answers == [("stack", True)]

import platform

import numpy as np
import pytest
from PIL import features
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel, QMessageBox, QWidget

import pcaimage
from pcaimage.gui import dialogs
from pcaimage.gui.commands.help import AboutDialog, facts
from pcaimage.gui.dialogs import open_once
from pcaimage.gui.session.opening import Several
from pcaimage.imaging.image.formats import format_of_path


@pytest.fixture
def parent(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    return parent


def answer(monkeypatch, code):
    """Let file dialogs be answered at once, and give those that were."""
    shown = []

    def execute(dialog):
        shown.append(dialog)
        return code

    monkeypatch.setattr(QFileDialog, "exec", execute)
    return shown


def test_saving_and_exporting_suggest_a_name_with_its_ending_and_ask_before_they_replace(
    parent, tmp_path, monkeypatch
):
    shown = answer(monkeypatch, QFileDialog.DialogCode.Accepted)
    assert dialogs.ask_save(parent, str(tmp_path), "tulip") == tmp_path / "tulip.pcai"
    path = dialogs.ask_export(parent, str(tmp_path), "tulip", format_of_path("a.webp"))
    assert path == tmp_path / "tulip.webp"
    assert shown[1].nameFilters() == ["WebP (*.webp)"]
    assert [each.defaultSuffix() for each in shown] == ["pcai", "webp"]
    assert not any(each.testOption(QFileDialog.Option.DontConfirmOverwrite) for each in shown)
    answer(monkeypatch, QFileDialog.DialogCode.Rejected)
    assert dialogs.ask_save(parent, str(tmp_path), "tulip") is None
    assert dialogs.ask_export(parent, str(tmp_path), "tulip", format_of_path("a.png")) is None


def test_several_files_can_be_opened(parent, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_, **__: (["a.png", "b.png"], ""))
    assert dialogs.ask_open(parent, "") == ["a.png", "b.png"]


def test_a_file_name_in_a_question_is_never_markup(parent, monkeypatch):
    shown = []

    def answer_no(box):
        shown.append(box)
        assert box.textFormat() == Qt.TextFormat.PlainText
        assert "<b>tulip</b>.jpg" in box.text()
        return int(QMessageBox.StandardButton.Cancel.value)

    monkeypatch.setattr(QMessageBox, "exec", answer_no)
    assert not dialogs.ask_sure(parent, "Remove", "Remove <b>tulip</b>.jpg?", "Remove")
    assert shown


def test_a_question_how_files_are_opened_is_answered_once_or_goes(parent):
    answers = []
    several = Several(("a.png", "b.png"), (1, 2), ("separate", "stack"), (3, 4))
    dialogs.ask_several(parent, several, lambda way, always: answers.append((way, always)))
    (box,) = parent.findChildren(QMessageBox)
    assert box.isVisible()
    dialogs.drop_questions(parent)
    assert not box.isVisible()
    assert not answers

    def then(way, always):
        answers.append((way, bool(always)))
        dialogs.drop_questions(parent)  # as whoever opens an image does

    dialogs.ask_several(parent, several, then)
    box = next(each for each in parent.findChildren(QMessageBox) if each.isVisible())
    box.checkBox().setChecked(True)
    next(button for button in box.buttons() if "tack" in button.text()).click()
    assert answers == [("stack", True)]


def test_what_a_report_needs_is_said(qtbot):
    dialog = AboutDialog()
    qtbot.addWidget(dialog)
    found = facts()
    assert found["pcaimage"] == pcaimage.__version__
    assert found["Python"].startswith(platform.python_version())
    assert found["NumPy"] == np.__version__
    for name in ("Qt", "Pillow", "Linear algebra", "AVIF", "JPEG 2000", "System"):
        assert found[name]
    shown = {label.text() for label in dialog.findChildren(QLabel)}
    assert set(found) | set(found.values()) <= shown
    assert any("MIT licence" in text for text in shown)


def test_everything_can_be_copied_for_a_report_and_what_pillow_lacks_is_said(qtbot, on_screen, monkeypatch):
    monkeypatch.setattr(features, "check", lambda feature: feature != "avif")
    dialog = on_screen(AboutDialog())
    qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == f"pcaimage: {pcaimage.__version__}"
    assert len(lines) == len(facts())
    assert dialog.copy.text() == "Copied"
    assert "AVIF: not part of this installation" in dialog.text
    assert "WebP: not" not in dialog.text


def test_it_goes_when_it_is_closed(qtbot, on_screen):
    parent = on_screen(QWidget())
    dialog = AboutDialog(parent)
    open_once(dialog)
    assert dialog.isVisible()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: parent.findChild(AboutDialog) is None)

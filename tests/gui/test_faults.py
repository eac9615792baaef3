"""Errors that nobody foresaw, in slots, threads and jobs of the window."""

import sys
import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from pcaimage.gui.commands.faults import ReportDialog
from pcaimage.machine import reports

pytestmark = pytest.mark.usefixtures("own_reports")


def fail(*_):
    raise ZeroDivisionError("a fault")


def told(user):
    return user.message.startswith(
        "Something unexpected went wrong (ZeroDivisionError: a fault). A report is in"
    )


def test_a_job_that_fails_is_told_with_its_report(user, qtbot):
    user.session.jobs.submit("estimate", fail)
    user.until(lambda: told(user))
    assert user.window.messages.action.text() == "Show Report…"
    qtbot.mouseClick(user.window.messages.action, Qt.MouseButton.LeftButton)
    (dialog,) = user.window.findChildren(ReportDialog)
    text = dialog.shown.toPlainText()
    assert "ZeroDivisionError: a fault" in text
    assert "in fail" in text
    qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == text
    assert dialog.copy.text() == "Copied"
    dialog.close()


def test_a_slot_that_fails_is_told(user):
    before = sys.excepthook, threading.excepthook
    with user.window.faults.catching():
        # Qt's binding hands what a slot raises to this hook; the tests' own stands in its way.
        try:
            fail()
        except ZeroDivisionError as error:
            sys.excepthook(type(error), error, error.__traceback__)
        user.until(lambda: told(user))
        user.window.messages.clear()
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        user.until(lambda: told(user))
    assert (sys.excepthook, threading.excepthook) == before
    assert len(list((reports.private_folder("reports")).iterdir())) == 1


def test_an_interrupt_is_no_fault(user, capsys):
    with user.window.faults.catching():
        sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert not user.message
    assert "KeyboardInterrupt" in capsys.readouterr().err


def test_without_a_place_for_reports_the_sentence_says_where(user, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    monkeypatch.setenv("LOCALAPPDATA", "/dev/null")
    user.session.jobs.submit("estimate", fail)
    user.until(lambda: "It happened in test_faults.py" in user.message)
    assert not user.window.messages.action.isVisible()


@pytest.mark.slow
def test_a_report_that_was_removed_is_no_fault(user, tmp_path):
    user.window.faults.show_report(tmp_path / "gone.txt")
    (dialog,) = user.window.findChildren(ReportDialog)
    assert dialog.shown.toPlainText() == "The report was removed."
    dialog.close()

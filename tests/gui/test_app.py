import os
import signal
import sys

import pytest
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from pcaimage.gui import app
from pcaimage.gui.window import MainWindow


@pytest.mark.parametrize("typed", [True, False])
def test_files_of_the_command_line_and_of_the_system_are_opened(
    qtbot, qapp, photo, tmp_path, monkeypatch, typed
):
    settings = QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat)
    made = []

    def run(app):
        if not typed:
            app.event(QFileOpenEvent(str(photo)))
        windows = (each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow))
        made.extend(each for each in windows if each.isVisible())
        qtbot.waitUntil(lambda: any(each.session.state.document for each in made), timeout=20_000)
        return 7

    monkeypatch.setattr(app, "QSettings", lambda: settings)
    monkeypatch.setattr(QApplication, "exec", run)
    assert app.main([str(photo)] if typed else []) == 7
    (window,) = made
    qtbot.addWidget(window)
    assert window.session.state.document.name == "photo.png"
    assert not QApplication.windowIcon().isNull()
    assert qapp.applicationName() == "pcaimage"
    window.session.jobs.shutdown()


@pytest.mark.parametrize("name", app.ENDING)
def test_a_signal_ends_the_event_loop_and_leaves_other_handlers_as_they_were(qapp, name):
    number = getattr(signal, name)
    before = signal.getsignal(number)
    with app.ending_on_signals():
        QTimer.singleShot(0, lambda: os.kill(os.getpid(), number))
        assert qapp.exec() == 128 + number
    assert signal.getsignal(number) is before
    assert signal.set_wakeup_fd(-1) == -1


def test_the_program_ends_with_the_code_of_the_window(monkeypatch):
    monkeypatch.setattr(app, "main", len)
    monkeypatch.setattr(sys, "argv", ["pcaimage", "a.png", "b.png"])
    with pytest.raises(SystemExit) as caught:
        app.run()
    assert caught.value.code == 2

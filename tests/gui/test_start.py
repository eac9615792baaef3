"""The window starts whatever is stored of earlier ones, and whatever disks do."""

import errno
import os
import signal
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QRect, QSettings, QTimer
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from pcaimage.gui import app, slow_disks
from pcaimage.gui.app import make_window
from pcaimage.gui.lab.page import LabPage, LabWindow
from pcaimage.gui.preferences import Preferences, PreferenceValues
from pcaimage.gui.session.choice import Choice
from pcaimage.gui.window import MainWindow
from pcaimage.imaging.image.limits import Limits

TEXTS = "", "nonsense", "9" * 5000, "\0", "a\0b", "x" * 300, "\udcff"
WRONG = (
    7,
    -1.5,
    True,
    *TEXTS,
    ["a", 3, None, ["b"]],
    {"a": 1},
    QByteArray(b"\x00\xff\x01"),
    QRect(1, 2, 3, 4),
    None,
)


@pytest.fixture
def start(on_screen, look, settings, answers):
    assert answers
    made = []

    def start():
        window = on_screen(make_window(look, settings))
        made.append(window)
        return window

    yield start
    for window in made:
        window.session.jobs.shutdown()


def keys(settings):
    """Return every key that a window stores."""
    preferences = Preferences(settings)
    choice = Choice("bands", mnf=True)
    preferences.values = PreferenceValues("dark", choice=choice, limits=Limits(90_000_000, 400_000_000))
    preferences.folder = "/"
    preferences.remember("/a.png")
    preferences.remember_model("ab12", Path("/a.pcai"))
    preferences.keep("layout", "learn")
    return settings.allKeys()


def recent_of(window):
    return window.submenus["open-recent"]


def texts(menu):
    return [action.text() for action in menu.actions()]


@pytest.mark.parametrize("value", WRONG, ids=lambda value: f"{type(value).__name__}-{str(value)[:8]!a}")
@pytest.mark.slow
def test_values_of_wrong_types_are_ignored(start, settings, value):
    window = start()
    window.close()
    stored = keys(settings)
    assert {"files/recent", "files/folder", "window/geometry", "window/rows", "window/columns"} <= {*stored}
    for key in stored:
        settings.setValue(key, value)
    settings.sync()
    window = start()
    assert window.isVisible()
    preferences = window.preferences
    assert Path(preferences.folder).is_dir()
    assert preferences.model_path("ab12") is None
    preferences.remember("/b.png")
    assert preferences.recent[0] == "/b.png"


@pytest.mark.parametrize("value", WRONG[:4])
def test_each_value_is_judged_by_itself(settings, value):
    for key in keys(settings):
        settings.setValue(key, value)
        assert Preferences(settings).values
        assert Path(Preferences(settings).folder).is_dir()
        keys(settings)


@pytest.mark.qt_log_ignore("unknown user type", "propagateSizeHints")
def test_a_settings_file_that_is_no_settings_file_is_ignored(start, settings):
    settings.sync()
    Path(settings.fileName()).write_bytes(
        b"[files]\nrecent=@Variant(\\0\\0\\0\\x7f\\xff)\nfolder=@Invalid()\n[window]\ngeometry=@ByteArray(\\xff\n"
        b"rows=@Rect(1 2)\n\x00\xff[[[\nmost-pixels"
    )
    settings.sync()
    window = start()
    assert window.isVisible()
    assert window.preferences.recent == []


@pytest.mark.parametrize("code", [errno.EACCES, errno.ENAMETOOLONG, errno.ESTALE, errno.EIO, errno.ENXIO])
@pytest.mark.slow
def test_disks_that_fail_do_not_keep_the_window_from_starting(start, settings, monkeypatch, code):
    settings.setValue("files/recent", ["/gone/a.png", "/gone/b.png"])
    settings.setValue("files/folder", "/gone")
    settings.setValue("models/ab12", "/gone/model.pcai")
    real = Path.stat

    def stat(path, **options):
        if str(path).startswith("/gone"):
            raise OSError(code, "This disk fails", str(path))
        return real(path, **options)

    monkeypatch.setattr(Path, "stat", stat)
    window = start()
    assert window.isVisible()
    assert window.preferences.folder == str(Path.home())
    assert window.preferences.model_path("ab12") is None


@pytest.mark.slow
def test_a_file_that_only_may_be_gone_stays_in_the_list(start, settings, photo, qtbot):
    endless = str(photo.parent / ("x" * 300))
    settings.setValue("files/recent", [endless, str(photo), "a\0b"])
    recent = recent_of(start())
    qtbot.waitUntil(lambda: endless not in texts(recent) and "a\0b" not in texts(recent))
    assert str(photo) in texts(recent)


@pytest.mark.slow
def test_a_disk_that_does_not_answer_holds_nothing_up(start, settings, monkeypatch, photo, qtbot):
    """The disk answers when the test lets it, which is after the window was started, used and closed."""
    answer, asked = threading.Event(), threading.Event()
    real = Path.stat

    def stat(path, **options):
        if str(path).startswith("/slow"):
            asked.set()
            answer.wait(60)
            raise OSError(errno.ESTALE, "Stale file handle", str(path))
        return real(path, **options)

    monkeypatch.setattr(Path, "stat", stat)
    monkeypatch.setattr("pcaimage.gui.preferences.PATIENCE", 0.01)
    settings.setValue("files/recent", ["/slow/a.png", str(photo)])
    settings.setValue("files/folder", "/slow")
    settings.setValue("models/ab12", "/slow/model.pcai")
    try:
        window = start()
        qtbot.waitUntil(asked.is_set)
        assert texts(recent_of(window)) == ["/slow/a.png", str(photo), "Clear"]
        recent_of(window).aboutToShow.emit()
        assert window.preferences.folder == str(Path.home())
        assert window.preferences.model_path("ab12") is None
        window.files.open_paths([str(photo)])
        qtbot.waitUntil(lambda: window.session.state.document is not None, timeout=20_000)
        assert window.close()
        assert not answer.is_set()
    finally:
        answer.set()


def test_a_question_to_a_disk_has_an_answer_in_any_case():
    assert slow_disks.answer_within(60, lambda: 3, otherwise=4) == 3
    assert slow_disks.answer_within(60, lambda: Path("a\0b").stat().st_size, otherwise=4) == 4
    assert slow_disks.answer_within(60, lambda: Path("/no/such").stat().st_size, otherwise=4) == 4
    still = threading.Event()
    assert slow_disks.answer_within(0.01, lambda: still.wait(60), otherwise=False) is False
    still.set()


def test_windows_first_open_within_the_screen(start):
    window = start()
    lab = LabWindow(window, LabPage())
    lab.show()
    room = window.screen().availableSize()
    for each in (window, lab):
        assert each.size() == each.size().boundedTo(room)
        assert each.width() > room.width() / 2


@pytest.mark.slow
def test_keys_go_to_the_pictures_of_a_file_that_the_program_starts_with(qtbot, look, settings, photo):
    window = make_window(look, settings, [str(photo)])
    qtbot.addWidget(window)
    assert window.focusWidget() is window.opening  # and not a widget that would keep it
    window.show()
    window.activateWindow()
    qtbot.waitActive(window)
    qtbot.waitUntil(lambda: window.session.state.document is not None)
    assert window.focusWidget() is window.compare.reconstruction
    window.session.jobs.shutdown()


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

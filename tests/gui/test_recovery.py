"""Open images are recorded, and offered again after a crash."""

import faulthandler
import json
import os
import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt

import pcaimage
from pcaimage.codec import Basis, Tune
from pcaimage.gui.commands import recovery
from pcaimage.gui.commands.faults import ReportDialog
from pcaimage.gui.commands.recovery import FAULTS, FOLDER, OPEN, abandoned_records, new_record
from pcaimage.gui.session.choice import Choice, Goal, Setting
from pcaimage.gui.session.display import Look
from pcaimage.gui.session.kept import Kept, kept_from, kept_of
from pcaimage.gui.session.requests import Choose, Keep, ShowBands
from pcaimage.machine.folders import private_folder, state_folder


@pytest.fixture(autouse=True)
def _own_state(own_reports, monkeypatch):  # noqa: ARG001
    monkeypatch.setattr(recovery, "PACE", 0)


@pytest.fixture
def records():
    return private_folder(FOLDER)


@pytest.fixture
def noting(window):
    window.recovery.begin()
    yield window.recovery
    window.recovery.end(by_user=True)


def notes(records):
    return [json.loads(note.read_bytes()) for note in records.glob(f"*/{OPEN}")]


def crashed(records, kept, faults=""):
    """Leave what a crashed window leaves, and return its folder."""
    record = new_record(records)
    if kept is not None:
        record.write(kept.to_values())
    if faults:
        (record.folder / FAULTS).write_text(faults)
    record.release()
    return record.folder


def noted(user, records):
    """Wait until the window's state is noted, and return the note."""
    user.rest()
    kept = kept_of(user.state)
    values = json.loads(json.dumps(kept.to_values()))
    user.until(lambda: values in notes(records))
    return kept


def reopened(user, kept):
    """Close the image, and open it again."""
    user.session.close()
    user.session.reopen(kept)
    user.until(lambda: user.state.ready or user.state.fitted)
    user.rest()


@pytest.mark.slow
def test_what_is_open_is_noted_and_a_closed_window_leaves_nothing(user, noting, records, photo):
    assert not notes(records)
    user.open(photo)
    user.session.request(Keep(7, final=True))
    kept = noted(user, records)
    assert (kept.paths, kept.setting, kept.touched) == ((str(photo),), user.state.setting, True)
    assert all(file.stat().st_mode & 0o077 == 0 for file in records.glob("*/*"))
    user.session.close()
    user.until(lambda: not notes(records))
    noting.end(by_user=True)
    assert not list(records.iterdir())


def test_a_window_that_is_ended_by_a_signal_leaves_changed_settings(user, noting, records, photo):
    user.open(photo)
    noting.end(by_user=False)
    assert not list(records.iterdir())
    noting.begin()
    user.session.request(Keep(7, final=True))
    noting.end(by_user=False)
    (note,) = notes(records)
    assert note["setting"]["k"] == 7


def test_a_compressed_file_comes_back(user, noting, records, compressed):
    assert noting
    user.open(compressed)
    user.session.request(Keep(4, final=True))
    reopened(user, noted(user, records))
    assert user.state.setting.k == 4


@pytest.mark.slow
def test_many_bands_come_back_with_their_look(user, noting, records, draw, tmp_path):
    assert noting
    user.open(draw(tmp_path / "cube.tif", 24, 20, 9))
    look = Look("own", (7, 3, 1), (2.0, 98.0))
    user.session.request(ShowBands(look))
    user.session.request(Choose(method="bands", max_error=3.0))
    user.rest()
    reopened(user, noted(user, records))
    assert user.state.look == look
    assert user.state.choice.max_error == 3.0


def test_a_sample_comes_back_and_what_was_pasted_is_not_noted(session_user):
    session_user.session.open_sample("camera")
    session_user.rest()
    kept = kept_of(session_user.state)
    assert kept is not None
    reopened(session_user, kept)
    assert session_user.state.document.name == "camera"
    session_user.session.open_image(pcaimage.Image(np.zeros((8, 8, 3), np.uint8)))
    assert kept_of(session_user.state) is None


@pytest.mark.slow
def test_settings_of_another_file_of_the_name_are_not_used(session_user, photo, draw):
    session_user.open(photo)
    session_user.session.request(Keep(7, final=True))
    kept = kept_of(session_user.state)
    photo.unlink()
    draw(photo, 12, 12, 1)
    reopened(session_user, kept)
    assert session_user.state.setting != kept.setting


def test_what_was_open_in_a_crashed_window_is_offered(user, records, photo, qtbot):
    setting = Setting(5, None)
    kept = Kept("photo.png", (str(photo),), Choice("blocks", 4), setting, touched=True, seal=seal(photo))
    left = crashed(records, kept)
    noting = user.window.recovery
    noting.begin()
    noting.offer()
    bar = user.window.messages
    assert bar.text == "pcaimage ended unexpectedly while photo.png was open."
    assert not bar.other.isVisible()
    assert abandoned_records(records) == []  # no other window offers it at the same time
    qtbot.mouseClick(bar.action, Qt.MouseButton.LeftButton)
    user.until(lambda: user.state.fitted and user.state.setting == setting)
    assert not bar.text
    user.until(lambda: not left.exists())
    assert [note["name"] for note in notes(records)] == ["photo.png"]
    noting.end(by_user=True)
    assert not list(records.iterdir())


def seal(path):
    return path.stat().st_size, path.stat().st_mtime_ns


@pytest.fixture
def offered(noting, records):
    """Leave what a crashed window leaves, and offer it."""

    def offered(kept, faults=""):
        noting.end(by_user=True)
        left = crashed(records, kept, faults)
        noting.begin()
        noting.offer()
        return left

    return offered


def test_what_is_declined_is_removed(user, photo, offered):
    left = offered(Kept("photo.png", (str(photo),), Choice(), None))
    assert user.message == "pcaimage ended unexpectedly while photo.png was open."
    user.window.messages.dismiss()
    assert not left.exists()


@pytest.mark.slow
def test_what_nobody_decided_on_is_offered_again(user, records, photo, noting, offered):
    left = offered(Kept("gone.png", (str(photo.with_name("gone.png")),), Choice(), None))
    user.window.messages.action.click()
    user.until(lambda: "gone.png" in user.message and "ended" not in user.message)
    assert left.exists()  # it could not be opened: a disk may come back
    noting.end(by_user=True)
    (record,) = abandoned_records(records)
    assert record.folder == left
    record.remove()


def test_a_hard_crash_has_a_report(user, photo, qtbot, offered):
    kept = Kept("photo.png", (str(photo),), Choice(), None)
    left = offered(kept, "Fatal Python error: Segmentation fault\n")
    bar = user.window.messages
    assert bar.other.isVisible()
    qtbot.mouseClick(bar.other, Qt.MouseButton.LeftButton)
    (dialog,) = user.window.findChildren(ReportDialog)
    assert "Segmentation fault" in dialog.shown.toPlainText()
    dialog.close()
    assert not (left / FAULTS).exists()  # it is told once
    (left / OPEN).unlink()
    offered(None, "Fatal Python error: Aborted\n")
    assert user.message == "pcaimage ended unexpectedly the last time."
    assert bar.action.text() == "Show Report…"
    assert len(list((state_folder() / "reports").iterdir())) == 2


def test_the_interpreter_notes_where_it_crashed(window, records, monkeypatch):
    enabled = []
    monkeypatch.setattr(faulthandler, "is_enabled", lambda: False)
    monkeypatch.setattr(faulthandler, "enable", enabled.append)
    monkeypatch.setattr(faulthandler, "disable", enabled.clear)
    window.recovery.begin()
    (file,) = enabled
    assert Path(file.name).parent.parent == records
    window.recovery.end(by_user=True)
    assert not enabled


def test_records_of_no_use_are_removed(records):
    kept = Kept("a.png", ("/a.png",), Choice(), None)
    crashed(records, None)
    old = crashed(records, kept)
    for path in (*old.iterdir(), old):
        os.utime(path, (time.time() - 40 * 86_400,) * 2)
    damaged = crashed(records, None)
    (damaged / OPEN).write_bytes(b"[1, 2")
    new = crashed(records, kept)
    (found,) = abandoned_records(records)
    assert found.folder == new
    assert list(records.iterdir()) == [new]
    found.release()


def test_a_home_that_cannot_be_written_to_keeps_no_window_from_starting(window, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/state")
    window.recovery.begin()
    window.recovery.offer()
    window.recovery.end(by_user=False)
    assert not window.messages.text


def test_a_full_disk_is_not_told_with_every_note(records, monkeypatch):
    record = new_record(records)
    record.write({"a": 1})

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    record.write({"a": 2})
    assert record.read() == {"a": 1}
    record.remove()


WHOLE = Kept(
    "a.png",
    ("/a.png",),
    Choice("bands", 16, standardize=True, basis=Basis.OWN, max_error=2.5, nodata=-9999.0, tune=Tune.EYE),
    Setting(3, 1.5, frozenset({1, 2}), 1.25, lossless=True, for_psnr=True),
    Goal("psnr", 41.5),
    "/model.pcai",
    "bands",
    salvage=True,
    frame=300,
    look=Look("own", (1, 2, 3), (0.1, 99.9)),
    touched=True,
    seal=(5, 6),
)


def test_notes_are_read_as_they_were_written():
    assert kept_from(json.loads(json.dumps(WHOLE.to_values()))) == WHOLE
    surrogate = Kept("\udcff.png", ("/\udcff.png",), Choice(), None)
    assert kept_from(json.loads(json.dumps(surrogate.to_values()))) == surrogate


@pytest.mark.parametrize("value", [None, 7, "x", [], {}, [1, 2, 3], -1, 1e400])
@pytest.mark.parametrize("key", WHOLE.to_values())
@pytest.mark.sweep(21)
def test_notes_that_make_no_sense_are_ignored(key, value):
    found = kept_from({**WHOLE.to_values(), key: value})
    assert found is None or isinstance(found, Kept)
    missing = WHOLE.to_values()
    del missing[key]
    assert kept_from(missing) is None

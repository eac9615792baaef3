"""Temporary files of processes that were killed are removed, and no others."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pcaimage.imaging.disk.atomic import atomic_write, remove_abandoned, temporary_file, temporary_folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files are locked by POSIX means")

WRITING = """
import sys, time
from pathlib import Path
from pcaimage.imaging.disk.atomic import temporary_file, temporary_folder
place = Path(sys.argv[1])
with temporary_file(place, private=True) as (_, file), temporary_folder(place, private=True) as folder:
    file.write(b"half")
    file.close()
    (folder / "band_001.tif").write_bytes(b"half")
    print("ready", flush=True)
    time.sleep(60)
"""


def save(folder):
    def write(file):
        file.write(b"whole")

    atomic_write(folder / "saved", write, overwrite=True)


@pytest.mark.slow
def test_what_a_killed_process_left_is_removed_by_the_next_save_and_not_before(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", WRITING, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        save(tmp_path)
        assert len(list(tmp_path.glob(".pcaimage-*"))) == 2
        process.send_signal(signal.SIGKILL)
    save(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["saved"]


def test_two_writers_in_one_process_leave_each_other_alone(tmp_path):
    with (
        temporary_file(tmp_path, private=False) as (path, file),
        temporary_folder(tmp_path, private=False) as folder,
    ):
        assert file.name == str(path)
        file.close()  # as before it is verified
        save(tmp_path)
        assert path.exists()
        assert folder.exists()
    assert [entry.name for entry in tmp_path.iterdir()] == ["saved"]


def test_only_files_with_the_name_of_a_temporary_file_are_removed(tmp_path):
    for name in (".pcaimage-0123456789ab.tmp", ".pcaimage-settings.tmp", "pcaimage-0123456789ab.tmp"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "kept").write_bytes(b"")
    (tmp_path / ".pcaimage-aaaaaaaaaaaa.tmp").symlink_to("kept")
    os.mkfifo(tmp_path / ".pcaimage-bbbbbbbbbbbb.tmp")
    remove_abandoned(tmp_path)
    left = {entry.name for entry in tmp_path.iterdir()}
    assert left == {
        ".pcaimage-settings.tmp",
        "pcaimage-0123456789ab.tmp",
        "kept",
        ".pcaimage-aaaaaaaaaaaa.tmp",
        ".pcaimage-bbbbbbbbbbbb.tmp",
    }


def test_a_new_file_that_another_process_takes_for_abandoned_is_created_again(tmp_path, monkeypatch):
    import fcntl  # there is none on Windows

    locked = fcntl.flock
    removed = list[Path]()

    def flock(number, how):
        if not removed:
            removed.extend(tmp_path.iterdir())
            removed[0].unlink()
        locked(number, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    with temporary_file(tmp_path, private=False) as (path, _):
        assert path.exists()
        assert path not in removed


def test_a_file_system_without_locks_will_do(tmp_path, monkeypatch):
    import fcntl  # there is none on Windows

    def flock(*_):
        raise OSError("no locks")

    monkeypatch.setattr(fcntl, "flock", flock)
    (tmp_path / ".pcaimage-0123456789ab.tmp").write_bytes(b"")
    save(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2  # nobody knows whether it is still written

"""Crash reports, and what the command line says of errors that nobody foresaw."""

import subprocess
import sys
from pathlib import Path

import pytest

from pcaimage.machine import folders, reports

pytestmark = pytest.mark.usefixtures("own_reports")


def fault(text="x"):
    with pytest.raises(KeyError) as caught:
        {}[text]
    return caught.value


def written():
    return sorted((folders.state_folder() / "reports").iterdir())


def test_a_report_has_what_a_fault_needs_and_is_private(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    path = reports.write_report(fault(f"{tmp_path}/photo \udcff.png"))
    text = path.read_text()
    for part in (
        "KeyError: '~/photo",
        "Traceback",
        "pcaimage: ",
        "numpy: ",
        "pillow: ",
        "Python: ",
        "System: ",
    ):
        assert part in text
    assert str(tmp_path) not in text
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_a_fault_that_returns_is_reported_once():
    first = reports.write_report(fault("a"))
    assert reports.write_report(fault("b")) == first
    assert written() == [first]
    with pytest.raises(ValueError, match="x") as caught:
        int("x")
    assert reports.write_report(caught.value) != first


def test_only_the_newest_reports_are_kept(monkeypatch):
    monkeypatch.setattr(reports, "KEPT", 3)
    found = [reports.write_text(f"number {number}") for number in range(5)]
    assert len(written()) == 3
    assert None not in found
    monkeypatch.setattr(reports, "written", dict.fromkeys([("a", ""), ("b", ""), ("c", "")], Path()))
    assert reports.write_report(fault()) is None


def test_the_sentence_says_where_the_report_is(monkeypatch):
    error = fault()
    path = reports.write_report(error)
    said = reports.sentence_of(error, path)
    what = "Something unexpected went wrong (KeyError: 'x')."
    assert said == f"{what} A report is in {path}; it was not sent anywhere."
    assert reports.sentence_of(AssertionError(), None) == (
        "Something unexpected went wrong (AssertionError). It happened in the program; please report it."
    )
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    monkeypatch.setenv("LOCALAPPDATA", "/dev/null")
    monkeypatch.setattr(reports, "written", {})
    assert reports.write_report(error) is None
    assert "It happened in test_reports.py, line" in reports.sentence_of(error, None)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"XDG_STATE_HOME": "/a/b"}, "/a/b/pcaimage"),
        ({"XDG_STATE_HOME": "relative"}, "/users/me/.local/state/pcaimage"),
        ({"XDG_STATE_HOME": ""}, "/users/me/.local/state/pcaimage"),
    ],
)
@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="folders of Linux")
def test_the_folder_is_that_of_the_platform(monkeypatch, variables, expected):
    monkeypatch.setenv("HOME", "/users/me")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert folders.state_folder() == Path(expected)


def test_a_user_without_a_home_has_no_folder(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(OSError, match="no home"):
        folders.state_folder()


@pytest.mark.slow
def test_the_command_line_says_a_sentence_and_writes_a_report(tmp_path):
    code = """
import sys
from pcaimage.cli import main, info
def fail(*_, **__):
    raise ZeroDivisionError("a fault")
info.info = fail
sys.argv = ["pcaimage", "info", "a.pcai"]
main.run()
"""
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert found.stdout == ""
    (report,) = written()
    assert found.stderr == (
        "pcaimage: Something unexpected went wrong (ZeroDivisionError: a fault). "
        f"A report is in {report}; it was not sent anywhere.\n"
    )
    assert "ZeroDivisionError: a fault" in report.read_text()

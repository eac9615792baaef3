import builtins
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from pcaimage.cli import window


@pytest.fixture(autouse=True)
def _listens_for_no_other_start(monkeypatch):
    """Have each start be the only one: the process of the tests would wait for itself to answer."""
    monkeypatch.setattr(window, "address", lambda: None)


@pytest.fixture
def opened(monkeypatch):
    """Stand in for the window, and note what it is asked to open."""
    calls = []
    program = ModuleType(window.PROGRAM)

    def main(files, _address):
        calls.append(files)
        return 7 if str(Path("seven").absolute()) in files else 0

    program.main = main
    monkeypatch.setitem(sys.modules, window.PROGRAM, program)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    return calls


def test_the_window_opens_the_files_that_are_named(done, opened):
    done("gui", "a.png", "b.pcai")
    assert opened == [[str(Path(name).absolute()) for name in ("a.png", "b.pcai")]]


def test_the_window_opens_an_array_of_one_file(done, refused, opened):
    done("gui", "era.nc", "--array", "t", "--select", "time=0", "--select", "level=850.")
    assert opened == [[str(Path("era.nc::t[time=0,level=850.]").absolute())]]
    assert "choose an array of one file" in refused("gui", "a.nc", "b.nc", "--array", "t")


def test_the_windows_exit_code_is_the_programs(command, opened):
    assert (command("gui", "seven").exit_code, len(opened)) == (7, 1)


def test_qts_hook_on_imports_does_not_stay(done, opened, monkeypatch):
    plain = builtins.__import__

    def load(name):
        if name == window.QT:
            monkeypatch.setattr(builtins, "__import__", partial(plain))
            return ModuleType(name)
        return import_module(name)

    monkeypatch.setattr(window, "importlib", SimpleNamespace(import_module=load))
    done()
    assert opened == [[]]
    assert builtins.__import__ is plain


def test_without_a_screen_it_says_so(refused, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert "There is no screen" in refused()
    assert "There is no screen" in refused("gui", "a.png")


def test_any_kind_of_screen_will_do_and_other_systems_have_one_without_saying():
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        window.check_screen({name: "x"}, "linux")
    window.check_screen({}, "darwin")
    window.check_screen({}, "win32")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            ModuleNotFoundError("No module named 'PySide6'", name="PySide6"),
            "PySide6 is not installed; `pip install PySide6-Essentials`",
        ),
        (
            ImportError("libEGL.so.1: cannot open shared object file: No such file", name="PySide6.QtGui"),
            "Qt needs libEGL.so.1, which this system does not have",
        ),
        (
            ImportError("DLL load failed while importing QtCore"),
            "The window cannot be opened: DLL load failed while importing QtCore.",
        ),
    ],
)
def test_without_pyside_or_a_library_it_says_how_to_get_it(refused, monkeypatch, error, told):
    def fail(_):
        raise error

    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setattr(window, "importlib", SimpleNamespace(import_module=fail))
    assert told in refused("gui")

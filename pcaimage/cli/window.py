"""``pcaimage gui``: opening the window from the command line.

The window is started by its module's name with a list of files; neither part imports the other, which keeps
Qt out of every other command.
"""

from __future__ import annotations

import builtins
import gc
import importlib
import os
import re
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType

from pcaimage.errors import CoreError, PcaImageError, SettingsError
from pcaimage.machine.handover import PART, address, hand_over, listens

PROGRAM = "pcaimage.gui.app"  # the window's module, whose ``main(files, address)`` returns an exit code

AHEAD = "pcaimage.gui.session.ahead"
"""The module whose ``begin(files)`` opens files while the window is loaded; its ``stop()`` ends that."""

QT, CORE = "PySide6.QtCore", "pcaimage.core.library"

_PACKAGES = {"PySide6": "PySide6-Essentials", "pyqtgraph": "pyqtgraph"}
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


class WindowError(PcaImageError):
    """The window cannot be opened on this machine."""


def open_window(files: Sequence[str], member: str | None = None, *, new_window: bool = False) -> int:
    """Open the window with files, or one array of a file; wait until it is closed, and return its exit code.

    A window that is already open takes the files, unless a new one is requested.
    """
    check_screen(os.environ, sys.platform)
    files = [os.path.abspath(file) for file in files]  # noqa: PTH100 - links stay as they are named
    if member is not None:
        if len(files) != 1:
            raise SettingsError("--array and --select choose an array of one file.")
        files = [PART.join((*files, member))]
    where = None if new_window else address()
    if hand_over(files, where):
        return 0
    collects = gc.isenabled()
    gc.disable()  # imported modules are never freed
    try:
        # Nothing works without the core, even if the window could be shown.
        importlib.import_module(CORE).check()
        program = _program(files)
    except CoreError:
        raise
    except ImportError as error:
        raise WindowError(_reason(error)) from error
    finally:
        if collects:
            gc.enable()
    return int(program.main(files, where if listens() else None))


def _program(files: list[str]) -> ModuleType:
    """Load the window, and begin to open files meanwhile."""
    if not files:
        return _loaded()
    ahead = importlib.import_module(AHEAD)
    ahead.begin(files)
    try:
        return _loaded()
    except BaseException:
        ahead.stop()
        raise


def _loaded() -> ModuleType:
    """Load Qt, whose hook on imports would read the source of every module to come, and then the window."""
    plain = builtins.__import__
    importlib.import_module(QT)
    builtins.__import__ = plain
    return importlib.import_module(PROGRAM)


def check_screen(environment: Mapping[str, str], platform: str) -> None:
    """Raise an error if there is no screen, as Qt would abort the program."""
    if platform.startswith("linux") and not any(environment.get(name) for name in _SCREENS):
        raise WindowError(
            "There is no screen to open the window on: neither DISPLAY nor WAYLAND_DISPLAY is set; "
            "`pcaimage --help` lists the commands that work without one."
        )


def _reason(error: ImportError) -> str:
    """Describe what is missing, judging by the message of Python or of the system's loader."""
    library = re.match(r"(\S+): cannot open shared object file", str(error))
    if library is not None:
        return (
            f"The window cannot be opened: Qt needs {library[1]}, which this system does not have; "
            "`pcaimage doctor` says by which command it is installed."
        )
    package = (error.name or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and package in _PACKAGES:
        return f"The window cannot be opened: {package} is not installed; `pip install {_PACKAGES[package]}`."
    return f"The window cannot be opened: {error}."

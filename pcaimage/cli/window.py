"""Opening the window from the command line.

The window is a program of its own: it is started by its name and a list of files, and neither part knows
anything else of the other. That keeps Qt out of every other command.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Mapping, Sequence

from pcaimage.errors import PcaImageError

PROGRAM = "pcaimage.gui.app"
"""Its ``main(files)`` returns an exit code."""

_PACKAGES = {"PySide6": "PySide6-Essentials", "pyqtgraph": "pyqtgraph"}
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


class WindowError(PcaImageError):
    """The window cannot be opened on this machine."""


def open_window(files: Sequence[str]) -> int:
    """Open the window, and wait until it is closed.

    Parameters
    ----------
    files : sequence of str
        What it opens.

    Returns
    -------
    int
        The exit code.

    Raises
    ------
    WindowError
        If Qt, a library that it needs, or a screen is missing.
    """
    check_screen(os.environ, sys.platform)
    try:
        program = importlib.import_module(PROGRAM)
    except ImportError as error:
        raise WindowError(_reason(error)) from error
    return int(program.main(list(files)))


def check_screen(environment: Mapping[str, str], platform: str) -> None:
    """Refuse where there is no screen: Qt would end the program instead of saying so.

    Parameters
    ----------
    environment : mapping
        The process's environment.
    platform : str
        As :data:`sys.platform`.

    Raises
    ------
    WindowError
        If nothing in the environment names a screen.
    """
    if platform.startswith("linux") and not any(environment.get(name) for name in _SCREENS):
        raise WindowError(
            "There is no screen to open the window on: neither DISPLAY nor WAYLAND_DISPLAY is set; "
            "`pcaimage --help` shows what works without."
        )


def _reason(error: ImportError) -> str:
    """Return what is missing, from Python's or the system loader's words."""
    library = re.match(r"(\S+): cannot open shared object file", str(error))
    if library is not None:
        return (
            f"The window cannot be opened: Qt needs {library[1]}, which this system does not have; "
            "install it with the system's package manager."
        )
    package = (error.name or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and package in _PACKAGES:
        return f"The window cannot be opened: {package} is not installed; `pip install {_PACKAGES[package]}`."
    return f"The window cannot be opened: {error}."

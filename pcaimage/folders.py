"""The folders of a user: for settings, and for crash reports and what running windows note."""

from __future__ import annotations

import os
import sys
from pathlib import Path

PROGRAM = "pcaimage"


def state_folder() -> Path:
    """Return the folder, which need not exist.

    It is where the platform keeps the state of programs: ``$XDG_STATE_HOME`` of the XDG Base Directory
    Specification, ``Application Support`` on macOS, ``%LOCALAPPDATA%`` on Windows.

    Raises
    ------
    OSError
        If nothing tells where this user's home is.
    """
    return _folder("XDG_STATE_HOME", (".local", "state"), "LOCALAPPDATA", "Local")


def settings_folder() -> Path:
    """Return the folder for what the user keeps, such as presets; it need not exist.

    It is ``$XDG_CONFIG_HOME`` of the XDG Base Directory Specification, ``Application Support`` on macOS,
    ``%APPDATA%`` on Windows.

    Raises
    ------
    OSError
        If nothing tells where this user's home is.
    """
    return _folder("XDG_CONFIG_HOME", (".config",), "APPDATA", "Roaming")


def private_folder(*parts: str) -> Path:
    """Make a folder of these names in :func:`state_folder`, for this user's eyes only, and return it.

    Raises
    ------
    OSError
        If it cannot be made.
    """
    folder = state_folder().joinpath(*parts)
    for each in (folder.parent, folder):
        each.mkdir(0o700, parents=True, exist_ok=True)
    return folder


def _folder(variable: str, usual: tuple[str, ...], windows: str, roaming: str) -> Path:
    """Return the program's folder in what a variable names, or in its usual place within the home folder."""
    try:
        home = Path.home()
    except RuntimeError as error:
        raise FileNotFoundError("This user has no home folder.") from error
    if sys.platform == "win32":
        return Path(os.environ.get(windows) or home / "AppData" / roaming) / PROGRAM
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / PROGRAM
    named = Path(os.environ.get(variable, ""))  # relative ones are ignored, says the specification
    return (named if named.is_absolute() else home.joinpath(*usual)) / PROGRAM

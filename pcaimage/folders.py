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
    try:
        home = Path.home()
    except RuntimeError as error:
        raise FileNotFoundError("This user has no home folder.") from error
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / PROGRAM
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / PROGRAM
    named = Path(os.environ.get("XDG_STATE_HOME", ""))  # relative ones are ignored, says the specification
    return (named if named.is_absolute() else home / ".local" / "state") / PROGRAM


def settings_folder() -> Path:
    """Return the folder for what the user keeps, such as presets; it need not exist.

    It is ``$XDG_CONFIG_HOME`` of the XDG Base Directory Specification, ``Application Support`` on macOS,
    ``%APPDATA%`` on Windows.

    Raises
    ------
    OSError
        If nothing tells where this user's home is.
    """
    try:
        home = Path.home()
    except RuntimeError as error:
        raise FileNotFoundError("This user has no home folder.") from error
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming") / PROGRAM
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / PROGRAM
    named = Path(os.environ.get("XDG_CONFIG_HOME", ""))  # relative ones are ignored, says the specification
    return (named if named.is_absolute() else home / ".config") / PROGRAM


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

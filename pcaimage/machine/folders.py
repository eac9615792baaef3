"""Folders of the user, for settings, crash reports and the state of running windows, and of the program."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

PROGRAM = "pcaimage"
_PACKAGE = Path(__file__).resolve().parents[1]


def state_folder() -> Path:
    """Return the folder of the program's state, which need not exist.

    It is ``$XDG_STATE_HOME`` of the XDG Base Directory Specification, ``Application Support`` on macOS, or
    ``%LOCALAPPDATA%`` on Windows. OSError if the user's home cannot be determined.
    """
    return _folder("XDG_STATE_HOME", (".local", "state"), "LOCALAPPDATA", "Local")


def settings_folder() -> Path:
    """Return the folder of the user's settings, such as presets; it need not exist.

    It is ``$XDG_CONFIG_HOME`` of the XDG Base Directory Specification, ``Application Support`` on macOS, or
    ``%APPDATA%`` on Windows. OSError if the user's home cannot be determined.
    """
    return _folder("XDG_CONFIG_HOME", (".config",), "APPDATA", "Roaming")


def private_folder(*parts: str) -> Path:
    """Create a folder in :func:`state_folder` that only this user can access; OSError if that fails."""
    folder = state_folder().joinpath(*parts)
    for each in (folder.parent, folder):
        each.mkdir(0o700, parents=True, exist_ok=True)
    return folder


def asset(*parts: str) -> Path:
    """Return the path of one of the program's files, such as ``asset("icons", "open.svg")``."""
    for root in (_PACKAGE / "_assets", _PACKAGE.parent):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise FileNotFoundError(f"pcaimage was installed without {'/'.join(parts)}.")


def tables(*parts: str) -> Any:
    """Return what a JSON file among the program's resources holds, such as ``tables("qt.json")``."""
    return json.loads(asset("resources", *parts).read_text("utf-8"))


def _folder(variable: str, usual: tuple[str, ...], windows: str, roaming: str) -> Path:
    """Return the program's folder below that of a variable, or below its default in the home folder."""
    try:
        home = Path.home()
    except RuntimeError as error:
        raise FileNotFoundError("This user has no home folder.") from error
    if sys.platform == "win32":
        return Path(os.environ.get(windows) or home / "AppData" / roaming) / PROGRAM
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / PROGRAM
    named = Path(os.environ.get(variable, ""))  # the specification says to ignore relative paths
    return (named if named.is_absolute() else home.joinpath(*usual)) / PROGRAM

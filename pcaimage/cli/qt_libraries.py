"""The system's libraries that Qt needs, the ones that are missing, and the packages that have them."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from pcaimage.machine.folders import tables

LOOK = 60
"""Seconds after which looking into a file, or starting Qt, is given up."""

# Debian names a library's package after the library's soname; these are the exceptions.
_DEBIAN_EXCEPTIONS: dict[str, str] = tables("files.json")["debian"]


def debian_package(soname: str) -> str:
    """Return the Debian package of a shared library by its soname, such as ``libegl1`` for ``libEGL.so.1``.

    The rule is that of section 8.1 of Debian's policy.
    """
    if soname in _DEBIAN_EXCEPTIONS:
        return _DEBIAN_EXCEPTIONS[soname]
    name, _, version = soname.lower().replace("_", "-").partition(".so.")
    return f"{name}-{version}" if name[-1].isdigit() else f"{name}{version}"


def install_commands(sonames: list[str], managers: set[str] | None = None) -> list[list[str]]:
    """Return the commands by which root installs libraries with a package manager, by default this machine's.

    Empty if none is known.
    """
    managers = {each for each in ("apt-get", "dnf") if shutil.which(each)} if managers is None else managers
    if "apt-get" in managers:
        packages = sorted({debian_package(soname) for soname in sonames})
        install = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
        return [["apt-get", "update"], install]
    if "dnf" in managers:  # Fedora's packages state the libraries that they provide
        suffix = "()(64bit)" if sys.maxsize > 2**32 else ""
        return [["dnf", "install", "-y", *(soname + suffix for soname in sonames)]]
    return []


def qt_files(*, window: bool) -> list[Path]:
    """Return the shared libraries of Qt whose dependencies are checked.

    With `window` they include those for showing a window, rather than rendering off screen. There are none
    where PySide6 is not installed.
    """
    spec = importlib.util.find_spec("PySide6")
    if spec is None or spec.origin is None:
        return []
    root = Path(spec.origin).parent
    plugins = ["libqoffscreen.so"]
    if window and "DISPLAY" in os.environ:
        plugins.append("libqxcb.so")
    if window and "WAYLAND_DISPLAY" in os.environ:
        plugins.append("libqwayland.so")
    platforms = root / "Qt" / "plugins" / "platforms"
    files = [root / f"Qt{name}.abi3.so" for name in ("Widgets", "Svg", "Network", "DBus")]
    return [file for file in (*files, *(platforms / name for name in plugins)) if file.exists()]


def missing_libraries(files: list[Path]) -> list[str]:
    """Return the sorted sonames of libraries that files need and the system's loader does not find."""
    listing = "".join(
        subprocess.run(  # noqa: S603
            ["ldd", file],  # noqa: S607
            capture_output=True,
            text=True,
            timeout=LOOK,
            check=False,
        ).stdout
        for file in files
    )
    return sorted(set(re.findall(r"^\s*(\S+) => not found", listing, flags=re.MULTILINE)))


def trouble_at_start() -> str:
    """Return Qt's own message if it does not start off screen; empty if it does."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", "from PySide6.QtWidgets import QApplication; QApplication([])"]
    result = subprocess.run(  # noqa: S603
        command, env=environment, capture_output=True, text=True, timeout=LOOK, check=False
    )
    return result.stderr.strip() or "It ended without a word." if result.returncode else ""

"""Checks that Qt finds the system's libraries, and installs or names missing packages.

``check_qt.py`` checks what a program needs that renders off screen, as the tests do; ``check_qt.py --window``
also checks what a window on this screen needs.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

# Debian names a library's package after the library's soname; these are the exceptions.
_DEBIAN_EXCEPTIONS = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libgobject-2.0.so.0": "libglib2.0-0",
    "libgio-2.0.so.0": "libglib2.0-0",
    "libz.so.1": "zlib1g",
    "libGLdispatch.so.0": "libglvnd0",
}

_LOOK, _INSTALL = 60, 900
"""Timeouts in seconds for inspecting a file or starting Qt, and for installing."""

_START_QT = "from PySide6.QtWidgets import QApplication; QApplication([])"


def debian_package(soname: str) -> str:
    """Return the Debian package of a shared library by its soname, such as ``libegl1`` for ``libEGL.so.1``.

    The rule is that of section 8.1 of Debian's policy.
    """
    if soname in _DEBIAN_EXCEPTIONS:
        return _DEBIAN_EXCEPTIONS[soname]
    name, _, version = soname.lower().replace("_", "-").partition(".so.")
    return f"{name}-{version}" if name[-1].isdigit() else f"{name}{version}"


def install_commands(sonames: list[str], managers: set[str]) -> list[list[str]]:
    """Return the commands that install libraries with this machine's package manager, one of `managers`.

    They are for root; empty if no package manager is known.
    """
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

    With `window` they include those for showing a window, rather than rendering off screen.
    """
    spec = importlib.util.find_spec("PySide6")
    if spec is None or spec.origin is None:
        sys.exit("PySide6 is not installed: run `make run` or `make test`.")
    root = Path(spec.origin).parent
    plugins = ["libqoffscreen.so"]
    if window and "DISPLAY" in os.environ:
        plugins.append("libqxcb.so")
    if window and "WAYLAND_DISPLAY" in os.environ:
        plugins.append("libqwayland.so")
    platforms = root / "Qt" / "plugins" / "platforms"
    files = [root / "QtWidgets.abi3.so", root / "QtSvg.abi3.so", *(platforms / name for name in plugins)]
    return [file for file in files if file.exists()]


def missing_libraries(files: list[Path]) -> list[str]:
    """Return the sorted sonames of libraries that files need and the system's loader does not find."""
    listing = "".join(
        subprocess.run(["ldd", file], capture_output=True, text=True, timeout=_LOOK, check=False).stdout
        for file in files
    )
    return sorted(set(re.findall(r"^\s*(\S+) => not found", listing, flags=re.MULTILINE)))


def provide(sonames: list[str]) -> None:
    """Install libraries if the user is root; otherwise name the command and stop."""
    managers = {name for name in ("apt-get", "dnf") if shutil.which(name)}
    commands = install_commands(sonames, managers)
    if not commands:
        sys.exit(f"Qt needs libraries that this system does not have: {', '.join(sonames)}.")
    if os.geteuid() != 0:
        lines = "\n".join(f"    sudo {shlex.join(command)}" for command in commands)
        sys.exit(f"Qt needs libraries that this system does not have yet. Please run:\n{lines}")
    for command in commands:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        if subprocess.run(command, env=environment, timeout=_INSTALL, check=False).returncode:
            sys.exit(f"This command failed: {shlex.join(command)}")


def check_screen() -> None:
    """Stop with a sentence if there is no screen to show a window on."""
    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"} & os.environ.keys():
        sys.exit(
            "There is no screen to show the window on: neither DISPLAY nor WAYLAND_DISPLAY is set. "
            "Run this from a desktop session, or use the command line: .venv/bin/pcaimage --help"
        )


def check_start() -> None:
    """Stop with Qt's own message if it does not start off screen."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", _START_QT]
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=_LOOK, check=False
    )
    if result.returncode:
        sys.exit(f"Qt does not start on this machine:\n{result.stderr.strip()}")


def main() -> None:
    """Check, and stop with an exit code other than 0 if Qt cannot work."""
    window = "--window" in sys.argv[1:]
    if sys.platform == "linux":
        missing = missing_libraries(qt_files(window=window))
        if missing:
            provide(missing)
    check_start()
    if window:
        check_screen()


if __name__ == "__main__":
    main()

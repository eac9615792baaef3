"""Checks that Qt finds the system's libraries, and installs or names missing packages.

``check_qt.py`` checks what a program needs that renders off screen, as the tests do; ``check_qt.py --window``
also checks what a window on this screen needs.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

from pcaimage.cli.qt_libraries import install_commands, missing_libraries, qt_files, trouble_at_start

_INSTALL = 900
"""Seconds after which an installation is given up."""


def provide(sonames: list[str]) -> None:
    """Install libraries if the user is root; otherwise name the command and stop."""
    commands = install_commands(sonames)
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
    if trouble := trouble_at_start():
        sys.exit(f"Qt does not start on this machine:\n{trouble}")


def main() -> None:
    """Check, and stop with an exit code other than 0 if Qt cannot work."""
    window = "--window" in sys.argv[1:]
    if sys.platform == "linux":
        files = qt_files(window=window)
        if not files:
            sys.exit("PySide6 is not installed: run `make run` or `make test`.")
        missing = missing_libraries(files)
        if missing:
            provide(missing)
    check_start()
    if window:
        check_screen()


if __name__ == "__main__":
    main()

"""Measurements in a separate process, in which nothing else has used memory before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HANGS = 1800
"""Seconds after which a process is taken to hang, on a slow machine with a large image."""


def printed_by(module: str, *arguments: str) -> str:
    """Run a module of the project.

    Parameters
    ----------
    module : str
        Its name. What it has to complain about goes to the terminal.
    *arguments : str
        Its arguments.

    Returns
    -------
    str
        What it prints.

    Raises
    ------
    subprocess.SubprocessError
        If it fails or hangs.
    """
    done = subprocess.run(  # noqa: S603 - a module of ours
        [sys.executable, "-m", module, *arguments],
        cwd=Path(__file__).parents[1],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        text=True,
        timeout=HANGS,
        check=True,
    )
    return done.stdout

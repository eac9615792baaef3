"""Measurements in a separate process, whose memory nothing else has used before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HANGS = 1800
"""Timeout in seconds, which suffices for a slow machine with a large image."""


def printed_by(module: str, *arguments: str) -> str:
    """Run a module of the project, and return its output; its errors go to the terminal.

    Raises
    ------
    subprocess.SubprocessError
        If it fails or hangs.
    """
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=Path(__file__).parents[1],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        text=True,
        timeout=HANGS,
        check=True,
    )
    return done.stdout

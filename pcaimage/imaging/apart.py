"""JPEG 2000 in a process of its own: Pillow lets no other thread run while it does that, for seconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from pcaimage.errors import ImageError

Ask = Callable[[], None]
"""Called some times a second; raises :class:`pcaimage.errors.Cancelled` to stop the work."""

_PROGRAM = Path(__file__).with_name("jpeg2000_process.py")
_POLL = 0.03


def encode(pixels: memoryview, mode: str, size: Sequence[int], options: dict[str, Any], ask: Ask) -> bytes:
    """Encode an image.

    Parameters
    ----------
    pixels : memoryview
        Row by row.
    mode : str
        As Pillow calls it.
    size : sequence of int
        Width and height.
    options : dict
        For Pillow.
    ask : callable
        Asked whether to go on.

    Returns
    -------
    bytes
        The file.

    Raises
    ------
    ImageError
        If that fails.
    """
    return _run({"mode": mode, "size": list(size), "options": options}, pixels, ask)


def decode(data: bytes, ask: Ask) -> bytes:
    """Decode a file.

    Parameters
    ----------
    data : bytes
        The file.
    ask : callable
        Asked whether to go on.

    Returns
    -------
    bytes
        Its pixels, row by row.

    Raises
    ------
    ImageError
        If that fails.
    """
    return _run({}, data, ask)


def _run(job: dict[str, Any], given: bytes | memoryview, ask: Ask) -> bytes:
    # -P: the folder of the program has a module that is called as one of Python's own.
    command = [sys.executable, "-P", str(_PROGRAM), json.dumps(job)]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with TemporaryFile() as source, TemporaryFile() as target:
        source.write(given)
        source.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - it is this program
                command, env=here, stdin=source, stdout=target, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise ImageError("JPEG 2000 needs another process, which cannot be started.") from error
        try:
            while _runs(process):
                ask()
        finally:
            process.kill()
            process.wait()
        if process.returncode:
            raise ImageError("The image cannot be encoded as JPEG 2000.")
        target.seek(0)
        return target.read()


def _runs(process: subprocess.Popen[bytes]) -> bool:
    """Wait a moment; tell whether a process still runs then."""
    try:
        process.wait(_POLL)
    except subprocess.TimeoutExpired:
        return True
    return False

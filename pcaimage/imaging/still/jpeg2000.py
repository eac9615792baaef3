"""JPEG 2000 coding in a subprocess, since Pillow holds the interpreter lock for seconds while it codes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from pcaimage.errors import ImageError
from pcaimage.machine.parallel import run_python

Ask = Callable[[], None]
"""Called several times a second; raises :class:`pcaimage.errors.Cancelled` to stop the work."""

SUBPROCESS_PIXELS = 150_000  # images of more pixels are coded in a subprocess

_PROGRAM = Path(__file__).with_name("jpeg2000_process.py")


def encode(pixels: memoryview, mode: str, size: Sequence[int], options: dict[str, Any], ask: Ask) -> bytes:
    """Encode pixels, row by row, of a Pillow mode and (width, height); `ask` may raise to stop the work."""
    return _run({"mode": mode, "size": list(size), "options": options}, pixels, ask)


def decode(data: bytes, ask: Ask) -> bytes:
    """Return the pixels of a JPEG 2000 file, row by row; `ask` may raise to stop the work."""
    return _run({}, data, ask)


def _run(job: dict[str, Any], given: bytes | memoryview, ask: Ask) -> bytes:
    with TemporaryFile() as source, TemporaryFile() as target:
        source.write(given)
        source.seek(0)
        try:
            # -P: a module in the program's folder has the name of one of Python's own.
            code = run_python(["-P", str(_PROGRAM), json.dumps(job)], ask, source, target)
        except OSError as error:
            raise ImageError("JPEG 2000 needs another process, which cannot be started.") from error
        if code:
            raise ImageError("The image cannot be encoded as JPEG 2000.")
        target.seek(0)
        return target.read()

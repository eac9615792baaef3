"""JPEG 2000 in a process of its own: Pillow lets no other thread run while it does that, for seconds."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from pcaimage.errors import ImageError
from pcaimage.parallel import run_apart

Ask = Callable[[], None]
"""Called some times a second; raises :class:`pcaimage.errors.Cancelled` to stop the work."""

_PROGRAM = Path(__file__).with_name("jpeg2000_process.py")


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
    with TemporaryFile() as source, TemporaryFile() as target:
        source.write(given)
        source.seek(0)
        try:
            # -P: the folder of the program has a module that is called as one of Python's own.
            code = run_apart(["-P", str(_PROGRAM), json.dumps(job)], ask, source, target)
        except OSError as error:
            raise ImageError("JPEG 2000 needs another process, which cannot be started.") from error
        if code:
            raise ImageError("The image cannot be encoded as JPEG 2000.")
        target.seek(0)
        return target.read()

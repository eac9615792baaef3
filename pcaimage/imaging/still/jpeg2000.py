"""JPEG 2000 coding in a subprocess, since Pillow holds the interpreter lock for seconds while it codes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from PIL import Image as PillowImage
from PIL.Jpeg2KImagePlugin import Jpeg2KImageFile

from pcaimage.errors import ImageError
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.machine.parallel import run_python

Ask = Callable[[], None]
"""Called several times a second; raises :class:`pcaimage.errors.Cancelled` to stop the work."""

SUBPROCESS_PIXELS = 150_000  # images of more pixels are coded in a subprocess

_PROGRAM = Path(__file__).with_name("jpeg2000_process.py")


def encode(picture: PillowImage.Image, options: dict[str, Any], ask: Ask) -> bytes:
    """Encode a picture with Pillow's options; `ask` may raise to stop the work."""
    ask()
    if math.prod(picture.size) > SUBPROCESS_PIXELS:
        job = {"mode": picture.mode, "size": list(picture.size), "options": options}
        return _run(job, picture.tobytes(), ask)
    file = BytesIO()
    try:
        picture.save(file, "JPEG2000", **options)
    except OSError as error:
        raise ImageError("The image cannot be encoded as JPEG 2000.") from error
    return file.getvalue()


def decode(data: bytes, shape: Sequence[int], dtype: np.dtype[Any], ask: Ask) -> Pixels:
    """Return the pixels of a JPEG 2000 of a known shape, (H, W, C); `ask` may raise to stop the work."""
    ask()
    if shape[0] * shape[1] > SUBPROCESS_PIXELS:
        return np.frombuffer(_run({}, data, ask), dtype).reshape(shape)
    return np.asarray(Jpeg2KImageFile(BytesIO(data), "")).astype(dtype).reshape(shape)


def _run(job: dict[str, Any], given: bytes, ask: Ask) -> bytes:
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

"""Encodes or decodes one JPEG 2000, as a program of its own: pixels or a file come in, the other goes out."""

from __future__ import annotations

import json
import sys
from io import BytesIO

from PIL import Image, Jpeg2KImagePlugin


def main() -> None:
    """Do what the first argument says, in JSON, with what comes in."""
    job, data = json.loads(sys.argv[1]), sys.stdin.buffer.read()
    if "options" in job:
        file = BytesIO()
        image = Image.frombytes(job["mode"], tuple(job["size"]), data)
        image.save(file, "JPEG2000", **job["options"])
        sys.stdout.buffer.write(file.getvalue())
    else:
        # The class of the format leaves out the guard against large images, which were checked before.
        sys.stdout.buffer.write(Jpeg2KImagePlugin.Jpeg2KImageFile(BytesIO(data)).tobytes())


if __name__ == "__main__":
    main()

"""Program that encodes or decodes one JPEG 2000 image from standard input to standard output."""

from __future__ import annotations

import json
import sys
from io import BytesIO

from PIL import Image, Jpeg2KImagePlugin


def main() -> None:
    """Encode standard input if the JSON in the first argument has options; otherwise decode it."""
    job, data = json.loads(sys.argv[1]), sys.stdin.buffer.read()
    if "options" in job:
        file = BytesIO()
        image = Image.frombytes(job["mode"], tuple(job["size"]), data)
        image.save(file, "JPEG2000", **job["options"])
        sys.stdout.buffer.write(file.getvalue())
    else:
        # The format's own class has no size guard; the size has been checked before.
        sys.stdout.buffer.write(Jpeg2KImagePlugin.Jpeg2KImageFile(BytesIO(data)).tobytes())


if __name__ == "__main__":
    main()

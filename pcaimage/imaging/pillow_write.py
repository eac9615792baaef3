"""Writing by Pillow so that a full disk is noticed.

Pillow hands the descriptor of a real file to its encoders, which take a part of their bytes being written for
all of them: on a disk that becomes full, JPEG and others are cut short without an error. OpenJPEG tries for
ever to write the rest. So encoders see no descriptor here, and OpenJPEG no file at all.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from PIL import Image as PillowImage

_IN_MEMORY = "JPEG2000"


class _Plain:
    """A file without a descriptor: what is written goes through Python, which notices when a part is left."""

    def __init__(self, file: BinaryIO) -> None:
        self.write, self.flush = file.write, file.flush
        self.seek, self.tell, self.read = file.seek, file.tell, file.read


def save(picture: PillowImage.Image, file: BinaryIO, name: str, **options: Any) -> None:
    """Write a picture in the format that Pillow calls by a name; raises OSError if the disk is full."""
    if name != _IN_MEMORY:
        picture.save(_Plain(file), name, **options)  # type: ignore[arg-type]  # it has all that Pillow uses
        return
    encoded = io.BytesIO()
    picture.save(encoded, name, **options)
    file.write(encoded.getbuffer())

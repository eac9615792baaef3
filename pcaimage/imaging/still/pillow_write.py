"""Writing through Pillow such that a full disk is noticed.

Given a real file, Pillow hands its descriptor to encoders that take a partial write for a complete one: on a
full disk, JPEG and others are truncated without an error, and OpenJPEG retries for ever. So encoders get no
descriptor here, and OpenJPEG no file at all.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from PIL import Image as PillowImage

_IN_MEMORY = "JPEG2000"


class _Plain:
    """A file without a descriptor: encoders write through Python, which reports partial writes."""

    def __init__(self, file: BinaryIO) -> None:
        self.write, self.flush = file.write, file.flush
        self.seek, self.tell, self.read = file.seek, file.tell, file.read


def save(picture: PillowImage.Image, file: BinaryIO, name: str, **options: Any) -> None:
    """Write a picture in Pillow's format `name`; raises OSError if the disk is full."""
    if name != _IN_MEMORY:
        picture.save(_Plain(file), name, **options)  # type: ignore[arg-type]  # it has all that Pillow uses
        return
    encoded = io.BytesIO()
    picture.save(encoded, name, **options)
    file.write(encoded.getbuffer())

"""Sample images that come with the program; the file NOTICE names their sources."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pcaimage.errors import ImageError
from pcaimage.imaging.image.contents import ReadAs
from pcaimage.imaging.image.image import Image
from pcaimage.machine.folders import asset, tables

_FILES: Final[dict[str, tuple[str, ReadAs | None]]] = tables("files.json")["samples"]
"""Each sample's file, and how to read the file if that is ambiguous."""


def sample_names() -> tuple[str, ...]:
    """List the sample images: photographs, colour before grey, then a stack, then an image of bands."""
    return tuple(_FILES)


def read_sample(name: str) -> Image:
    """Read a sample image; ImageError if there is none of that name, or its file is missing.

    Photographs have 8 bits, grey or RGB; ``"digits"`` is a labelled stack of 1797 handwritten digits, and
    ``"synthetic bands"`` an artificial scene of 60 bands.
    """
    from pcaimage.imaging.reading.read import read_image  # noqa: PLC0415 - their names alone are asked for more often

    if name not in _FILES:
        raise ImageError(f"There is no sample image named {name!r}; there are: {', '.join(_FILES)}.")
    file, kind = _FILES[name]
    try:
        path = asset("resources", "samples", file)
    except FileNotFoundError as error:
        raise ImageError(str(error)) from error
    return replace(read_image(path, as_=kind), name=file)

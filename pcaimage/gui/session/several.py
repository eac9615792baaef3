"""Several images that are opened at once, and what they can be together. No Qt here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pcaimage import api, imaging
from pcaimage.errors import ImageError
from pcaimage.imaging import ImageHeader
from pcaimage.imaging.moving.animation import ANIMATED
from pcaimage.progress import Progress

Way = Literal["separate", "stack", "bands"]
"""Photographs that are opened one at a time, the samples of a stack, or the bands of one image."""


@dataclass(frozen=True)
class Several:
    """Several images, and the ways to open them, of which the first is the default."""

    files: tuple[str, ...]  # paths, those of folders in natural order
    sizes: tuple[int, ...]  # in bytes; 0 where that cannot be told
    ways: tuple[Way, ...] = ("separate",)
    dimensions: tuple[int, int] | None = None  # width and height, where those of all images are equal

    @property
    def question(self) -> str:
        """The question for the user."""
        count = f"{len(self.files):,}"
        if self.dimensions is None:
            return f"How are these {count} images to be opened?"
        width, height = self.dimensions
        return f"How are these {count} images of {width:,} × {height:,} pixels to be opened?"


class SeveralError(ImageError):
    """Several images were to be opened, and the user has yet to say as what."""

    def __init__(self, several: Several) -> None:
        super().__init__(several.question)
        self.several = several


def several_in(paths: Sequence[str], progress: Progress) -> Several | None:
    """Find several images at the paths of files and folders; ImageError if a file is missing.

    None for one image, and for a folder that says itself that its images are bands.
    """
    if len(paths) == 1 and not _is_of_several(Path(paths[0])):
        return None
    from pcaimage.batching.plan import find_images  # noqa: PLC0415 - most images are opened alone

    found, _ = find_images(paths)
    if not found:
        found, _ = find_images(paths, compressed=True)
    files = tuple(_absolute(path) for path, _ in found)
    if len(files) < 2:
        return None
    first = _first_of_alike(files, progress)
    ways: tuple[Way, ...] = ("separate",)
    if first is not None:
        ways = ("separate", "stack", "bands") if _is_grey(first) else ("separate", "stack")
    dimensions = None if first is None else (first.width, first.height)
    return Several(files, tuple(map(_size, files)), ways, dimensions)


def listed(paths: Sequence[str]) -> Several:
    """Return the images at paths of files and folders as separate ones; ImageError if one is missing."""
    from pcaimage.batching.plan import find_images  # noqa: PLC0415 - most images are opened alone

    files = tuple(_absolute(path) for path, _ in find_images(paths, compressed=True)[0])
    return Several(files, tuple(map(_size, files)))


def _absolute(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - links stay as they are named


def _is_of_several(path: Path) -> bool:
    """Return whether a path is that of a folder, unless the names of its images say that they are bands."""
    if not path.is_dir():
        return False
    try:
        contents = imaging.inspect(path)
    except ImageError:
        return True  # it may have compressed images
    return contents.ambiguous or contents.default.kind == "stack"


def _first_of_alike(files: Sequence[str], progress: Progress) -> ImageHeader | None:
    """Return the header of the first image if all have its size and type, else None."""
    first: ImageHeader | None = None
    for done, file in enumerate(files):
        progress(done, len(files))
        if file.lower().endswith(api.SUFFIX):
            return None
        try:
            header = imaging.probe(file)
        except ImageError:
            return None
        if header.frames > 1 and header.format in ANIMATED:
            return None
        if first is None:
            first = header
        elif _kind(header) != _kind(first):
            return None
    return first


def _kind(header: ImageHeader) -> tuple[object, ...]:
    return header.width, header.height, header.channels, header.dtype


def _is_grey(header: ImageHeader) -> bool:
    return header.channels == 1 and not header.has_alpha


def _size(file: str) -> int:
    try:
        return Path(file).stat().st_size
    except OSError:
        return 0

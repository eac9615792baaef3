"""The files that commands are given: what is refused before work begins, and what is wrong with which."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pcaimage.api import SUFFIX, CompressedImage, open_file
from pcaimage.container import SIGNATURE
from pcaimage.errors import FormatError, ImageError, TruncatedError
from pcaimage.imaging import Image, read_image, read_stack
from pcaimage.progress import Progress, no_progress


def check_output(
    path: Path, *, overwrite: bool, suffix: str | None = None, what: str = "compressed images"
) -> None:
    """Refuse a target on which work would be wasted.

    Parameters
    ----------
    path : Path
        The file to write.
    overwrite : bool
        Whether it may exist.
    suffix : str, optional
        The ending it must have.
    what : str
        What has that ending.

    Raises
    ------
    ImageError
        If it cannot be written.
    """
    if suffix is not None and path.suffix.lower() != suffix:
        raise ImageError(f"{path.name} must end in {suffix}, the ending of {what}.")
    if path.is_dir():
        raise ImageError(f"{path.name or path} is a folder; give the name of a file in it.")
    if path.exists() and not overwrite:
        raise ImageError(f"{path.name} already exists; --overwrite replaces it.")
    if not path.parent.is_dir():
        raise ImageError(f"{path.name} cannot be saved: there is no folder {path.parent}.")
    if not os.access(path.parent, os.W_OK):
        raise ImageError(f"{path.name} cannot be saved: writing to {path.parent} is not permitted.")


def is_compressed(path: Path) -> bool:
    """Tell whether a file is a ``.pcai``, by its ending or its first bytes.

    Parameters
    ----------
    path : Path
        The file, which need not exist.

    Returns
    -------
    bool
        True if it is meant to be one.
    """
    if path.suffix.lower() == SUFFIX:
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(SIGNATURE)) == SIGNATURE
    except OSError:
        return False  # whoever reads it says what is wrong


@contextmanager
def naming(path: Path, hint: str = "") -> Iterator[None]:
    """Put a file's name before what is wrong in it.

    Parameters
    ----------
    path : Path
        The file that is read meanwhile.
    hint : str, optional
        What can be done about a file whose end is missing or damaged.

    Raises
    ------
    FormatError
        With the file's name.
    """
    try:
        yield
    except FormatError as error:
        text = f"{path.name}: {error.message}"
        damaged = isinstance(error, TruncatedError) or "damaged" in error.message
        if damaged and hint:
            place = "" if error.offset is None else f" (at byte {error.offset})"
            raise FormatError(f"{text.removesuffix('.')}{place}; {hint}") from error
        raise FormatError(text, error.offset) from error


def open_compressed(path: Path, *, salvage: bool = False, hint: str = "") -> CompressedImage:
    """Open a ``.pcai`` file.

    Parameters
    ----------
    path : Path
        The file.
    salvage : bool, default False
        Whether to take what is whole of a damaged file.
    hint : str, optional
        What can be done about a damaged one.

    Returns
    -------
    CompressedImage
        Its components.

    Raises
    ------
    ImageError, FormatError
        If it cannot be read; the message names it.
    """
    with naming(path, hint):
        return open_file(path, salvage=salvage)


def read_any(path: Path, progress: Progress = no_progress, *, stack: bool = False) -> Image:
    """Read an image of any kind, compressed or not.

    Parameters
    ----------
    path : Path
        A file; a folder is a stack.
    progress : Progress, optional
        Told of a ``.pcai`` file's decoding.
    stack : bool, default False
        Whether all of a file's images are wanted.

    Returns
    -------
    Image
        The image.

    Raises
    ------
    ImageError, FormatError
        If it cannot be read.
    """
    if path.is_dir():
        return read_stack(path)
    if is_compressed(path):
        with naming(path):
            return open_file(path).image(progress=progress)
    return read_stack(path) if stack else read_image(path)

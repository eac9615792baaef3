"""Where an image comes from, and how trouble in reading it is told."""

from __future__ import annotations

import io
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from PIL.Image import DecompressionBombError

from pcaimage.errors import ImageError, ImageTooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterator

Source: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
"""A path, the bytes of a file, or a binary file that can seek."""


def source_name(source: Source) -> str:
    """Return what a source is called in messages.

    Parameters
    ----------
    source : Source
        A path, bytes or a binary file.

    Returns
    -------
    str
        The file's name without its folder, empty when there is none.
    """
    if isinstance(source, str | os.PathLike):
        return Path(source).name or str(source)
    name = getattr(source, "name", "")
    return Path(name).name if isinstance(name, str) else ""


@contextmanager
def reading(source: Source) -> Iterator[tuple[BinaryIO, str]]:
    """Open a source, and turn whatever goes wrong while it is read into one sentence.

    Decoders raise nearly anything for a damaged file (OSError, ValueError, SyntaxError, struct.error,
    zlib.error, IndexError, ...), and which one is an accident of their code: all of them mean that the file
    cannot be read.

    Parameters
    ----------
    source : Source
        A path, bytes or a binary file; a file that is given stays open.

    Yields
    ------
    file : BinaryIO
        The file at its beginning, able to seek.
    name : str
        Its name for messages.

    Raises
    ------
    ImageError
        When the file cannot be opened or what the caller does with it fails.
    """
    name = source_name(source) or "The image"
    try:
        if isinstance(source, str | os.PathLike):
            with Path(source).open("rb") as file:
                yield _not_empty(file, name), name
        elif isinstance(source, bytes | bytearray | memoryview):
            yield _not_empty(io.BytesIO(source), name), name
        else:
            yield _not_empty(source if source.seekable() else io.BytesIO(source.read()), name), name
    except ImageError:
        raise
    except FileNotFoundError as error:
        raise ImageError(f"{name} does not exist.") from error
    except IsADirectoryError as error:
        raise ImageError(f"{name} is a folder, not an image.") from error
    except PermissionError as error:
        raise ImageError(f"{name} may not be read: permission denied.") from error
    except (MemoryError, DecompressionBombError) as error:
        raise ImageTooLargeError(f"{name} is too large to be read into memory.") from error
    except Exception as error:
        raise ImageError(f"{name} is damaged, cut short, or not an image.") from error


def _not_empty(file: BinaryIO, name: str) -> BinaryIO:
    if not file.seek(0, io.SEEK_END):
        raise ImageError(f"{name} is empty.")
    file.seek(0)
    return file


def file_size(file: BinaryIO) -> int:
    """Return a file's length.

    Parameters
    ----------
    file : BinaryIO
        A file that can seek; it is left at its beginning.

    Returns
    -------
    int
        Bytes.
    """
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    return size

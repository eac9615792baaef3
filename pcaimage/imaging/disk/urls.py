"""Files at URLs, through fsspec, which is imported on demand."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from pcaimage.errors import Cancelled, ImageError, PcaImageError
from pcaimage.imaging.disk.atomic import exists_error, temporary_folder

_PIECE = 1 << 20


def is_url(place: str) -> bool:
    """Return whether a text is a URL rather than a path, which may begin with a drive letter."""
    scheme, colon, _ = place.partition("://")
    return bool(colon) and len(scheme) > 1 and scheme.replace("+", "").isalnum()


def url_of(path: Path) -> str | None:
    """Return the URL that was given in the place of a path, which keeps one slash of two."""
    text = path.as_posix()
    scheme, colon, rest = text.partition(":/")
    if not colon or not is_url(f"{scheme}://") or path.exists():
        return None
    return f"{scheme}://{'/' if scheme in ('file', 'local', 'memory') else ''}{rest}"


@contextmanager
def located(source: str) -> Iterator[Path]:
    """Yield the file of an image: itself, or a copy of what is at a URL."""
    if not is_url(source):
        yield Path(source)
        return
    with fetched(source) as copy:
        yield copy


@contextmanager
def fetched(url: str) -> Iterator[Path]:
    """Yield a temporary copy of an image, with its name and modification time; ImageError if unreadable."""
    with temporary_folder(Path(tempfile.gettempdir()), private=True) as folder:
        with errors_translated(url, "read"):
            system, path = system_of(url)
            copy = folder / (PurePosixPath(path).name or "image")
            _copy(system, path, copy)
            values = str(PurePosixPath(path).with_suffix(".img"))
            if copy.suffix.lower() == ".hdr" and system.exists(values):
                _copy(system, values, copy.with_suffix(".img"))
            with suppress(Exception):
                when = system.modified(path).timestamp()
                os.utime(copy, (when, when))
        yield copy


@contextmanager
def uploaded(url: str, *, overwrite: bool) -> Iterator[Path]:
    """Yield a temporary path, or one of this machine, to be written; what is put beside it goes there, too.

    Nothing is put if an error is raised meanwhile. ImageError if there is such a file, or it cannot be saved.
    """
    with errors_translated(url, "saved"):
        system, path = system_of(url)
        name, is_local = PurePosixPath(path).name, "file" in system.protocol
        if not (is_local or overwrite) and system.exists(path):
            raise exists_error(name)
    if is_local:
        yield Path(path)
        return
    with temporary_folder(Path(tempfile.gettempdir()), private=True) as folder:
        yield folder / name
        with errors_translated(url, "saved"):
            for made in sorted(folder.iterdir()):
                there = path.removesuffix(name) + made.name
                if made.is_dir():
                    system.put(f"{made}/", there, recursive=True)  # what is in it, if `there` exists, too
                else:
                    system.put_file(str(made), there)


def system_of(url: str) -> tuple[Any, str]:
    """Return a private file system object, so that threads do not share transactions, and a path."""
    from fsspec.core import url_to_fs  # noqa: PLC0415 - few files are at URLs

    system, path = url_to_fs(url, skip_instance_cache=True)
    return system, str(path)


def opened_at(url: str) -> BinaryIO:
    """Open a file at a URL, of which what is read is moved; ImageError if there is none."""
    with errors_translated(url, "read"):
        system, path = system_of(url)
        found: BinaryIO = system.open(path, "rb")
        return found


def _copy(system: Any, path: str, copy: Path) -> None:
    with system.open(path, "rb") as file, copy.open("xb") as made:
        shutil.copyfileobj(file, made, _PIECE)


@contextmanager
def errors_translated(url: str, what: str) -> Iterator[None]:
    """Translate errors of a file system, or its missing library, into one sentence."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name == "fsspec":
            raise ImageError(
                f"{url} cannot be {what}: URLs need the package fsspec; `pip install pcaimage[cluster]`."
            ) from error
        raise ImageError(f"{url} cannot be {what}: {error}.") from error
    except FileNotFoundError as error:
        raise ImageError(f"{url} cannot be {what}: there is no such file or folder.") from error
    except (PcaImageError, Cancelled):
        raise
    except Exception as error:  # file systems raise what the libraries raise that they stand on
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ImageError(f"{url} cannot be {what}: {reason.rstrip('.')}.") from error

"""The record of a batch in its output folder, by which it is resumed.

A line is added before an output is moved into place, and tells the digests of image, settings and output.
An output whose contents have the digest of its line is done, whenever the batch was killed; whatever else is
found in its place is not this batch's.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pcaimage.batching.digests import digest_of_text
from pcaimage.errors import ImageError

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = ".pcaimage-batch.jsonl"
"""The record's file in the output folder."""

PATIENCE = 10.0
"""Seconds in which the workers of a batch that was killed end."""

_POLL = 0.02
_NEW = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True)
class Entry:
    """What the record says of an output.

    Parameters
    ----------
    target : str
        Its path within the folder, with slashes.
    source : str
        A digest of the image's path.
    contents, settings : str
        Digests of the image's contents and of the settings.
    output : str or None
        A digest of the output's contents; None if it would not have been smaller than the image.
    source_bytes, target_bytes : int
        Sizes of the files.
    psnr : float, optional
        In decibels.
    """

    target: str
    source: str
    contents: str
    settings: str
    output: str | None
    source_bytes: int
    target_bytes: int
    psnr: float | None = None


def source_key(source: str) -> str:
    """Return what stands for an image's path: the record may be handed on, and names no folder."""
    return digest_of_text(os.path.abspath(source))  # noqa: PTH100 - links stay as they are named


def read_record(folder: Path) -> dict[str, Entry]:
    """Return the newest entry for each output; lines that are damaged or cut short are left out.

    Raises
    ------
    ImageError
        If there is a record that cannot be read.
    """
    try:
        lines = (folder / NAME).read_bytes().splitlines()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ImageError(f"The record {NAME} in {folder} cannot be read.") from error
    found = (_entry(line) for line in lines)
    return {entry.target: entry for entry in found if entry is not None}


def note(folder: Path, entry: Entry) -> None:
    """Add an entry, and wait until it is on the disk.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    # It begins with a line break, too: the line before may have been cut short. It is written in one call, so
    # that those of other processes come before or after it.
    line = f"\n{json.dumps(asdict(entry))}\n".encode()
    number = os.open(folder / NAME, _NEW, 0o666)
    try:
        os.write(number, line)
        os.fsync(number)
    finally:
        os.close(number)


@contextmanager
def alone(folder: Path) -> Iterator[int | None]:
    """Make a folder, keep other batches out of it, and yield a descriptor that does so as long as it is open.

    Workers inherit it. So a batch that follows one that was killed waits for the killed one's workers.

    Raises
    ------
    ImageError
        If another batch writes into the folder, or it cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        number = os.open(folder / NAME, _NEW, 0o666)
    except OSError as error:
        reason = (error.strerror or "the disk reported an error").lower()
        raise ImageError(f"The folder {folder} cannot be written to: {reason}.") from error
    try:
        deadline = time.monotonic() + PATIENCE
        while not _locked(number):
            if time.monotonic() > deadline:
                raise ImageError(f"Another batch is writing to {folder}; wait for it, or use another folder.")
            time.sleep(_POLL)
        yield number
    finally:
        os.close(number)


def _locked(number: int) -> bool:
    """Lock a file; False if it is locked. Some file systems have no locks."""
    if sys.platform != "win32":
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
    return True


def _entry(line: bytes) -> Entry | None:
    if not line.strip():
        return None
    try:
        entry = Entry(**json.loads(line))
    except (ValueError, TypeError, RecursionError):
        return None
    texts = (entry.target, entry.source, entry.contents, entry.settings)
    sizes = (entry.source_bytes, entry.target_bytes)
    whole = all(isinstance(each, str) for each in texts) and all(isinstance(each, int) for each in sizes)
    return entry if whole and isinstance(entry.output, str | None) else None

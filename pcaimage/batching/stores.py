"""Stores of outputs: a folder of this machine, or a URL.

Each has a record. Before an output is put into place, an entry is added with digests of the image, the
settings and the output. An output whose contents match the digest of its entry is done, whenever the batch
was killed; anything else in its place was not made by this batch.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pcaimage.batching.record import Entry, digest_of_files, newest, parts_of, read_lines
from pcaimage.errors import ImageError
from pcaimage.imaging.disk.atomic import move_all, temporary_folder
from pcaimage.imaging.disk.urls import is_url
from pcaimage.machine.locks import lock

if TYPE_CHECKING:
    from pcaimage.batching.remote import RemoteStore

RECORD = ".pcaimage-batch"  # prefix of the names of records
PATIENCE = 30.0  # seconds that workers of a killed batch may take to end, even on a busy machine

_POLL = 0.02
_NEW = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)


def store_of(place: str, *, spread: bool = False) -> Store:
    """Return the store at a path or URL; ImageError if URLs of that kind are not supported here.

    With `spread` several machines write to it, and each has its own record in the folder.
    """
    if is_url(place):
        from pcaimage.batching.remote import RemoteStore  # noqa: PLC0415 - most outputs are in folders

        return RemoteStore.at(place)
    return FolderStore(
        Path(place), f"{RECORD}-{platform.node() or 'host'}.jsonl" if spread else f"{RECORD}.jsonl"
    )


Store: TypeAlias = "FolderStore | RemoteStore"
"""A destination of a batch's outputs, each identified by its path within it, with slashes."""


@dataclass(frozen=True)
class FolderStore:
    """A folder of this machine, or one shared by several machines, and the name of the record in it."""

    folder: Path
    record: str = f"{RECORD}.jsonl"

    def taken(self, targets: Sequence[str]) -> list[str]:
        """Return the outputs that exist already."""
        return [each for each in targets if os.path.lexists(self.folder / each)]

    def digest(self, target: str) -> str | None:
        """Return a digest of an existing output; an empty one if it is not a file."""
        path = self.folder / target
        if not os.path.lexists(path):
            return None
        return digest_of_files(parts_of(path)) if path.is_file() else ""

    @contextmanager
    def making(self, target: str) -> Iterator[Path]:
        """Create a temporary folder beside an output's place."""
        place = (self.folder / target).parent
        place.mkdir(parents=True, exist_ok=True)
        with temporary_folder(place, private=False) as made:
            yield made

    def put(self, made: Path, target: str, names: Sequence[str], *, replaces: bool) -> None:
        """Move all files of a temporary folder, or none of them."""
        move_all(made, (self.folder / target).parent, names, overwrite=replaces)

    def entries(self) -> dict[str, Entry]:
        """Return the newest entry for each output from all records in the folder."""
        if os.path.lexists(self.folder) and not self.folder.is_dir():
            raise ImageError(f"{self.folder} is a file; the outputs need a folder.")
        try:
            return newest(read_lines(each.read_bytes()) for each in self.folder.glob(f"{RECORD}*.jsonl"))
        except OSError as error:
            raise ImageError(f"The record of the batch in {self.folder} cannot be read.") from error

    def note(self, entry: Entry) -> None:
        """Append a line, and wait until it is on the disk."""
        # It begins with a line break, too: the line before may have been cut short. It is written in one
        # call, so that those of other processes come before or after it.
        number = os.open(self.folder / self.record, _NEW, 0o666)
        try:
            os.write(number, f"\n{entry.line()}\n".encode())
            os.fsync(number)
        finally:
            os.close(number)

    @contextmanager
    def alone(self) -> Iterator[int | None]:
        """Create the folder, and lock its record; workers inherit the descriptor.

        So a batch started after a killed one waits for the latter's workers.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            number = os.open(self.folder / f"{RECORD}.jsonl", _NEW, 0o666)
        except OSError as error:
            reason = (error.strerror or "the disk reported an error").lower()
            raise ImageError(f"The folder {self.folder} cannot be written to: {reason}.") from error
        try:
            deadline = time.monotonic() + PATIENCE
            while not lock(number):
                if time.monotonic() > deadline:
                    raise ImageError(
                        f"Another batch is writing to {self.folder}; wait for it, or use another folder."
                    )
                time.sleep(_POLL)
            yield number
        finally:
            os.close(number)

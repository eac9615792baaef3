"""Folders of images, and outputs, at URLs."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from pcaimage.batching.record import Entry, digest_of_text, newest, read_lines
from pcaimage.errors import ImageError
from pcaimage.imaging.disk.atomic import temporary_folder
from pcaimage.imaging.disk.urls import errors_translated, system_of
from pcaimage.imaging.image.source import natural_key

T = TypeVar("T")

RECORD = ".pcaimage-batch"  # folder of the record: one object for each output, as many stores cannot append

_PIECE = 1 << 20


def listed(url: str, *, recursive: bool) -> tuple[bool, list[tuple[str, PurePosixPath]]]:
    """Return whether a URL is a folder, and the files in it, or the file itself.

    Each file is given by its URL and its path within the folder. Wildcards in names expand to the matching
    files. ImageError if nothing is there, or it cannot be read.
    """
    with errors_translated(url, "read"):
        system, path = system_of(url)
        if "*" in path:
            names = {each: PurePosixPath(PurePosixPath(each).name) for each in system.glob(path)}
            return False, [
                (system.unstrip_protocol(each), names[each])
                for each in sorted(names, key=natural_key)
                if not names[each].name.startswith(".") and system.isfile(each)
            ]
        if not system.isdir(path):
            if not system.exists(path):
                raise ImageError(f"{url} cannot be read: there is no such file or folder.")
            return False, [(url, PurePosixPath(PurePosixPath(path).name))]
        found = sorted(system.find(path, maxdepth=None if recursive else 1), key=natural_key)
        root = path.rstrip("/")
        places = [(each, PurePosixPath(each[len(root) :].lstrip("/"))) for each in found]
        return True, [
            (system.unstrip_protocol(each), place)
            for each, place in places
            if not any(part.startswith(".") for part in place.parts)
        ]


@dataclass(frozen=True)
class RemoteStore:
    """An output folder at a URL: its fsspec file system, and its path in that."""

    url: str
    system: Any
    root: str

    @classmethod
    def at(cls, url: str) -> RemoteStore:
        """Return the store at a URL; ImageError if no file system supports it."""
        with errors_translated(url, "used"):
            system, path = system_of(url)
        return cls(url, system, path.rstrip("/"))

    def taken(self, targets: Sequence[str]) -> list[str]:
        """Return the outputs that exist already."""
        with errors_translated(self.url, "read"):
            there = set(self.system.find(self.root)) if self.system.exists(self.root) else set()
        return [each for each in targets if self._path(each) in there]

    def digest(self, target: str) -> str | None:
        """Return a digest of an existing output; None if there is none."""
        path = self._path(target)
        with errors_translated(self.url, "read"):
            if not self.system.exists(path):
                return None
            return " ".join(self._digest(each) for each in (path, *self._values(path)))

    @contextmanager
    def making(self, target: str) -> Iterator[Path]:
        """Create a temporary folder on this machine."""
        del target
        with temporary_folder(Path(tempfile.gettempdir()), private=True) as made:
            yield made

    def put(self, made: Path, target: str, names: Sequence[str], *, replaces: bool) -> None:
        """Upload the files of a temporary folder; each appears only when it is complete."""
        parent = self._path(target).rpartition("/")[0]
        with errors_translated(self.url, "written to"):
            if not replaces and self.system.exists(self._path(target)):
                raise ImageError(f"{target} has come to {self.url} meanwhile, and is not replaced.")
            self.system.makedirs(parent, exist_ok=True)
            for name in names:
                self._write(f"{parent}/{name}", made / name)

    def entries(self) -> dict[str, Entry]:
        """Return the entry for each output."""
        folder = f"{self.root}/{RECORD}"
        with errors_translated(self.url, "read"):
            if not self.system.exists(folder):
                return {}
            found = self.system.cat(self.system.find(folder), on_error="omit")
        contents = found.values() if isinstance(found, dict) else [found]
        return newest(read_lines(each) for each in contents)

    def note(self, entry: Entry) -> None:
        """Write an entry of the record."""
        path = f"{self.root}/{RECORD}/{digest_of_text(entry.target)}.json"
        with errors_translated(self.url, "written to"):
            self.system.makedirs(path.rpartition("/")[0], exist_ok=True)
            with self.system.transaction, self.system.open(path, "wb") as file:
                file.write(entry.line().encode())

    @contextmanager
    def alone(self) -> Iterator[int | None]:
        """Create the folder; other batches are not locked out."""
        with errors_translated(self.url, "written to"):
            self.system.makedirs(self.root, exist_ok=True)
        yield None

    def _path(self, target: str) -> str:
        return f"{self.root}/{target}"

    def _values(self, path: str) -> list[str]:
        values = str(PurePosixPath(path).with_suffix(".img"))
        return [values] if path.lower().endswith(".hdr") and self.system.exists(values) else []

    def _digest(self, path: str) -> str:
        found = hashlib.blake2b(digest_size=16)
        with self.system.open(path, "rb") as file:
            while piece := file.read(_PIECE):
                found.update(piece)
        return found.hexdigest()

    def _write(self, path: str, source: Path) -> None:
        with self.system.transaction, self.system.open(path, "wb") as file, source.open("rb") as made:
            shutil.copyfileobj(made, file, _PIECE)

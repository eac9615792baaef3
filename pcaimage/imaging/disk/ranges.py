"""Bytes of files at paths and URLs, of which parts are read without the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pcaimage.errors import ImageError
from pcaimage.imaging.disk.urls import errors_translated, is_url, system_of


@dataclass(frozen=True)
class Ranges:
    """A file at a path or a URL, which is opened anew whenever parts of it are read.

    Pickled, it is its place; a server that does not send parts is an ImageError.
    """

    place: str
    size: int

    @classmethod
    def of(cls, place: str) -> Ranges | None:
        """Return the file at a place; None if its size is not known, as that of a pipe."""
        if not is_url(place):
            path = Path(place)
            return cls(place, path.stat().st_size) if path.is_file() else None
        with errors_translated(place, "read"):
            found = cls(place, 0)
            size = found._system[0].info(found._system[1]).get("size")
            return None if size is None else cls(place, int(size))

    def read(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return the bytes from each first place to each last one (exclusive); ImageError if they lack."""
        if is_url(self.place):
            with errors_translated(self.place, "read"):
                system, path = self._system
                starts, stops = [start for start, _ in ranges], [stop for _, stop in ranges]
                found = [bytes(each) for each in system.cat_ranges([path] * len(ranges), starts, stops)]
        else:
            with Path(self.place).open("rb", buffering=0) as file:
                found = [self._local(file, start, stop) for start, stop in ranges]
        if [len(each) for each in found] != [stop - start for start, stop in ranges]:
            name = Path(self.place).name
            raise ImageError(
                f"{name} cannot be read in parts: it has changed, or its server sends all of it."
            )
        return found

    @staticmethod
    def _local(file: Any, start: int, stop: int) -> bytes:
        file.seek(start)
        return bytes(file.read(stop - start))

    @cached_property
    def _system(self) -> tuple[Any, str]:
        return system_of(self.place)

    def __reduce__(self) -> tuple[type[Ranges], tuple[str, int]]:
        return Ranges, (self.place, self.size)

"""The record of a batch: an entry for each output, and the digests in it."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from pcaimage.typed import as_type

_digest = partial(hashlib.blake2b, digest_size=16)


def digest_of_files(paths: Iterable[Path]) -> str:
    """Return a digest of the contents of files."""
    parts = list[str]()
    for path in paths:
        with path.open("rb") as file:
            parts.append(hashlib.file_digest(file, _digest).hexdigest())
    return " ".join(parts)


def digest_of_text(text: str) -> str:
    """Return a digest of a text; surrogates represent bytes of names that are not valid text."""
    return _digest(text.encode(errors="surrogatepass")).hexdigest()


def parts_of(path: Path) -> list[Path]:
    """Return the files of an image: for an ENVI cube, the header followed by its values."""
    values = path.with_suffix(".img")
    return [path, values] if path.suffix.lower() == ".hdr" and values.is_file() else [path]


@dataclass(frozen=True)
class Entry:
    """The record's entry for an output; digests are of a path, of contents, and of settings."""

    target: str  # its path within the output folder, with slashes
    source: str  # digest of the image's path
    contents: str  # digest of the image
    settings: str
    output: str | None  # digest of the file; None if omitted, as not smaller than the image
    source_bytes: int
    target_bytes: int
    psnr: float | None = None  # in decibels
    when: float = field(default_factory=time.time)  # orders those of several machines

    def line(self) -> str:
        """Return the entry as one line of JSON."""
        return json.dumps(asdict(self))


def source_key(source: str) -> str:
    """Return a key for an image's path that does not reveal the path, as the record may be passed on."""
    return digest_of_text(source if "://" in source else os.path.abspath(source))  # noqa: PTH100 - links stay


def read_lines(data: bytes) -> list[Entry]:
    """Return the entries of a record, skipping damaged or truncated lines."""
    found = (_entry(line) for line in data.splitlines())
    return [entry for entry in found if entry is not None]


def newest(records: Iterable[Iterable[Entry]]) -> dict[str, Entry]:
    """Return the newest entry for each output; within one record, the last."""
    latest = dict[str, Entry]()
    for entries in records:
        here = {entry.target: entry for entry in entries}
        latest |= {
            target: entry
            for target, entry in here.items()
            if target not in latest or latest[target].when <= entry.when
        }
    return latest


def _entry(line: bytes) -> Entry | None:
    if not line.strip():
        return None
    try:
        entry: Entry = as_type(Entry, json.loads(line))
    except (ValueError, RecursionError):
        return None
    return entry

"""Digests that identify contents and settings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

_BYTES = 16


def digest_of_files(paths: Iterable[Path]) -> str:
    """Return a digest of the contents of files."""
    parts = list[str]()
    for path in paths:
        with path.open("rb") as file:
            parts.append(hashlib.file_digest(file, _new).hexdigest())
    return " ".join(parts)


def digest_of_text(text: str) -> str:
    """Return a digest of a text; surrogates represent bytes of names that are not valid text."""
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=_BYTES).hexdigest()


def parts_of(path: Path) -> list[Path]:
    """Return the files of an image: for an ENVI cube, the header followed by its values."""
    values = path.with_suffix(".img")
    return [path, values] if path.suffix.lower() == ".hdr" and values.is_file() else [path]


def _new() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=_BYTES)

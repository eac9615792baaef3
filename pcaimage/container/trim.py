"""Fewer components without coding anything again."""

from __future__ import annotations

from pcaimage.container.reader import scan
from pcaimage.container.spec import Chunk
from pcaimage.container.varint import write_varint
from pcaimage.container.writer import write_chunk
from pcaimage.errors import SettingsError


def trimmed_sizes(data: bytes) -> list[int]:
    """Return how large a file would be with fewer components.

    Parameters
    ----------
    data : bytes
        A whole file.

    Returns
    -------
    list of int
        Bytes for k = 1 to the number of components.

    Raises
    ------
    FormatError
        If the file is damaged.
    """
    stops = [chunk.stop for chunk in scan(data) if chunk.kind is Chunk.COMPONENT]
    return [stop + len(_end(k)) for k, stop in enumerate(stops, start=1)]


def trim(data: bytes, k: int) -> bytes:
    """Return a file with its first components only: its own bytes, and a new end.

    Parameters
    ----------
    data : bytes
        A whole file.
    k : int
        How many components to keep, at least 1.

    Returns
    -------
    bytes
        A whole file.

    Raises
    ------
    FormatError
        If the file is damaged.
    SettingsError
        If it has fewer components.
    """
    stops = [chunk.stop for chunk in scan(data) if chunk.kind is Chunk.COMPONENT]
    if not 1 <= k <= len(stops):
        raise SettingsError(f"The file has {len(stops)} components; it cannot be trimmed to {k}.")
    return data[: stops[k - 1]] + _end(k)


def _end(k: int) -> bytes:
    return write_chunk(Chunk.END, write_varint(k))

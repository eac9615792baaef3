"""A compressed image as the bytes of a file."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.alpha import encode_alpha
from pcaimage.codec.compressed import Compressed, Metadata
from pcaimage.container.chunks import write_chunk
from pcaimage.container.groups import group_payloads
from pcaimage.container.records import spectrum_to_codes, write_component, write_header
from pcaimage.container.spec import MAJOR, MAX_PROFILE, MAX_TEXT, MINOR, PHOTO_MAJOR, SIGNATURE, Chunk
from pcaimage.container.varint import LIMIT, write_varint
from pcaimage.errors import SettingsError


def write(compressed: Compressed) -> bytes:
    """Return the bytes of a compressed image's file.

    Parameters
    ----------
    compressed : Compressed
        The image.

    Returns
    -------
    bytes
        A whole file.

    Raises
    ------
    SettingsError
        If it has what an image of its method cannot have.
    """
    parts = [SIGNATURE, bytes([PHOTO_MAJOR if compressed.header.is_photo else MAJOR, MINOR])]
    parts += [write_chunk(kind, payload) for kind, payload in _chunks(compressed)]
    return b"".join(parts)


def _chunks(compressed: Compressed) -> Iterator[tuple[Chunk, bytes]]:
    yield Chunk.HEADER, write_header(compressed.header)
    yield from _metadata(compressed.metadata)
    if compressed.spectrum.size:
        yield Chunk.SPECTRUM, _spectrum(compressed.spectrum)
    if compressed.preview is not None:
        yield Chunk.PREVIEW, _preview(compressed.preview)
    yield Chunk.MEAN, compressed.mean
    if compressed.scale is not None:
        yield Chunk.DEVIATIONS, compressed.scale
    if compressed.alpha is not None:
        yield Chunk.ALPHA, encode_alpha(compressed.alpha)
    yield from _photo(compressed) if compressed.header.is_photo else _components(compressed)
    yield Chunk.END, write_varint(compressed.k)


def _components(compressed: Compressed) -> Iterator[tuple[Chunk, bytes]]:
    if compressed.residual is not None:
        raise SettingsError("Only photos can have a residual.")
    for number, component in enumerate(compressed.components, start=1):
        yield Chunk.COMPONENT, write_component(number, component)


def _photo(compressed: Compressed) -> Iterator[tuple[Chunk, bytes]]:
    if compressed.scale is not None or any(part.precision or part.vector for part in compressed.components):
        raise SettingsError("The components of a photo have scores only, and its features no deviations.")
    for payload in group_payloads(component.scores for component in compressed.components):
        yield Chunk.GROUP, payload
    if compressed.residual is not None:
        yield Chunk.RESIDUAL, write_varint(compressed.k) + compressed.residual


def _metadata(metadata: Metadata) -> Iterator[tuple[Chunk, bytes]]:
    """Yield what there is; what is longer than a reader takes is left out."""
    if metadata.name:
        name = metadata.name.encode("utf-8", "replace")
        yield Chunk.NAME, name[-MAX_TEXT:].decode("utf-8", "ignore").encode()
    if metadata.file_size is not None and 0 <= metadata.file_size < LIMIT:
        yield Chunk.FILE_SIZE, write_varint(metadata.file_size)
    for kind, data in ((Chunk.ICC_PROFILE, metadata.icc_profile), (Chunk.EXIF, metadata.exif)):
        if data and len(data) <= MAX_PROFILE:
            yield kind, zlib.compress(data, 9)


def _spectrum(spectrum: NDArray[np.float64]) -> bytes:
    """Return the falls from each variance to the next, low bytes then high bytes, deflated."""
    codes = spectrum_to_codes(spectrum).astype(np.int32)
    falls = np.concatenate([codes[:1], -np.diff(codes)]).astype("<u2")
    return write_varint(codes.size) + zlib.compress(falls.view(np.uint8).reshape(-1, 2).T.tobytes(), 9)


def _preview(picture: NDArray[np.uint8]) -> bytes:
    sides = b"".join(map(write_varint, picture.shape))
    return sides + zlib.compress(picture.tobytes(), 9)

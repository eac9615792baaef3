"""Writing of TIFF, the format that can store every image of pcaimage.

References
----------
TIFF Revision 6.0, Adobe 1992; TIFF Technical Note 2 (Deflate), Adobe 2002; the BigTIFF file format, libtiff.
"""

from __future__ import annotations

import struct
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pcaimage.imaging.image.bands import Tag
from pcaimage.imaging.image.image import ImageStream
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.imaging.still import deflate
from pcaimage.imaging.still.deflate import Choice, Effort
from pcaimage.imaging.tiff.bands import IPTC_TAG, WHITE_TAGS, XMP_TAG, tiff_tags
from pcaimage.machine.parallel import ahead
from pcaimage.progress import Progress, no_progress
from pcaimage.strips import recut

BIG_TIFF = 3_900_000_000  # uncompressed bytes from which file offsets need 64 bits
STRIP_BYTES = 1 << 18  # approximate number of uncompressed bytes in a strip of the file

_BYTE, _ASCII, _SHORT, _LONG, _RATIONAL, _UNDEFINED, _LONG8 = 1, 2, 3, 4, 5, 7, 16
_CODES = {_SHORT: "H", _LONG: "I", _RATIONAL: "I", _LONG8: "Q"}
_DEFLATE, _HORIZONTAL, _CONTIGUOUS = 8, 2, 1
_KINDS = {"u": 1, "i": 2, "f": 3}
_RGB, _GREY = 2, 1
_UNSPECIFIED, _UNASSOCIATED = 0, 2


@dataclass(frozen=True)
class _Widths:
    """The widths of a TIFF's or a BigTIFF's numbers, as formats of :mod:`struct`."""

    count: str
    offset: str
    kind: int

    @property
    def inline(self) -> int:
        """Number of value bytes that fit into an entry."""
        return struct.calcsize(self.offset)


_CLASSIC, _BIG = _Widths("<H", "<I", _LONG), _Widths("<Q", "<Q", _LONG8)


def write_tiff(
    file: BinaryIO, image: ImageStream, *, level: int | None = None, progress: Progress = no_progress
) -> None:
    """Write an image as a TIFF with Deflate compression, a stack as its pages.

    The file is empty and open for reading and writing; zlib's level is by default optimised for speed.
    """
    big = image.raw_bytes > BIG_TIFF
    widths = _BIG if big else _CLASSIC
    file.write(b"II" + (struct.pack("<HHH", 43, 8, 0) if big else struct.pack("<H", 42)))
    link = file.tell()
    file.write(bytes(widths.inline))
    line = image.width * image.samples * image.dtype.itemsize
    rows, strips = min(image.height, max(1, STRIP_BYTES // line)), list[tuple[int, int]]()
    per_page, pages = -(-image.height // rows), 0
    with closing(image.joined()) as joined:
        work = partial(_compressed, rows=rows, choice=deflate.choice(level))
        with closing(ahead(work, _pieces(joined, image, rows))) as compressed:
            for strip in (strip for piece in compressed for strip in piece):
                strips.append((file.tell(), len(strip)))
                file.write(strip)
                if len(strips) == per_page:
                    link = _write_directory(file, link, _entries(image, rows, strips, pages, widths), widths)
                    strips, pages = [], pages + 1
                progress(
                    pages * image.height + min(len(strips) * rows, image.height), image.frames * image.height
                )
    if image.exif and not big:  # its pointers have 32 bits
        # Pillow is imported for few images.
        from pcaimage.imaging.tiff.exif import append_exif  # noqa: PLC0415

        append_exif(file, image.exif)


def _pieces(strips: Iterable[Pixels], image: ImageStream, rows: int) -> Generator[Pixels]:
    """Yield pages, shape (n, h, W, C): several whole ones, or rows of several strips of one."""
    line = image.width * image.samples * image.dtype.itemsize
    if image.is_stack:
        together = max(1, deflate.STRIP_BYTES // (line * image.height))
        yield from recut(strips, repeat(together, -(-image.frames // together)))
        return
    together = rows * max(1, deflate.STRIP_BYTES // (line * rows))
    for lines in recut(strips, repeat(together, -(-image.height // together))):
        yield lines[None]


def _compressed(pages: Pixels, rows: int, choice: Choice) -> list[bytes]:
    """Return the strips of pages, compressed with the strategy that suits a sample best."""
    lines = _predicted(pages)
    every = [page[top : top + rows] for page in lines for top in range(0, len(page), rows)]
    middle = np.ascontiguousarray(every[len(every) // 2]).reshape(-1)[: deflate.SAMPLE_BYTES]

    def tried(effort: Effort) -> bytes:
        return effort.compress(middle)

    effort = choice.strings if choice.best(tried, tried) else choice.runs
    return [effort.compress(strip.reshape(-1)) for strip in every]


def _predicted(pages: Pixels) -> NDArray[np.uint8]:
    """Return rows of bytes; integers as differences to the pixel before (TIFF 6.0, section 14)."""
    values: NDArray[Any] = np.ascontiguousarray(pages, pages.dtype.newbyteorder("<"))
    if values.dtype.kind != "f":
        whole = values.view(f"<u{values.dtype.itemsize}")
        values = whole.copy()
        values[:, :, 1:] -= whole[:, :, :-1]
    return values.reshape(*values.shape[:2], -1).view(np.uint8)


def _entries(
    image: ImageStream, rows: int, strips: Sequence[tuple[int, int]], page: int, widths: _Widths
) -> list[Tag]:
    """Return the tags of a page; those that apply to all pages are in the first."""
    samples, colours = image.samples, 3 if image.channels == 3 else 1
    extra = [_UNSPECIFIED] * (image.channels - colours) + [_UNASSOCIATED] * (image.alpha is not None)
    kind = _KINDS[image.dtype.kind]
    entries = [
        _entry(256, _LONG, image.width),
        _entry(257, _LONG, image.height),
        _entry(258, _SHORT, *[8 * image.dtype.itemsize] * samples),
        _entry(259, _SHORT, _DEFLATE),
        _entry(262, _SHORT, _RGB if colours == 3 else _GREY),
        _entry(273, widths.kind, *(start for start, _ in strips)),
        _entry(277, _SHORT, samples),
        _entry(278, _LONG, rows),
        _entry(279, widths.kind, *(size for _, size in strips)),
        Tag(282, _RATIONAL, 1, struct.pack("<II", 1, 1)),
        Tag(283, _RATIONAL, 1, struct.pack("<II", 1, 1)),
        _entry(284, _SHORT, _CONTIGUOUS),
        _entry(296, _SHORT, 1),
    ]
    if image.dtype.kind != "f":
        entries.append(_entry(317, _SHORT, _HORIZONTAL))
    if extra:
        entries.append(_entry(338, _SHORT, *extra))
    if kind != 1:
        entries.append(_entry(339, _SHORT, *[kind] * samples))
    if image.declared is not None:
        entries.append(_entry(WHITE_TAGS[0], _SHORT, *[image.declared] * samples))
    if image.icc_profile:
        entries.append(Tag(34675, _UNDEFINED, len(image.icc_profile), image.icc_profile))
    if page == 0:
        for code, kind, block in ((XMP_TAG, _BYTE, image.xmp), (IPTC_TAG, _UNDEFINED, image.iptc)):
            entries += [Tag(code, kind, len(block), block)] if block else []
        entries += tiff_tags(image.bands, image.channels)
    return sorted(entries, key=lambda entry: entry.code)


def _entry(code: int, kind: int, *values: int) -> Tag:
    return Tag(code, kind, len(values), struct.pack(f"<{len(values)}{_CODES[kind]}", *values))


def _write_directory(file: BinaryIO, link: int, entries: Sequence[Tag], widths: _Widths) -> int:
    """Append a directory, point the offset at `link` to it, and return its own link to the next one."""
    _pad(file)
    fields = []
    for entry in entries:
        data = entry.value.ljust(widths.inline, b"\0")
        if len(data) > widths.inline:
            data = struct.pack(widths.offset, file.tell())
            file.write(entry.value)
            _pad(file)
        fields.append(
            struct.pack("<HH", entry.code, entry.kind) + struct.pack(widths.offset, entry.count) + data
        )
    start = file.tell()
    file.write(struct.pack(widths.count, len(fields)) + b"".join(fields))
    following = file.tell()
    file.seek(link)
    file.write(struct.pack(widths.offset, start))
    file.seek(following)
    file.write(bytes(widths.inline))
    return following


def _pad(file: BinaryIO) -> None:
    """Pad to an even offset, where directories and values must start."""
    if file.tell() % 2:
        file.write(b"\0")

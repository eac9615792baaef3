"""Writing of TIFF, the format that can store every image of pcaimage; tifffile makes its directories.

References
----------
TIFF Revision 6.0, Adobe 1992; TIFF Technical Note 2 (Deflate), Adobe 2002; the BigTIFF file format, libtiff.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import closing
from functools import partial
from itertools import repeat
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pcaimage.imaging.image.image import ImageStream
from pcaimage.imaging.image.pixels import Pixels, recut
from pcaimage.imaging.still import deflate
from pcaimage.imaging.still.deflate import Choice, Effort
from pcaimage.imaging.tiff.bands import IPTC_TAG, WHITE_TAGS, XMP_TAG, tiff_tags
from pcaimage.machine.parallel import ahead
from pcaimage.progress import Progress, no_progress

BIG_TIFF = 3_900_000_000  # uncompressed bytes from which file offsets need 64 bits
STRIP_BYTES = 1 << 18  # approximate number of uncompressed bytes in a strip of the file

_BYTE, _SHORT, _UNDEFINED = 1, 3, 7
_UNSPECIFIED, _UNASSOCIATED = 0, 2


def write_tiff(
    file: BinaryIO, image: ImageStream, *, level: int | None = None, progress: Progress = no_progress
) -> None:
    """Write an image as a TIFF with Deflate compression, a stack as its pages.

    The file is empty and open for reading and writing; zlib's level is by default optimised for speed.
    """
    import tifffile  # noqa: PLC0415 - most commands write no TIFF

    big = image.raw_bytes > BIG_TIFF
    rows = min(image.height, max(1, STRIP_BYTES // (image.width * image.samples * image.dtype.itemsize)))
    colours, several = 3 if image.channels == 3 else 1, image.samples > 1
    extra = [_UNSPECIFIED] * (image.channels - colours) + [_UNASSOCIATED] * (image.alpha is not None)
    with closing(image.joined()) as joined, tifffile.TiffWriter(file, bigtiff=big, byteorder="<") as writer:
        work = partial(_compressed, rows=rows, choice=deflate.choice(level))
        with closing(ahead(work, _pieces(joined, image, rows))) as compressed:
            writer.write(
                _strips(compressed, image, rows, progress),
                shape=(image.frames, image.height, image.width, image.samples)[: 3 + several],
                dtype=image.dtype,
                photometric="rgb" if colours == 3 else "minisblack",
                planarconfig="contig" if several else None,
                extrasamples=extra or None,
                rowsperstrip=rows,
                compression="adobe_deflate",
                predictor=_is_predicted(image.dtype),
                iccprofile=image.icc_profile or None,
                metadata=None,
                software=False,
                extratags=_tags(image),
            )
    if image.exif and not big:  # its pointers have 32 bits
        # Pillow is imported for few images.
        from pcaimage.imaging.tiff.exif import append_exif  # noqa: PLC0415

        append_exif(file, image.exif)


def _strips(
    compressed: Iterable[list[bytes]], image: ImageStream, rows: int, progress: Progress
) -> Generator[bytes]:
    """Yield the strips of all pages, and report those that are written."""
    done, of_page = 0, -(-image.height // rows)
    for piece in compressed:
        yield from piece
        done += len(piece)
        pages, strips = divmod(done, of_page)
        progress(pages * image.height + strips * rows, image.frames * image.height)


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


def _is_predicted(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iu" and dtype.itemsize <= 4


def _predicted(pages: Pixels) -> NDArray[np.uint8]:
    """Return rows of bytes; integers as differences to the pixel before (TIFF 6.0, section 14)."""
    values: NDArray[Any] = np.ascontiguousarray(pages, pages.dtype.newbyteorder("<"))
    if _is_predicted(values.dtype):
        whole = values.view(f"<u{values.dtype.itemsize}")
        values = whole.copy()
        values[:, :, 1:] -= whole[:, :, :-1]
    return values.reshape(*values.shape[:2], -1).view(np.uint8)


def _tags(image: ImageStream) -> list[tuple[int, int, int, Any, bool]]:
    """Return the tags that tifffile does not know; all but that of white are those of the first page."""
    blocks = ((XMP_TAG, _BYTE, image.xmp), (IPTC_TAG, _UNDEFINED, image.iptc))
    tags: list[tuple[int, int, int, Any, bool]]
    tags = [(code, kind, len(block), block, True) for code, kind, block in blocks if block]
    tags += [
        (tag.code, tag.kind, tag.count, tag.value, True) for tag in tiff_tags(image.bands, image.channels)
    ]
    if image.declared is not None:
        tags.append((WHITE_TAGS[0], _SHORT, image.samples, (image.declared,) * image.samples, False))
    return tags

"""Structure-aware mutation of image files: fields, lengths and coded bytes change, checksums stay valid.

There is one function for each format. It splits a valid file, changes one part, and reassembles the file, so
that a reader reaches the changed part. It may raise any error for a file that earlier mutations have made
unreadable.
"""

from __future__ import annotations

import ast
import gzip
import io
import random
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import NamedTuple

from fuzzing.mutation import noise

_PNG_SIGNATURE = 8
_PNG_EXTRAS = (
    b"tRNS",
    b"PLTE",
    b"gAMA",
    b"iCCP",
    b"eXIf",
    b"acTL",
    b"fcTL",
    b"fdAT",
    b"sBIT",
    b"zTXt",
    b"IEND",
)

SCAN = 0xDA
_JPEG_TABLES = (0xC0, 0xC1, 0xC2, 0xC4, 0xDB, SCAN)
_JPEG_HEADS = (
    b"",
    b"Exif\0\0MM\0*\0\0\0\x08",
    b"ICC_PROFILE\0\x01\x02",
    b"Adobe\0\x64\0\0\0\0\x02",
    b"MPF\0",
)

_WORDS = (
    "",
    "-1",
    "0",
    "1.5",
    "1e9",
    "nan",
    "{",
    "}",
    "{1, 2",
    "bip",
    "9" * 25,
    "\u0663",
    "\x00",
    "yes",
    "=",
)
_FIELDS = ("samples", "lines", "bands", "header offset", "data type", "byte order", "wavelength", "fwhm")

_TYPES = (
    "|u1",
    "<u2",
    ">u2",
    "<i2",
    "<f4",
    ">f8",
    "<f2",
    "<i8",
    "|b1",
    "<c8",
    "|O",
    "<U3",
    "|V7",
    "<M8[s]",
    "|S0",
)

_TIFF_SIZES = {
    1: 1,
    2: 1,
    3: 2,
    4: 4,
    5: 8,
    6: 1,
    7: 1,
    8: 2,
    9: 4,
    10: 8,
    11: 4,
    12: 8,
    13: 4,
    16: 8,
    17: 8,
    18: 8,
}
_TIFF_TAGS = (
    *(254, 256, 257, 258, 259, 262, 266, 270, 273, 274, 277, 278, 279, 284, 285, 296, 301, 305, 317, 320),
    *(322, 323, 324, 325, 330, 338, 339, 340, 347, 513, 514, 529, 530, 532, 700, 33550, 33922, 34377, 34665),
    *(34675, 34735, 42112, 42113, 50838, 50839, 65000),
)


def integer(chance: random.Random, value: int, bits: int) -> int:
    """Return another integer of `bits` bits: a close one, a limit, or any."""
    top = (1 << bits) - 1
    near = (value - 1, value + 1, value * 2, value // 2, value + chance.randrange(1, 20), value ^ 1)
    edges = (0, 1, 2, 3, 255, 256, top, top - 1, top >> 1, (top >> 1) + 1, chance.randrange(top + 1))
    return min(max(chance.choice((*near, *near, *edges)), 0), top)


def changed_field(chance: random.Random, data: bytes, place: int, form: str) -> bytes:
    """Return bytes with another integer at an offset, if there is room for it."""
    size = struct.calcsize(form)
    if place < 0 or place + size > len(data):
        return noise(chance, data)
    (value,) = struct.unpack_from(form, data, place)
    changed = bytearray(data)
    bits = 8 * size
    struct.pack_into(form, changed, place, integer(chance, value & ((1 << bits) - 1), bits))
    return bytes(changed)


def any_bytes(chance: random.Random, data: bytes) -> bytes:
    """Mutate bytes of a format without a function of its own."""
    return noise(chance, data)


# TIFF


class Entry(NamedTuple):
    """An entry of a TIFF's directory, as offsets of itself and of its values."""

    place: int
    kind: int
    number: int
    values: int


class Tiff(NamedTuple):
    """Offsets of a TIFF's directories, of their entries, and of the links between them."""

    order: str
    offset: str
    directories: list[int]
    links: list[int]
    entries: list[Entry]


def taken_apart(data: bytes) -> Tiff:
    """Return the offsets of a valid TIFF."""
    order = "<" if data[:2] == b"II" else ">"
    big = struct.unpack_from(order + "H", data, 2)[0] == 43
    number, value, head = ("Q", "Q", 8) if big else ("H", "I", 4)
    found = Tiff(order, order + value, [], [head], [])
    entry_size, width = 4 + 2 * struct.calcsize(value), struct.calcsize(value)
    (place,) = struct.unpack_from(found.offset, data, head)
    while place and place not in found.directories and len(found.directories) < 8:
        (count,) = struct.unpack_from(order + number, data, place)
        found.directories.append(place)
        place += struct.calcsize(number)
        for at in range(place, place + count * entry_size, entry_size):
            _, kind, many = struct.unpack_from(f"{order}HH{value}", data, at)
            inline = at + 4 + width
            fits = _TIFF_SIZES.get(kind, 1) * many <= width
            found.entries.append(
                Entry(at, kind, many, inline if fits else struct.unpack_from(found.offset, data, inline)[0])
            )
        found.links.append(place + count * entry_size)
        (place,) = struct.unpack_from(found.offset, data, found.links[-1])
    return found


def tiff(chance: random.Random, data: bytes) -> bytes:
    """Mutate a directory, an entry's tag, type, count, values or offset, a link, or the strips."""
    found = taken_apart(data)
    if not found.entries:
        return noise(chance, data)
    if chance.random() < 0.15:
        return noise(chance, data)
    return chance.choice((_tiff_entry, _tiff_values, _tiff_link))(chance, data, found)


def _tiff_entry(chance: random.Random, data: bytes, found: Tiff) -> bytes:
    """Mutate the tag, type, count, value or offset of an entry, or repeat another entry."""
    entry, wide = chance.choice(found.entries), struct.calcsize(found.offset)
    what = chance.randrange(5)
    if what <= 1:
        return changed_field(chance, data, entry.place + 4 + what * wide, found.offset)
    changed = bytearray(data)
    if what == 2:
        struct.pack_into(found.order + "H", changed, entry.place, chance.choice(_TIFF_TAGS))
    elif what == 3:
        struct.pack_into(found.order + "H", changed, entry.place + 2, chance.randrange(20))
    else:
        other, length = chance.choice(found.entries), 4 + 2 * wide
        changed[other.place : other.place + length] = data[entry.place : entry.place + length]
    return bytes(changed)


def _tiff_values(chance: random.Random, data: bytes, found: Tiff) -> bytes:
    """Mutate one of an entry's values, wherever they are stored."""
    entry = chance.choice(found.entries)
    form = {1: "B", 2: "B", 3: "H", 16: "Q", 18: "Q"}.get(entry.kind, "I")
    at = entry.values + chance.randrange(min(entry.number, 50) or 1) * struct.calcsize(form)
    return changed_field(chance, data, at, found.order + form)


def _tiff_link(chance: random.Random, data: bytes, found: Tiff) -> bytes:
    """Link a directory to another one, or mutate a number of entries or the version."""
    if chance.random() < 0.4:
        return changed_field(chance, data, chance.choice((2, *found.directories)), found.order + "H")
    changed = bytearray(data)
    targets = (*found.directories, 0, 4, len(data), len(data) - 2, chance.randrange(len(data)))
    struct.pack_into(found.offset, changed, chance.choice(found.links), chance.choice(targets))
    return bytes(changed)


# PNG


def png_chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    """Return kinds and contents of a PNG's chunks."""
    chunks, place = [], _PNG_SIGNATURE
    while place + 8 <= len(data):
        (length,) = struct.unpack_from(">I", data, place)
        chunks.append((data[place + 4 : place + 8], data[place + 8 : place + 8 + length]))
        place += length + 12
    return chunks


def png(chance: random.Random, data: bytes) -> bytes:
    """Mutate the header, the filtered rows, or the order, kinds and contents of chunks; CRCs stay valid."""
    chunks = png_chunks(data)
    if not chunks:
        return noise(chance, data)
    at = chance.randrange(len(chunks))
    kind, payload = chunks[at]
    what = chance.randrange(9)
    if what <= 1:
        place, form = chance.choice(
            ((0, ">I"), (4, ">I"), (8, "B"), (9, "B"), (10, "B"), (11, "B"), (12, "B"))
        )
        chunks[0] = (chunks[0][0], changed_field(chance, chunks[0][1], place, form))
    elif what == 2:
        chunks = _other_rows(chance, chunks)
    elif what == 3:
        del chunks[at]
    elif what == 4:
        chunks.insert(chance.randrange(len(chunks) + 1), (kind, payload))
    elif what == 5:
        content = chance.choice(
            (b"", chance.randbytes(chance.choice((1, 6, 26, 300))), zlib.compress(bytes(2000)))
        )
        chunks.insert(at, (chance.choice(_PNG_EXTRAS), content))
    elif what == 6:
        chunks[at] = (chance.choice((*_PNG_EXTRAS, b"IHDR", b"IDAT")), payload)
    else:
        chunks[at] = (kind, noise(chance, payload))
    parts = [data[:_PNG_SIGNATURE]]
    wrong = chance.randrange(len(chunks)) if chunks and chance.random() < 0.05 else None
    for number, (kind, payload) in enumerate(chunks):
        length = integer(chance, len(payload), 32) if number == wrong else len(payload)
        parts += [struct.pack(">I", length), kind, payload, struct.pack(">I", zlib.crc32(kind + payload))]
    return b"".join(parts)


def _other_rows(chance: random.Random, chunks: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Mutate the image data of all IDAT chunks together, and deflate it again."""
    places = [number for number, (kind, _) in enumerate(chunks) if kind == b"IDAT"]
    try:
        rows = zlib.decompress(b"".join(chunks[place][1] for place in places))
    except zlib.error:
        return chunks
    rows = (
        rows[: len(rows) // 2]
        if chance.random() < 0.2
        else noise(chance, rows) + bytes(chance.choice((0, 0, 99)))
    )
    kept = [chunk for number, chunk in enumerate(chunks) if number not in places[1:]]
    return [(kind, zlib.compress(rows) if kind == b"IDAT" else payload) for kind, payload in kept]


# JPEG


def jpeg_segments(data: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """Return markers and contents of the segments before the first scan, and the remaining bytes."""
    segments, place = list[tuple[int, bytes]](), 2
    while place + 4 <= len(data) and data[place] == 0xFF and (not segments or segments[-1][0] != SCAN):
        length = int.from_bytes(data[place + 2 : place + 4], "big")
        segments.append((data[place + 1], data[place + 4 : place + 2 + length]))
        place += 2 + length
    return segments, data[place:]


def jpeg(chance: random.Random, data: bytes) -> bytes:
    """Mutate the frame's fields, tables, the order of segments, or the coded scan; lengths stay valid."""
    segments, scan = jpeg_segments(data)
    if not segments:
        return noise(chance, data)
    if chance.random() < 0.15:
        scan = noise(chance, scan)
    else:
        _change_segments(chance, segments)
    wrong = chance.randrange(len(segments)) if segments and chance.random() < 0.05 else None
    parts = [data[:2]]
    for number, (marker, content) in enumerate(segments):
        length = min(len(content) + 2, 65535)
        length = integer(chance, length, 16) if number == wrong else length
        parts += [bytes([0xFF, marker]), struct.pack(">H", length), content]
    return b"".join((*parts, scan))


def _change_segments(chance: random.Random, segments: list[tuple[int, bytes]]) -> None:
    at = chance.randrange(len(segments))
    marker, payload = segments[at]
    what = chance.randrange(8)
    if what <= 2:
        at = chance.choice([n for n, (each, _) in enumerate(segments) if each in _JPEG_TABLES] or [at])
        marker, payload = segments[at]
        fields = ((0, "B"), (1, ">H"), (3, ">H"), (5, "B"), (7, "B"), (8, "B"), (10, "B"))
        segments[at] = (marker, changed_field(chance, payload, *chance.choice(fields)))
    elif what == 3:
        del segments[at]
    elif what == 4:
        segments.insert(chance.randrange(len(segments) + 1), (marker, payload))
    elif what == 5:
        added = chance.choice(_JPEG_HEADS) + chance.randbytes(chance.choice((0, 4, 20)))
        segments.insert(at, (chance.choice((0xE0, 0xE1, 0xE2, 0xEE, 0xDD, 0xFE)), added))
    elif what == 6:
        segments[at] = (chance.randrange(0xC0, 0xFF), payload)
    else:
        segments[at] = (marker, noise(chance, payload))


# Arrays


def envi_header(chance: random.Random, data: bytes) -> bytes:
    """Mutate, remove, repeat or insert a field of an ENVI header."""
    lines = data.decode("utf-8", "replace").split("\n")
    at = chance.randrange(len(lines))
    key, equals, value = lines[at].partition("=")
    what = chance.randrange(7)
    if what <= 2 and equals:
        digits = re.search(r"\d+", value)
        if digits and chance.random() < 0.7:
            other = str(integer(chance, int(digits[0]), chance.choice((8, 32, 64))))
            value = value[: digits.start()] + other + value[digits.end() :]
        else:
            value = chance.choice(_WORDS)
        lines[at] = f"{key}= {value}"
    elif what == 3:
        del lines[at]
    elif what == 4:
        lines.insert(chance.randrange(len(lines) + 1), lines[at])
    elif what == 5:
        lines.insert(at, f"{chance.choice(_FIELDS)} = {chance.choice(_WORDS)}")
    else:
        return noise(chance, data)
    return "\n".join(lines).encode("utf-8", "replace")


def npy(chance: random.Random, data: bytes) -> bytes:
    """Mutate type, order or shape in an array's header, whose length stays valid, or its values."""
    version, wide = data[6:7], 2 if data[6:7] == b"\1" else 4
    length = int.from_bytes(data[8 : 8 + wide], "little")
    text, values = data[8 + wide : 8 + wide + length], data[8 + wide + length :]
    what = chance.randrange(8)
    fields = ast.literal_eval(text.decode("latin-1"))
    shape = [*fields["shape"]]
    if what <= 2 and shape:
        at = chance.randrange(len(shape))
        shape[at] = chance.choice((integer(chance, abs(int(shape[at])), chance.choice((8, 32, 62))), -1))
    elif what == 3:
        shape = chance.choice((shape[:-1], [*shape, 1], shape[::-1], [1, *shape], [], [1] * 40))
    elif what == 4:
        fields["descr"] = chance.choice(_TYPES)
    elif what == 5:
        fields["fortran_order"] = not fields["fortran_order"]
    elif what == 6:
        values = noise(chance, values) if chance.random() < 0.5 else values[: len(values) // 2]
    else:
        text = noise(chance, text)
    if what < 6:
        text = repr({**fields, "shape": tuple(shape)}).encode("latin-1") + b"\n"
    stated = len(text) if chance.random() < 0.95 else integer(chance, len(text), 8 * wide)
    version = version if chance.random() < 0.97 else bytes([chance.randrange(5)])
    return (
        data[:6] + version + data[7:8] + (stated % (1 << (8 * wide))).to_bytes(wide, "little") + text + values
    )


def npz(chance: random.Random, data: bytes) -> bytes:
    """Mutate an array of an archive, its name, or the archive's own records."""
    if chance.random() < 0.3:
        return noise(chance, data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    if not members:
        return noise(chance, data)
    at = chance.randrange(len(members))
    name, content = members[at]
    what = chance.randrange(6)
    if what <= 2:
        members[at] = (name, npy(chance, content) if content[:6] == b"\x93NUMPY" else noise(chance, content))
    elif what == 3:
        members[at] = (chance.choice(("pixels.npy", "labels.npy", "unit.npy", "../a.npy", "x")), content)
    elif what == 4:
        del members[at]
    else:
        members[at] = (name, content + bytes(1 << 20))
    packed = io.BytesIO()
    how = chance.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(packed, "w", how) as archive:
        for member, content in dict(members).items():
            archive.writestr(zipfile.ZipInfo(member), content, how)  # independent of the time
    return packed.getvalue()


def idx(chance: random.Random, data: bytes) -> bytes:
    """Mutate type, number of axes or a side of an IDX file, plain or gzipped."""
    packed = data[:2] == b"\x1f\x8b"
    if packed and chance.random() < 0.3:
        return noise(chance, data)
    plain = gzip.decompress(data) if packed else data
    what = chance.randrange(6)
    if what <= 1 and len(plain) > 8:
        plain = changed_field(chance, plain, 4 + 4 * chance.randrange(min(plain[3], 6) or 1), ">I")
    elif what == 2:
        plain = changed_field(chance, plain, 3, "B")
    elif what == 3:
        plain = plain[:2] + bytes([chance.randrange(16)]) + plain[3:]
    elif what == 4:
        plain = plain + bytes(1 << 20) if chance.random() < 0.3 else plain[: len(plain) // 2]
    else:
        plain = noise(chance, plain)
    return gzip.compress(plain, mtime=0) if packed else plain


def bmp(chance: random.Random, data: bytes) -> bytes:
    """Mutate a field of a bitmap's headers, or its palette and rows."""
    if chance.random() < 0.2:
        return noise(chance, data)
    fields = ((2, "<I"), (10, "<I"), (14, "<I"), (18, "<I"), (22, "<I"), (26, "<H"), (28, "<H"), (30, "<I"))
    place, form = chance.choice((*fields, (34, "<I"), (46, "<I"), (50, "<I"), (54, "<I")))
    return changed_field(chance, data, place, form)


def pnm(chance: random.Random, data: bytes) -> bytes:
    """Mutate a number in a portable map's header."""
    numbers = list(re.finditer(rb"\d+", data[:20]))
    if not numbers or chance.random() < 0.2:
        return noise(chance, data)
    found = chance.choice(numbers)
    other = str(integer(chance, int(found[0]), chance.choice((8, 16, 32, 64)))).encode()
    return data[: found.start()] + other + data[found.end() :]


def numbers(chance: random.Random, data: bytes) -> bytes:
    """Mutate a number that is written out: in the cards of FITS, or the lines of a header of text."""
    found = list(re.finditer(rb"(?<=[= \t'])-?\d+(\.\d+)?", data))
    if not found or chance.random() < 0.2:
        return noise(chance, data)
    place = chance.choice(found)
    value = integer(chance, abs(int(float(place[0]))), chance.choice((8, 16, 32, 64)))
    other = str(chance.choice((value, -value, 0, value / 7))).encode()
    rest = data[place.end() :]
    if data.startswith(b"SIMPLE"):  # lines have 80 bytes each
        grown = len(other) - len(place[0])
        other = other.rjust(len(place[0]))
        before = data[: place.start() - max(grown, 0)]
        return before + other + rest
    return data[: place.start()] + other + rest


def dicom(chance: random.Random, data: bytes) -> bytes:
    """Mutate an element of a DICOM file: its value, or the length of one."""
    places = [each.start() for each in re.finditer(rb"[\x08\x28\x20\x7f]\x00..[A-Z][A-Z]", data, re.DOTALL)]
    if not places or chance.random() < 0.2:
        return noise(chance, data)
    place = chance.choice(places)
    return changed_field(chance, data, place + chance.choice((6, 8)), "<H")


def nifti(chance: random.Random, data: bytes) -> bytes:
    """Mutate a field of a gzipped header of NIfTI-1: sides, type, offset, scale."""
    if chance.random() < 0.2:
        return noise(chance, data)
    plain = gzip.decompress(data)
    fields = [(40 + 2 * axis, "<h") for axis in range(8)]
    fields += [(0, "<i"), (70, "<h"), (72, "<h"), (108, "<I"), (112, "<I"), (116, "<I"), (344, "<I")]
    place, form = chance.choice(fields)
    changed = changed_field(chance, plain, place, form.upper())
    return gzip.compress(changed if chance.random() < 0.8 else changed[: chance.randrange(400)], mtime=0)


def exr(chance: random.Random, data: bytes) -> bytes:
    """Mutate a number in the header of an OpenEXR file, where windows, channels and offsets are."""
    if chance.random() < 0.2:
        return noise(chance, data)
    return changed_field(chance, data, chance.randrange(4, min(len(data) - 4, 500)), "<I")


CHANGES: dict[str, Callable[[random.Random, bytes], bytes]] = {
    **dict.fromkeys((".tif", ".tiff"), tiff),
    ".png": png,
    ".jpg": jpeg,
    ".hdr": envi_header,
    ".npy": npy,
    ".npz": npz,
    **dict.fromkeys((".idx", ".gz"), idx),
    ".bmp": bmp,
    **dict.fromkeys((".ppm", ".pgm"), pnm),
    **dict.fromkeys((".fits", ".rpl"), numbers),
    ".dcm": dicom,
    ".nii.gz": nifti,
    ".exr": exr,
}
"""The mutation of each format, by file extension; :func:`any_bytes` mutates all others."""

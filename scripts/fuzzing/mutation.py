"""Structure-aware mutation of compressed files: fields and coded bytes change, checksums stay valid.

A file is split into its chunks, some of their fields, lengths, or coded bytes are changed, and it is
reassembled. Most files are otherwise consistent, so that a decoder reaches the changed part.
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from pcaimage import container
from pcaimage.codec.compressed import DRAWN, ORDERED, REGIONS, SHRUNK, STRENGTHS, TILED, TOOL_NAMES, WEIGHTED
from pcaimage.container import spec
from pcaimage.container.writer import group_payload
from pcaimage.errors import FormatError
from pcaimage.signature import SIGNATURE
from pcaimage.varint import read_varint, write_varint
from tests.reference.container import Refused
from tests.reference.groups import segments as segments_of

_HEADER = struct.Struct("<BBBBHbBB")
_PHOTO, _BANDS = 3, 4
_EDGES = (
    0,
    1,
    2,
    127,
    128,
    255,
    256,
    16383,
    16384,
    65535,
    65536,
    (1 << 24) - 1,
    1 << 24,
    1 << 31,
    (1 << 42) - 1,
)
_BYTES = b"\x00\x01\x7f\x80\xfe\xff"
_VERSIONS = (0, *spec.UNRELEASED, spec.VERSION + 1, spec.VERSION + 15, 2 * spec.VERSION, 255)
_STARTS = (bytes(8), b"\xff" * 8, b"\xff\xff\xff\x7f" * 2, b"\0\0\0\x80" * 2, b"\1" + bytes(7))
"""First bytes of a stream at which a range coder is at an end of its range."""


class Chunk(NamedTuple):
    """A chunk with its kind, a letter, and its payload."""

    kind: bytes
    payload: bytes


class File(NamedTuple):
    """A compressed file, split into its parts."""

    version: bytes
    chunks: list[Chunk]


def taken_apart(data: bytes) -> File:
    """Return the chunks of a complete file."""
    place = len(SIGNATURE)
    chunks = [Chunk(data[c.start : c.start + 1], c.payload) for c in container.scan(data)]
    return File(data[place : place + 1], chunks)


def put_together(file: File, *, wrong: int | None = None) -> bytes:
    """Return the bytes of a file; the chunk at index `wrong` gets an invalid checksum."""
    parts = [SIGNATURE, file.version]
    for number, (kind, payload) in enumerate(file.chunks):
        body = kind + write_varint(len(payload)) + payload
        parts += [body, (zlib.crc32(body) ^ (number == wrong)).to_bytes(4, "little")]
    return b"".join(parts)


def mutated(seeds: list[bytes], number: int, seed: int) -> tuple[bytes, int]:
    """Return the mutated file of a number and a seed, and the index of its original in `seeds`."""
    chance = random.Random(f"{seed}/{number}")  # noqa: S311 - nothing is secret
    place = chance.randrange(len(seeds))
    file = taken_apart(seeds[place])
    donor = taken_apart(chance.choice(seeds))
    chunks = list(file.chunks)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 5))):
        if chance.random() < 0.15:
            _rearrange(chance, chunks, donor.chunks)
        elif chunks:
            at = _chosen(chance, chunks)
            chunks[at] = Chunk(chunks[at].kind, _damaged(chance, chunks[at], donor.chunks, _slices(chunks)))
    if chance.random() < 0.85:
        chunks = _consistent(with_tiles(chance, chunks, donor.chunks))
    version = file.version if chance.random() < 0.98 else bytes([chance.choice(_VERSIONS)])
    wrong = chance.randrange(len(chunks) + 1) if chance.random() < 0.01 else None
    data = put_together(File(version, chunks), wrong=wrong)
    while data == seeds[place] or chance.random() < 0.03:
        data = noise(chance, data)
    return data, place


def _chosen(chance: random.Random, chunks: list[Chunk]) -> int:
    """Choose a chunk: each kind with equal probability, but headers, means and data more often."""
    kinds = sorted({chunk.kind for chunk in chunks})
    kind = chance.choice([*kinds, *(kind for kind in kinds if kind in b"HMDTCGRSV" for _ in range(3))])
    return chance.choice([at for at, chunk in enumerate(chunks) if chunk.kind == kind])


def _rearrange(chance: random.Random, chunks: list[Chunk], others: list[Chunk]) -> None:
    """Remove, repeat, exchange, or insert a chunk."""
    at = chance.randrange(len(chunks) + 1)
    what = chance.randrange(6)
    if what == 0 and chunks:
        del chunks[min(at, len(chunks) - 1)]
    elif what == 1 and chunks:
        chunks.insert(at, chance.choice(chunks))
    elif what == 2 and len(chunks) > 1:
        first, second = chance.sample(range(len(chunks)), 2)
        chunks[first], chunks[second] = chunks[second], chunks[first]
    elif what == 3:
        chunks.insert(at, chance.choice(others))
    elif what == 4 and chunks:
        at = min(at, len(chunks) - 1)
        chunks[at] = Chunk(
            bytes([chance.choice(b"".join(kind.value for kind in spec.Chunk) + b"zZ!")]), chunks[at].payload
        )
    else:
        chunks.insert(at, Chunk(b"z", chance.randbytes(chance.randrange(30))))


def _consistent(chunks: list[Chunk]) -> list[Chunk]:
    """Renumber components by their order, and correct counts."""
    result, count = list[Chunk](), 0
    for kind, payload in chunks:
        changed = payload
        try:
            if kind in b"CSG":
                changed = write_varint(count + 1) + payload[read_varint(payload, 0)[1] :]
                count += read_varint(changed, read_varint(changed, 0)[1])[0] if kind == b"G" else 1
            elif kind in b"RE":
                changed = write_varint(count) + payload[read_varint(payload, 0)[1] :]
        except FormatError:
            pass
        result.append(Chunk(kind, changed))
    return result


def with_tiles(chance: random.Random, chunks: list[Chunk], others: list[Chunk]) -> list[Chunk]:
    """Let a photo have a chunk of tiles if and only if its header says so."""
    try:
        wanted = bool(_Header.read(chunks[0].payload).tools & TILED)
    except (FormatError, Refused, StopIteration, struct.error, IndexError):
        return chunks
    if not wanted:
        return [chunk for chunk in chunks if chunk.kind != b"T"]
    if any(chunk.kind == b"T" for chunk in chunks):
        return chunks
    tiles = [chunk for chunk in others if chunk.kind == b"T"] or [Chunk(b"T", chance.randbytes(40))]
    at = next((at for at, chunk in enumerate(chunks) if chunk.kind == b"G"), len(chunks))
    return [*chunks[:at], tiles[0], *chunks[at:]]


def _slices(chunks: list[Chunk]) -> int:
    """Return the number of slices of an image, in which each component has a piece; 1 if it is not known."""
    try:
        header = _Header.read(chunks[0].payload)
        lines = -(-header.sides[0] // header.fields[1]) if header.fields[0] == _PHOTO else header.sides[0]
        columns = read_varint(header.extra, 0)[0] if header.fields[0] == _BANDS else 0
        across = -(-header.sides[1] // columns) if columns else 1
        return min(across * -(-lines // header.rows), 64) if header.rows else across
    except (FormatError, Refused, StopIteration, struct.error, IndexError, ZeroDivisionError):
        return 1


def _damaged(chance: random.Random, chunk: Chunk, others: list[Chunk], slices: int) -> bytes:
    """Return a mutated payload of a chunk of an image with some slices."""
    donors = [other.payload for other in others if other.kind == chunk.kind]
    donor = chance.choice(donors) if donors else b""
    change = _CHANGES.get(chunk.kind, noise)
    if chance.random() < 0.1:
        change = noise
    elif slices > 1 and chunk.kind in (b"C", b"G") and chance.random() < 0.4:
        change = partial(_other_pieces, slices=slices)
    try:
        return change(chance, chunk.payload, donor)
    except (
        FormatError,
        Refused,
        StopIteration,
        zlib.error,
        struct.error,
        IndexError,
    ):  # an earlier mutation has damaged it
        return noise(chance, chunk.payload, donor)


def noise(chance: random.Random, data: bytes, donor: bytes = b"") -> bytes:
    """Return mutated bytes: flipped, overwritten, repeated, removed, truncated, or mixed with a donor's."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at = chance.randrange(len(changed) + 1)
        long = chance.choice((1, 1, 2, 4, 16, 64))
        what = chance.randrange(8)
        if what == 0 and at < len(changed):
            changed[at] ^= 1 << chance.randrange(8)
        elif what == 1:
            changed[at : at + long] = chance.randbytes(long)
        elif what == 2:
            changed[at : at + long] = bytes([chance.choice(_BYTES)]) * long
        elif what == 3:
            del changed[at : at + long]
        elif what == 4:
            changed[at:at] = chance.randbytes(long)
        elif what == 5:
            changed[at:at] = changed[at : at + long]
        elif what == 6 and chance.random() < 0.3:
            del changed[at:]
        elif what == 7 and donor:
            start = chance.randrange(len(donor))
            changed[at : at + long] = donor[start : start + long]
    return bytes(changed)


def coded(chance: random.Random, data: bytes, donor: bytes = b"", head: int = 0) -> bytes:
    """Mutate a stream of the range coder, which begins after `head` bytes; often at its start."""
    if chance.random() < 0.7:
        return noise(chance, data, donor)
    length = chance.randrange(1, 9)
    start = chance.choice((*_STARTS, chance.randbytes(8)))[:length]
    return data[:head] + start + data[head + length :]


def _vector(chance: random.Random, payload: bytes, donor: bytes = b"") -> bytes:
    """Mutate coded numbers, the first byte of which has predictor and scale."""
    if not payload or chance.random() < 0.7:
        return coded(chance, payload, donor, head=1)
    return bytes([chance.randrange(6) | chance.randrange(32) << 3]) + payload[1:]


def _other_pieces(chance: random.Random, payload: bytes, _donor: bytes, *, slices: int) -> bytes:
    """Change the lengths of a component's pieces in the slices, often so that their sum stays."""
    if payload[read_varint(payload, 0)[1] :] and chance.random() < 0.5:
        try:
            number, _ = read_varint(payload, 0)
            segments = segments_of(payload)[1]
        except (Refused, StopIteration):  # a single component: number, precision, vector, and then its scores
            start = _behind_vector(payload)
            return payload[:start] + moved(chance, payload[start:], slices)
        at = chance.randrange(len(segments))
        segments[at] = moved(chance, segments[at], slices)
        return group_payload(number, segments)
    start = _behind_vector(payload)
    return payload[:start] + moved(chance, payload[start:], slices)


def _behind_vector(payload: bytes) -> int:
    length, place = read_varint(payload, read_varint(payload, 0)[1] + 1)
    return min(place + length, len(payload))


def moved(chance: random.Random, segment: bytes, slices: int) -> bytes:
    """Return a segment with other lengths of its pieces, that of the last of which is not stored."""
    lengths, place = list[int](), 0
    while len(lengths) < slices - 1 and place < len(segment):
        length, place = read_varint(segment, place)
        lengths.append(length)
    if not lengths:
        return segment
    at, other = chance.randrange(len(lengths)), chance.randrange(len(lengths))
    if chance.random() < 0.6:
        shift = chance.randrange(-3, 4)
        lengths[at] = max(lengths[at] + shift, 0)
        lengths[other] = max(lengths[other] - shift, 0)
    else:
        lengths[at] = _number(chance, lengths[at])
    return b"".join(map(write_varint, lengths)) + segment[place:]


def _residual(chance: random.Random, payload: bytes, donor: bytes) -> bytes:
    """Mutate corrections: their number of components, the lengths of their slices, their streams."""
    number, place = read_varint(payload, 0)
    body = payload[place:]
    at = 4 * chance.randrange(3)
    if chance.random() < 0.3 and len(body) >= at + 4:
        (length,) = struct.unpack_from("<I", body, at)
        body = body[:at] + struct.pack("<I", _number(chance, length) & 0xFFFFFFFF) + body[at + 4 :]
    else:
        body = coded(chance, body, donor, head=at)
    return write_varint(number) + body


def _number(chance: random.Random, value: int) -> int:
    """Return another number from 0 to 2⁴² − 1."""
    near = (value - 1, value + 1, value * 2, value // 2, value + chance.randrange(1, 20), value - 8)
    choices = (*near, *near, chance.choice(_EDGES), chance.randrange(1 << chance.randrange(1, 42)))
    return min(max(chance.choice(choices), 0), (1 << 42) - 1)


class _Header(NamedTuple):
    """The fields of a header: those of all methods, those of photos or bands, and the sides.

    `extra` is what bands have before their sides, or a photo's tools with their fields. The white counts as
    the first of the sides.
    """

    fields: list[int]
    table: bytes
    rows: int
    extra: bytes
    sides: list[int]

    @classmethod
    def read(cls, payload: bytes) -> _Header:
        """Parse the payload of a header."""
        fields, place = list(_HEADER.unpack_from(payload)), _HEADER.size
        method, rows, after = fields[0], 0, 0
        table = payload[place : place + (method == _PHOTO)]
        if method in {_PHOTO, _BANDS}:
            rows, after = read_varint(payload, place + len(table))
            place = after
        behind = _behind_tools(payload, place) if table else place
        if method == _BANDS:
            behind = read_varint(payload, place)[1] + 9
        extra = payload[place:behind]
        place += len(extra)
        sides = []
        while place < len(payload):
            side, place = read_varint(payload, place)
            sides.append(side)
        return cls(fields, table, rows, extra, sides)

    @property
    def tools(self) -> int:
        """The tools of a photo; 0 for other images."""
        return read_varint(self.extra, 0)[0] if self.fields[0] == _PHOTO and self.extra else 0

    def tool_fields(self) -> dict[int, bytes]:
        """Return the fields of each tool that has such, by the tool."""
        if not self.tools:
            return {}
        place, found = read_varint(self.extra, 0)[1], dict[int, bytes]()
        for tool in _FIELDS:
            if self.tools & tool:
                stop = place + (2 if tool == REGIONS else 1 + self.extra[place])
                found[tool], place = self.extra[place:stop], stop
        return found

    def written(self) -> bytes:
        """Return the payload, without the fields that the method does not have."""
        method, more = self.fields[0], b""
        if method == _PHOTO:
            more = (self.table or b"\1") + write_varint(self.rows) + self.extra
        elif method == _BANDS:
            more = write_varint(self.rows) + (self.extra or b"\0\0" + struct.pack("<d", 255.0))
        return _HEADER.pack(*self.fields) + more + b"".join(map(write_varint, self.sides))


_FIELDS = (SHRUNK, REGIONS, WEIGHTED, ORDERED)
"""Tools that have fields in the header, in the order of these."""


def _behind_tools(payload: bytes, place: int) -> int:
    """Return where the tools of a photo and their fields end."""
    tools, place = read_varint(payload, place)
    for tool in _FIELDS:
        if tools & tool:
            place += 2 if tool == REGIONS else 1 + (payload[place] if place < len(payload) else 0)
    return min(place, len(payload))


def _header(chance: random.Random, payload: bytes, _donor: bytes = b"") -> bytes:
    return chance.choice(_HEADER_CHANGES)(chance, _Header.read(payload)).written()


def _other_sides(chance: random.Random, header: _Header) -> _Header:
    if not header.sides:  # an earlier mutation has cut them off
        return header
    at = chance.randrange(len(header.sides))
    header.sides[at] = max(1, header.sides[at] + chance.randrange(-9, 10))
    return header


def _absurd_sides(chance: random.Random, header: _Header) -> _Header:
    if not header.sides:  # an earlier change cut them off
        return header
    at = chance.randrange(len(header.sides))
    header.sides[at] = _number(chance, header.sides[at])
    return header


def _other_step(chance: random.Random, header: _Header) -> _Header:
    near = header.fields[5]
    header.fields[4] = chance.randrange(2048, 4096)
    header.fields[5] = chance.choice((-40, -20, near - 1, near + 1, 0, 20, 40))
    return header


def _any_step(chance: random.Random, header: _Header) -> _Header:
    header.fields[4:6] = chance.randrange(65536), chance.randrange(-128, 128)
    return header


def _other_scales(chance: random.Random, header: _Header) -> _Header:
    header.fields[chance.choice((6, 7))] = chance.randrange(42)
    return header


def _other_kind(chance: random.Random, header: _Header) -> _Header:
    header.fields[chance.choice((0, 2, 3))] = chance.randrange(6)
    return header


def _other_block(chance: random.Random, header: _Header) -> _Header:
    header.fields[1] = chance.randrange(66)
    return header


def _other_slices(chance: random.Random, header: _Header) -> _Header:
    return header._replace(rows=chance.choice((0, 1, 2, 3, 7, _number(chance, header.rows))))


def _other_values(chance: random.Random, header: _Header) -> _Header:
    peak = chance.choice((0.0, 1.0, 255.0, 1e-300, 1e300, -1.0, float("nan"), float("inf")))
    bits = bytes([chance.choice((0, 1, 8, 40, 216, 255))])
    return header._replace(extra=bits + struct.pack("<d", peak), table=bits)


def _noisy_tools(chance: random.Random, header: _Header) -> _Header:
    changed = bytearray(header.extra or b"\0")
    changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return header._replace(extra=bytes(changed))


def _other_tools(chance: random.Random, header: _Header) -> _Header:
    """Use a tool more or less, with the fields that it has in the header."""
    if header.fields[0] != _PHOTO or not header.sides:
        return header
    fields, tool = header.tool_fields(), chance.choice(list(TOOL_NAMES))
    tools, channels = header.tools ^ tool, header.sides[-1]
    if tools & DRAWN:
        tools |= TILED  # of which it is a way
    if tools & tool:
        fields[tool] = _fields_of(chance, tool, channels)
        if tool == SHRUNK:  # steps from 1 to 300 of 255 only
            header.fields[4:6] = (
                2048 + chance.randrange(2048),
                chance.choice((-8, -7, -6)) + 8 * (header.fields[2] - 1),
            )
    ordered = [fields[each] for each in _FIELDS if tools & each]
    return header._replace(extra=write_varint(tools) + b"".join(ordered))


def _other_fields(chance: random.Random, header: _Header) -> _Header:
    """Give the tools of a photo other values."""
    fields = header.tool_fields()
    for tool in fields:
        fields[tool] = _fields_of(chance, tool, header.sides[-1] if header.sides else 3)
    return header._replace(extra=write_varint(header.tools) + b"".join(fields.values())) if fields else header


def _other_tables(chance: random.Random, header: _Header) -> _Header:
    return header._replace(table=bytes([chance.choice((0, 1, 2, 3, 4, chance.randrange(256)))]))


def _fields_of(chance: random.Random, tool: int, channels: int) -> bytes:
    """Return random fields of a tool, in range."""
    if tool == REGIONS:
        levels = chance.randrange(2, 17)
        return bytes([levels, chance.randrange(levels)])
    count, most = {
        SHRUNK: (STRENGTHS * channels, 16),
        WEIGHTED: (channels, 32),
        ORDERED: (5 * channels - 1, 127),
    }.get(tool, (0, 0))
    values = [chance.randrange(-most, most + 1) for _ in range(count)]
    if tool == WEIGHTED:
        values = [chance.randrange(33), *values]
    return (
        struct.pack(f"B{len(values)}b", len(values) & 255, *values) if values and len(values) < 256 else b""
    )


_HEADER_CHANGES: tuple[Callable[[random.Random, _Header], _Header], ...] = (
    _other_sides,
    _other_sides,
    _other_sides,
    _absurd_sides,
    _other_step,
    _any_step,
    _other_scales,
    _other_kind,
    _other_block,
    _other_slices,
    _other_values,
    _other_tools,
    _other_tools,
    _other_fields,
    _other_tables,
    _noisy_tools,
)


def _component(chance: random.Random, payload: bytes, donor: bytes) -> bytes:
    number, place = read_varint(payload, 0)
    precision = payload[place]
    length, place = read_varint(payload, place + 1)
    vector, scores = payload[place : place + length], payload[place + length :]
    what = chance.randrange(10)
    if what < 2:
        precision = chance.choice((0, 1, 7, 8, 15, 16, 29, 30, 31, precision ^ 1))
    elif what < 5:
        vector = _vector(chance, vector, donor)
    elif what < 9:
        scores = coded(chance, scores, donor, head=chance.randrange(2))
    else:
        number = _number(chance, number)
    stated = len(vector) if chance.random() < 0.95 else _number(chance, len(vector))
    return write_varint(number) + bytes([precision & 255]) + write_varint(stated) + vector + scores


def _group(chance: random.Random, payload: bytes, donor: bytes) -> bytes:
    number, _ = read_varint(payload, 0)
    segments = segments_of(payload)[1]
    what = chance.randrange(8)
    at = chance.randrange(len(segments))
    if what < 4:
        segments[at] = coded(chance, segments[at], donor)
    elif what == 4:
        segments[at : at + chance.randrange(1, 4)] = []
        segments = segments or [b""]
    elif what == 5:
        segments[at:at] = [segments[chance.randrange(len(segments))]] * chance.randrange(1, 5)
    elif what == 6:
        segments += [chance.randbytes(chance.randrange(9))] * chance.randrange(1, 200)
    else:
        segments[at] = b""
    return group_payload(number, segments)


def _deflated(chance: random.Random, payload: bytes, donor: bytes) -> bytes:
    """Mutate the deflated data, or the bytes before it."""
    start = next((at for at in range(min(len(payload), 20)) if payload[at] == 0x78), -1)
    if start < 0:
        return noise(chance, payload, donor)
    before, content = payload[:start], zlib.decompress(payload[start:])
    if chance.random() < 0.3:
        before = noise(chance, before)
    else:
        content = noise(chance, content)
    return before + zlib.compress(content)


def _values(chance: random.Random, payload: bytes, donor: bytes) -> bytes:
    """Mutate the type, a side, the axis, the way, a field of its rest, or a deflated plane."""
    head, place, numbers = bytearray(payload[:4]), 4, list[int]()
    for _ in range(head[3] + 1):
        number, place = read_varint(payload, place)
        numbers.append(number)
    way, rest = payload[place], payload[place + 1 :]
    what = chance.randrange(6)
    if what == 0:
        head[:2] = chance.choice((b"b\1", b"i\1", b"i\2", b"u\4", b"f\2", b"f\4", b"f\x08", b"c\x10", b"c\4"))
    elif what == 1:
        head[3] = chance.choice((0, 1, 2, 5, 32, 33, 255))
    elif what == 2:
        at = chance.randrange(len(numbers))
        numbers[at] = _number(chance, numbers[at])
    elif what == 3:
        way = chance.randrange(5)
    elif what == 4:
        rest = noise(chance, rest[:20]) + rest[20:]
    else:
        rest = _deflated(chance, rest, donor)
    return bytes(head) + b"".join(map(write_varint, numbers)) + bytes([way]) + rest


def _count(chance: random.Random, payload: bytes, donor: bytes) -> bytes:
    number, place = read_varint(payload, 0)
    if chance.random() < 0.2:
        number = _number(chance, number)
    return write_varint(number) + noise(chance, payload[place:], donor)


_CHANGES: dict[bytes, Callable[[random.Random, bytes, bytes], bytes]] = {
    b"H": _header,
    b"C": _component,
    b"G": _group,
    b"S": _count,
    b"R": _residual,
    b"M": _vector,
    b"D": _vector,
    b"T": coded,
    b"E": _count,
    b"V": _values,
    b"B": _count,
    **dict.fromkeys((b"A", b"i", b"x", b"r", b"c", b"b", b"t", b"s", b"p", b"N"), _deflated),
}

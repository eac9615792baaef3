"""Reading slices of a file without the rest: the lengths of its chunks come first, in a chunk of their own.

Slices are decoded as if there were no others, so those of some lines and columns are a file of their own: a
smaller image with the same basis. docs/format.md, 7, says which bytes that takes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

import numpy as np

from pcaimage.codec.coding.segments import lengths_of
from pcaimage.codec.compressed import BasisId, Component, Compressed, Header
from pcaimage.container.reader import read
from pcaimage.container.spec import Chunk, check_version, chunk_size, scan, write_chunk
from pcaimage.errors import FormatError
from pcaimage.sampling import Blocks, Stack
from pcaimage.signature import SIGNATURE
from pcaimage.varint import read_varint, write_varint

Ranges = Callable[[Sequence[tuple[int, int]]], list[bytes]]
"""Returns the bytes from each first place to each last one (exclusive)."""

_MOST_LENGTH = 6  # bytes of a number
_SCORED = (Chunk.COMPONENT, Chunk.SCORES, Chunk.GROUP, Chunk.RESIDUAL)  # what a file consists of, or begins
GAP = 1 << 12  # bytes that are read with what is on both sides of them


def lengths(compressed: Compressed) -> bytes:
    """Return the payload that gives the lengths of components' chunks; empty where there is one slice."""
    count = slice_count(compressed.header)
    if count == 1 or compressed.header.traits.separable:
        return b""
    found = []
    for number, each in enumerate(compressed.components, start=1):
        vector = b"" if compressed.basis else bytes(1) + write_varint(len(each.vector)) + each.vector
        before = len(write_varint(number)) + len(vector)
        head = before + lengths_of(each.scores, count - 1)[1]
        found += [write_varint(head), write_varint(before + len(each.scores))]
    return b"".join(found)


def slice_count(header: Header) -> int:
    """Return the number of slices of scores."""
    rows, columns = _grid(header)
    return rows * columns


def _grid(header: Header) -> tuple[int, int]:
    height, width = header.plane_shape
    return -(-height // (header.slice_rows or height)), -(-width // (header.slice_columns or width))


@dataclass(frozen=True)
class _Pieces:
    """A component without its scores, and where those of each slice are."""

    component: Component
    bounds: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Partial:
    """A file of which slices are read as they are wanted."""

    outline: Compressed
    """All of the file but scores, vectors and corrections, of which there are none."""
    read: Ranges = field(repr=False)
    _chunks: tuple[
        tuple[int, int, int], ...
    ]  # of components: first byte, end of the head, end of the payload
    _residual: tuple[int, tuple[int, ...]] | None  # its kind, and where the streams of slices are
    _heads: dict[int, _Pieces] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, start: bytes, size: int, read_ranges: Ranges) -> Partial | None:
        """Return the file that begins so, and has so many bytes; None if all of it must be read.

        That is so without lengths, or if more comes before the scores; for damaged files, too.
        """
        try:
            front = _front(start)
            beginning = start[:front] + _end_of(0)
            outline = read(beginning, max_numbers=sys.maxsize)  # limits are for who decodes it
            places = {each.kind: each.payload for each in scan(beginning)}
            chunks = list(_located(places.get(Chunk.LENGTHS, b""), front, size))
            if isinstance(outline.header.sampling, Stack) or outline.header.traits.separable:
                return None
            end = _end_of(len(chunks))
            stops = [front, *(stop + 4 for *_, stop in chunks)]
            if size - len(end) in stops:
                chunks, corrections = chunks[: stops.index(size - len(end))], None
            else:
                corrections = _corrections(
                    outline.header, stops[-1], size - len(end), len(chunks), read_ranges
                )
            end = _end_of(len(chunks))
            if read_ranges([(size - len(end), size)]) != [end] or not (chunks or corrections):
                return None
        except (FormatError, IndexError, ValueError):
            return None
        return cls(outline, read_ranges, tuple(chunks), corrections)

    @property
    def k(self) -> int:
        """Number of components."""
        return len(self._chunks)

    @property
    def sides(self) -> tuple[int, int]:
        """Lines and columns of an image's pixels in a slice."""
        header = self.outline.header
        size = header.sampling.size if isinstance(header.sampling, Blocks) else 1
        height, width = header.plane_shape
        return size * (header.slice_rows or height), size * (header.slice_columns or width)

    def covering(self, top: int, bottom: int, left: int, right: int, k: int) -> Compressed:
        """Read the slices of some lines and columns, whose first and last are those of slices.

        The result is an image of its own, without opacity, missing data and what describes the whole.
        """
        header = self.outline.header
        rows, columns = ((stop - 1) // side for stop, side in zip((bottom, right), self.sides, strict=True))
        first_row, first_column = top // self.sides[0], left // self.sides[1]
        across = _grid(header)[1]
        numbers = [
            [row * across + column for column in range(first_column, columns + 1)]
            for row in range(first_row, rows + 1)
        ]
        heads = self._heads_of(k)
        wanted = [head.bounds for head in heads]
        if self._residual is not None and k == self.k:
            wanted.append(self._residual[1])
        found = iter(self._gathered([(b[line[0]], b[line[-1] + 1]) for b in wanted for line in numbers]))
        pieces = [_cut(bounds, numbers, found) for bounds in wanted]
        components = tuple(
            replace(head.component, scores=_segment(each)) for head, each in zip(heads, pieces, strict=False)
        )
        residual = None
        if len(pieces) > len(heads) and self._residual is not None:
            sizes = np.array([len(each) for each in pieces[-1]], "<u4").tobytes()
            residual = b"".join([write_varint(self._residual[0]), sizes, *pieces[-1]])
        return Compressed(
            header=replace(header, shape=(bottom - top, right - left, header.shape[2])),
            mean=self.outline.mean,
            components=components,
            scale=self.outline.scale,
            residual=residual,
            basis=self.outline.basis,
            lacks_basis=self.outline.lacks_basis,
        )

    def _heads_of(self, k: int) -> list[_Pieces]:
        lacking = [number for number in range(k) if number not in self._heads]
        if lacking:
            parts = self._gathered([self._chunks[number][:2] for number in lacking])
            count = slice_count(self.outline.header)
            for number, data in zip(lacking, parts, strict=True):
                self._heads[number] = _pieces(data, number, self._chunks[number], count, self.outline.basis)
        return [self._heads[number] for number in range(k)]

    def _gathered(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return ranges in rising order, of which neighbours are read together."""
        together = list[list[int]]()
        for start, stop in ranges:
            if together and 0 <= start - together[-1][1] <= GAP:
                together[-1][1] = stop
            else:
                together.append([start, stop])
        blocks = dict(
            zip((start for start, _ in together), self.read([(a, b) for a, b in together]), strict=True)
        )
        starts, found = sorted(blocks), []
        for start, stop in ranges:
            first = starts[int(np.searchsorted(starts, start, "right")) - 1]
            found.append(blocks[first][start - first : stop - first])
        return found


def _front(start: bytes) -> int:
    """Return where components, or corrections, begin; FormatError if not in the beginning of a file."""
    check_version(start)
    place = len(SIGNATURE) + 1
    while place < len(start):
        if start[place : place + 1] in {each.value for each in _SCORED}:
            return place
        length, place = read_varint(start, place + 1)
        place += length + 4
    raise FormatError("No component is in the beginning of the file.")


def _end_of(k: int) -> bytes:
    return write_chunk(Chunk.END, write_varint(k))


def _located(payload: bytes, front: int, size: int) -> Iterator[tuple[int, int, int]]:
    """Yield where the chunks of components begin, and where their heads and their payloads end."""
    place = 0
    while place < len(payload):
        head, place = read_varint(payload, place)
        length, place = read_varint(payload, place)
        start = front + chunk_size(length) - length - 4
        if head > length or start + length > size:
            return  # those that a trimmed file has no more
        yield front, start + head, start + length
        front = start + length + 4


def _corrections(
    header: Header, start: int, stop: int, k: int, read_ranges: Ranges
) -> tuple[int, tuple[int, ...]]:
    """Return the kind of corrections, and where their streams are; FormatError if there are none."""
    count = slice_count(header)
    (data,) = read_ranges([(start, min(start + 1 + 3 * _MOST_LENGTH + 4 * count, stop))])
    length, place = read_varint(data, 1)
    first = start + place
    known, place = read_varint(data, place)
    error, place = read_varint(data, place)
    sizes = np.frombuffer(data, "<u4", count, place).tolist()
    bounds = tuple(accumulate(sizes, initial=start + place + 4 * count))
    if (data[:1], known, bounds[-1], first + length + 4) != (Chunk.RESIDUAL.value, k, first + length, stop):
        raise FormatError("The corrections are not where they should be.")
    return error, bounds


def _pieces(
    data: bytes, number: int, chunk: tuple[int, int, int], count: int, basis: BasisId | None
) -> _Pieces:
    """Parse the beginning of a component's chunk, up to its pieces of scores."""
    _, head, stop = chunk
    length, place = read_varint(data, 1)
    kind, first = Chunk.COMPONENT if basis is None else Chunk.SCORES, place
    found, place = read_varint(data, place)
    if (data[:1], found, length) != (kind.value, number + 1, stop - head + len(data) - first):
        raise FormatError(
            f"Component {number + 1} is not where the file says; it has changed, or is damaged."
        )
    component = Component(0, b"", b"")
    if basis is None:
        precision, (size, place) = data[place], read_varint(data, place + 1)
        component, place = Component(precision, data[place : place + size], b""), place + size
    lengths, end = lengths_of(data[place:], count - 1)
    bounds = (*accumulate(lengths, initial=head), stop)
    if place + end != len(data) or bounds[-2] > stop:
        raise FormatError(f"Component {number + 1} is damaged.")
    return _Pieces(component, bounds)


def _cut(bounds: tuple[int, ...], numbers: list[list[int]], found: Iterator[bytes]) -> list[bytes]:
    """Return the pieces of slices from those of neighbours together."""
    pieces = list[bytes]()
    for line in numbers:
        data, first = next(found), bounds[line[0]]
        pieces += [data[a - first : b - first] for a, b in pairwise(bounds[line[0] : line[-1] + 2])]
    return pieces


def _segment(pieces: list[bytes]) -> bytes:
    return b"".join([*(write_varint(len(each)) for each in pieces[:-1]), *pieces])

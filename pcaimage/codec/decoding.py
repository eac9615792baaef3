"""Decoding by the core: containers, and the lines of images from the top, as parts are decoded."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import SHRUNK, STRENGTHS, Compressed, Header
from pcaimage.codec.step import Step
from pcaimage.core.decoder import (
    Container,
    Decoder,
    HeaderFields,
    StoredComponent,
    TableFile,
    header_in,
    inflate,
)
from pcaimage.errors import ModelError
from pcaimage.machine.parallel import ahead
from pcaimage.progress import Progress, counted, no_progress, part
from pcaimage.quality import MOST
from pcaimage.sampling import Bands, Blocks, Lapped, Sampling, Stack
from pcaimage.varint import write_varint

__all__ = ["Container", "Decoding", "decode_strips", "fields_of", "header_in", "header_of", "inflate"]

_DTYPES = ("", "uint8", "uint16", "int16", "float32")
_METHODS: tuple[type[Sampling], ...] = (Blocks, Bands, Stack, Lapped)

MEAN, SCALE, ENTRIES, SCORES = range(4)  # kinds of numbers
STRIP = 1 << 20  # approximate numbers of a strip
_STEPS = 4, 16  # how often decoding a slice, and an image, at least tell how far they are, and can be stopped
_ALONE = 1 << 16  # bytes of pixels up to which one thread is faster than several


def header_of(fields: HeaderFields) -> Header:
    """Return the header with fields as the core reads them."""
    method = _METHODS[fields.method]
    images = (fields.images,) if method is Stack else ()
    white = fields.type == 2 and fields.peak < MOST
    strengths = STRENGTHS * fields.channels if fields.tools & SHRUNK else 0
    return Header(
        shape=(*images, fields.height, fields.width, fields.channels),
        dtype=_DTYPES[fields.type],
        sampling=method(fields.block) if method in {Blocks, Lapped} else method(),
        step=Step(fields.mantissa, fields.exponent),
        mean_bits=fields.mean_bits,
        scale_bits=fields.scale_bits if fields.standardized else None,
        has_channel_axis=bool(fields.has_channels),
        tables=fields.tables,
        tools=fields.tools,
        strengths=tuple(fields.strengths[:strengths]),
        levels=fields.levels,
        middle=fields.middle,
        weights=tuple(fields.weights[: fields.n_weights]),
        slopes=tuple(fields.slopes[: fields.n_slopes]),
        slice_rows=fields.stated_lines,
        slice_columns=fields.stated_columns,
        value_bits=fields.value_bits,
        largest=fields.peak if method is Bands else int(fields.peak) if white else None,
    )


def fields_of(header: Header) -> HeaderFields:
    """Return the fields of a header, as the core takes them."""
    images, height, width, channels = header.shape if len(header.shape) == 4 else (1, *header.shape)
    fields = HeaderFields(
        method=_METHODS.index(type(header.sampling)),
        block=header.sampling.size if isinstance(header.sampling, Blocks | Lapped) else 0,
        type=_DTYPES.index(header.dtype),
        has_channels=header.has_channel_axis,
        standardized=header.scale_bits is not None,
        mantissa=header.step.mantissa,
        exponent=header.step.exponent,
        mean_bits=header.mean_bits,
        scale_bits=header.scale_bits or 0,
        slice_lines=header.slice_rows or header.plane_shape[0],
        slice_columns=header.slice_columns or header.plane_shape[1],
        images=images,
        height=height,
        width=width,
        channels=channels,
        value_bits=header.value_bits,
        peak=header.peak,
        tables=header.tables,
        tools=header.tools,
        levels=header.levels,
        middle=header.middle,
        n_weights=len(header.weights),
        n_slopes=len(header.slopes),
    )
    for name in ("strengths", "weights", "slopes"):
        getattr(fields, name)[: len(getattr(header, name))] = getattr(header, name)
    return fields


class Decoding:
    """The first k components of an image, or all, while they are decoded; corrections belong to all.

    SettingsError if there are fewer than k, ModelError if the basis has not been attached.
    """

    def __init__(
        self, compressed: Compressed, k: int | None = None, *, tables: Sequence[TableFile] | None = None
    ) -> None:
        if compressed.lacks_basis:
            raise ModelError(f"The image's basis is in a model file, with the id {compressed.basis}.")
        if k is not None:
            compressed = compressed.trimmed(k)
        self.header, self.k = compressed.header, compressed.k
        residual = compressed.residual
        self.core = Decoder(
            fields_of(compressed.header),
            [StoredComponent(each.precision, each.vector, each.scores) for each in compressed.components],
            mean=compressed.mean,
            tables=tables,
            scale=compressed.scale,
            missing=compressed.missing,
            tiles=compressed.tiles,
            residual=None if residual is None else write_varint(self.k) + residual,
        )
        self._parts = sorted(range(self.core.info.parts), key=self.core.lines_of)
        self._is_direct = compressed.is_direct
        self._steps = max(_STEPS[0], _STEPS[1] // len(self._parts))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.core.close()

    def strips(
        self, progress: Progress = no_progress, image: NDArray[Any] | None = None
    ) -> Generator[NDArray[Any]]:
        """Decode and reconstruct the image from the top, in strips of lines, or of a stack's images.

        They are parts of an `image` of the header's shape, if there is one.
        """
        whole = None if image is None else image.reshape(-1, *self.header.shape[-2:])
        count = self.core.info.corrections
        cuts = [self.core.corrected_by(number) for number in range(count)] if count else self._cuts()
        tick = counted(part(progress, 0, 1), len(self._parts) * self._steps + len(cuts))

        def make(number: int) -> NDArray[Any]:
            start, stop = cuts[number]
            lines = self._room(start, stop) if whole is None else whole[start:stop]
            if not self._is_direct:
                self.core.put_lines(self.k, start, lines)
            if count:
                self.core.correct(number, lines)
            tick(1)
            return lines

        with closing(self._ready(tick)) as ready, closing(self._known(cuts, ready)) as known:
            made = self._spread(make, known, len(cuts))
            with closing(made):
                for lines in made:
                    yield lines.reshape(-1, *self.header.shape[1:])

    def decode_all(self, progress: Progress = no_progress) -> None:
        """Decode all parts."""
        self._decode_parts(self._parts, progress)

    def decode_only(self, parts: range) -> None:
        """Decode some parts: those of vectors, which come first, or of tiles, which come behind slices."""
        self._decode_parts(list(parts), no_progress)

    def numbers(self, kind: int, count: int, component: int = 0) -> NDArray[np.int32]:
        """Return numbers of blocks, bands or a stack whose parts are decoded."""
        found = np.empty(count, np.int32)
        self.core.put_numbers(kind, component, found)
        return found

    def _decode_parts(self, parts: list[int], progress: Progress) -> None:
        tick = counted(part(progress, 0, 1), len(parts) * self._steps)
        for _ in self._spread(lambda number: self._decode(number, tick), parts, len(parts)):
            pass

    def frame(self, index: int, progress: Progress = no_progress) -> NDArray[Any]:
        """Reconstruct one image of a stack."""
        height = self.header.shape[1]
        start, stop = index * height, (index + 1) * height
        spans = {number: self.core.lines_of(number) for number in self._parts}
        parts = [number for number, (first, last) in spans.items() if first < stop and last > start]
        self._decode_parts(parts, progress)
        lines = self._room(start, stop)
        self.core.put_lines(self.k, start, lines)
        return lines.reshape(self.header.output_shape[1:])

    def _spread(self, work: Callable[[int], Any], items: Iterable[int], count: int) -> Generator[Any]:
        """Yield what work makes of items, on all cores if that is worth it."""
        if count < 2 or self.header.raw_bytes < _ALONE:
            yield from map(work, items)
        else:
            yield from ahead(work, items)

    def _decode(self, number: int, tick: Callable[[int], None]) -> None:
        for step in range(1, self._steps + 1):
            self.core.decode(number, self.k * step // self._steps)
            tick(1)

    def _ready(self, tick: Callable[[int], None]) -> Generator[int]:
        """Decode all parts; yield after each the line before which all is known."""
        starts = [self.core.lines_of(part)[0] for part in self._parts[1:]]
        done = self._spread(lambda number: self._decode(number, tick), self._parts, len(self._parts))
        with closing(done):
            for _, stop in zip(done, [*starts, self.core.info.lines], strict=True):
                yield stop

    def _known(self, cuts: list[tuple[int, int]], ready: Generator[int]) -> Generator[int]:
        """Yield the number of each strip as soon as its parts are decoded."""
        known = 0
        for number, (_, stop) in enumerate(cuts):
            while known < stop:
                known = next(ready)
            yield number

    def _cuts(self) -> list[tuple[int, int]]:
        height, width, channels = self.header.shape[-3:]
        unit = height if len(self.header.shape) == 4 else 1
        lines, total = unit * max(1, STRIP // (width * channels * unit)), self.core.info.lines
        return [(start, min(start + lines, total)) for start in range(0, total, lines)]

    def _room(self, start: int, stop: int) -> NDArray[Any]:
        return np.empty((stop - start, *self.header.shape[-2:]), self.header.dtype)


def decode_strips(
    compressed: Compressed,
    k: int | None = None,
    progress: Progress = no_progress,
    image: NDArray[Any] | None = None,
) -> Generator[NDArray[Any]]:
    """Decode and reconstruct an image as :meth:`Decoding.strips` does."""
    with Decoding(compressed, k) as decoding, closing(decoding.strips(progress, image)) as strips:
        yield from strips

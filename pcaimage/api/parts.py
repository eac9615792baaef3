"""Parts of images: windows of an array, and files of which only what they need is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from operator import index
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from pcaimage import container
from pcaimage.codec import Compressed
from pcaimage.container.partial import Partial
from pcaimage.errors import PcaImageError, SettingsError
from pcaimage.imaging import Limits
from pcaimage.imaging.disk.ranges import Ranges
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.progress import Progress, counted, no_progress

if TYPE_CHECKING:
    from pcaimage.codec.linear.missing import Missing

HEAD = 1 << 16  # bytes at the beginning of a file that are read at once
AT_ONCE = 1 << 27  # bytes of pixels that are decoded at once


@dataclass(frozen=True)
class Window:
    """A part of an array: from a first to a last place (exclusive) of each axis.

    Parameters
    ----------
    spans : tuple of slice
        Of each axis, with a start and a stop.
    bands : tuple of int or None
        Places of the last axis, if they are not a span.
    """

    spans: tuple[slice, ...]
    bands: tuple[int, ...] | None = None

    @classmethod
    def of_key(cls, key: Any, shape: tuple[int, ...]) -> tuple[Window, tuple[int | slice, ...]]:
        """Return the window that indexing by numbers and slices needs, and the index of the rest in it.

        IndexError or TypeError is raised for other keys, as NumPy does.
        """
        keys = key if isinstance(key, tuple) else (key,)
        if keys.count(Ellipsis) > 1:
            raise IndexError("an index can only have a single ellipsis ('...')")
        if Ellipsis not in keys:
            keys = (*keys, Ellipsis)
        place, lacking = keys.index(Ellipsis), len(shape) - len(keys) + 1
        if lacking < 0:
            raise IndexError(f"too many indices: the image has {len(shape)} axes")
        full = (*keys[:place], *(slice(None),) * lacking, *keys[place + 1 :])
        pairs = [_axis(each, length) for each, length in zip(full, shape, strict=True)]
        return cls(tuple(span for span, _ in pairs)), tuple(rest for _, rest in pairs)

    @property
    def chosen(self) -> tuple[int, ...]:
        """Places of the last axis."""
        last = self.spans[-1]
        return tuple(range(last.start, last.stop)) if self.bands is None else self.bands

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the part."""
        return (*(span.stop - span.start for span in self.spans[:-1]), len(self.chosen))

    def check(self, shape: tuple[int, ...]) -> None:
        """Raise SettingsError if an array of a shape does not have such a part."""
        sides = " × ".join(f"{side:,}" for side in shape)
        fits = len(self.spans) == len(shape) and all(
            0 <= span.start <= span.stop <= side for span, side in zip(self.spans, shape, strict=True)
        )
        if not fits or not all(0 <= band < shape[-1] for band in self.bands or ()):
            raise SettingsError(f"The image is an array of {sides} numbers; it does not have such a part.")

    def of(self, pixels: Pixels) -> Pixels:
        """Return this part of an array."""
        return self.chosen_of(pixels[self.spans])

    def chosen_of(self, pixels: Pixels) -> Pixels:
        """Return the chosen places of the last axis of an array that is cut to the spans already."""
        return pixels if self.bands is None else pixels[..., list(self.bands)]


def _axis(key: Any, length: int) -> tuple[slice, int | slice]:
    """Return the span of an axis that a key needs, and the key for that."""
    if isinstance(key, slice):
        places = range(*key.indices(length))
        if not places:
            return slice(0, 0), slice(0, 0)
        first = min(places[0], places[-1])
        last = places[-1] - first + (1 if places.step > 0 else -1)
        span = slice(first, max(places[0], places[-1]) + 1)
        return span, slice(places[0] - first, None if last < 0 else last, places.step)
    place = index(key)
    if not -length <= place < length:
        raise IndexError(f"index {place} is out of bounds for an axis of {length}")
    place %= length
    return slice(place, place + 1), 0


@dataclass(frozen=True, eq=False)
class Parts:
    """A file of which parts are read, with the limits of images."""

    ranges: Ranges
    partial: Partial
    limits: Limits

    @classmethod
    def of(cls, place: str, limits: Limits) -> Parts | None:
        """Return the file at a path or URL; None if it is small, damaged, or has a single slice."""
        ranges = Ranges.of(place)
        if ranges is None or ranges.size <= HEAD:
            return None
        try:
            partial = Partial.of(ranges.read([(0, HEAD)])[0], ranges.size, ranges.read)
        except PcaImageError:
            return None  # whoever reads all of it says why
        return None if partial is None else cls(ranges, partial, limits)

    @property
    def name(self) -> str:
        """The name of the file."""
        return PurePath(self.ranges.place).name

    @cached_property
    def _missing(self) -> Missing | None:
        from pcaimage.codec.linear.coding import missing_of  # noqa: PLC0415 - few files are read in parts

        return missing_of(self.partial.outline)

    def decode(
        self, window: Window, k: int, decoded: Callable[[bytes], Pixels], progress: Progress = no_progress
    ) -> Pixels:
        """Reconstruct a part by the first k components; the function decodes the files of slices."""
        header = self.partial.outline.header
        shape = header.output_shape
        rows, columns = window.spans[:2]
        high, wide = self.partial.sides
        left, right = columns.start // wide * wide, min(-(-columns.stop // wide) * wide, shape[1])
        line = (right - left) * header.shape[2] * np.dtype(header.dtype).itemsize
        step = high * max(1, AT_ONCE // (high * line))
        starts = range(rows.start // high * high, rows.stop, step)
        tick, found = counted(progress, len(starts)), list[Pixels]()
        for top in starts:
            bottom = min(top + step, -(-rows.stop // high) * high, shape[0])
            slices = self._with_missing(self.partial.covering(top, bottom, left, right, k), top, left)
            first, last = max(rows.start, top), min(rows.stop, bottom)
            here = (slice(first - top, last - top), slice(columns.start - left, columns.stop - left))
            part = Window((*here, *window.spans[2:]), window.bands)
            found.append(np.ascontiguousarray(part.of(decoded(container.write(slices)))))
            tick(1)
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _with_missing(self, slices: Compressed, top: int, left: int) -> Compressed:
        """Add the mask of missing data."""
        if self._missing is None:
            return slices
        height, width = slices.header.shape[:2]
        found = self._missing.part(top, top + height, left, left + width)
        return replace(slices, missing=found.to_bytes()) if found.mask.any() else slices

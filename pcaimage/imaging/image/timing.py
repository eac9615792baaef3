"""Timing of animations: the durations of a stack's images, and the number of rounds."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, groupby

from pcaimage.errors import DataError, FormatError
from pcaimage.varint import LIMIT, read_varint, write_varint

_MICROSECONDS = 1000  # microseconds in a millisecond
_SHORTEST, _USUAL = 11.0, 100.0
"""Durations below the first, which many files have by mistake, are shown for the second, as in browsers."""


@dataclass(frozen=True)
class Timing:
    """The timing of an animation.

    DataError if a duration or the number of plays is negative, not finite, or beyond 50 days.
    """

    durations: tuple[float, ...]  # milliseconds for which each image is shown, to the microsecond
    plays: int = 0  # number of times that all images are shown in turn; 0 for ever

    def __post_init__(self) -> None:
        most = LIMIT / _MICROSECONDS
        if not all(math.isfinite(each) and 0 <= each < most - 1 for each in self.durations):
            raise DataError("The durations of images must be milliseconds that are not negative.")
        if not 0 <= self.plays < LIMIT:
            raise DataError(f"An animation cannot be played {self.plays} times.")
        object.__setattr__(self, "durations", tuple(round(float(each), 3) for each in self.durations))

    @property
    def total(self) -> float:
        """Milliseconds of all images together."""
        return math.fsum(self.durations)

    @property
    def shown(self) -> tuple[float, ...]:
        """Milliseconds for which viewers show each image: those of at most 10 become 100, as in browsers."""
        return tuple(each if each >= _SHORTEST else _USUAL for each in self.durations)

    @property
    def text(self) -> str:
        """Duration and plays in words, such as ``"0.48 s, 80 ms a frame, played for ever"``."""
        least, most = min(self.durations), max(self.durations)
        each = f"{least:g} ms" if least == most else f"{least:g} to {most:g} ms"
        plays = {0: "played for ever", 1: "played once"}.get(self.plays, f"played {self.plays:,} times")
        return f"{self.total / 1000:.3g} s, {each} a frame, {plays}"

    def at(self, elapsed: float) -> tuple[int, float] | None:
        """Return which image a viewer shows so many milliseconds after it began, and for how long still.

        None after the last time that the images are shown.
        """
        ends = [*accumulate(self.shown)]
        if self.plays and elapsed >= self.plays * ends[-1]:
            return None
        within = elapsed % ends[-1]
        index = min(bisect_right(ends, within), len(ends) - 1)
        return index, ends[index] - within

    def rounded(self, unit: float) -> list[int]:
        """Return the durations in whole units of so many milliseconds.

        They are rounded such that all together last as long as before. None that viewers respect becomes so
        short that they do not.
        """
        ends = [round(end / unit) for end in accumulate(self.durations)]
        least = math.ceil(_SHORTEST / unit)
        return [
            max(end - begin, min(least, math.ceil(duration / unit)))
            for begin, end, duration in zip([0, *ends], ends, self.durations, strict=False)
        ]

    def to_bytes(self) -> bytes:
        """Return the payload of chunk ``t`` of a ``.pcai`` file, which ``docs/format.md`` defines."""
        runs = ((duration, len([*same])) for duration, same in groupby(self.durations))
        numbers = (write_varint(n) for duration, n in runs for n in (n, round(duration * _MICROSECONDS)))
        return write_varint(self.plays) + b"".join(numbers)

    @classmethod
    def from_bytes(cls, data: bytes, frames: int) -> Timing | None:
        """Return the timing of so many images in the payload of chunk ``t``; None if it is damaged."""
        durations: list[float] = []
        try:
            plays, place = read_varint(data, 0)
            while place < len(data):
                count, place = read_varint(data, place)
                duration, place = read_varint(data, place)
                if not 0 < count <= frames - len(durations):
                    return None
                durations += [duration / _MICROSECONDS] * count
            return cls(tuple(durations), plays) if len(durations) == frames else None
        except (FormatError, DataError):
            return None

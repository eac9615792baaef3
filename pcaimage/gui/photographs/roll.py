"""The photographs of the strip, as one frozen value. No Qt here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath

from pcaimage.api import Preset
from pcaimage.gui.session.opening import Several
from pcaimage.gui.session.sharing import Own


@dataclass(frozen=True)
class Photograph:
    """One of several photographs, with its own settings if it does not follow the shared ones."""

    path: str
    n_bytes: int = 0  # 0 if it is unknown
    own: Own | None = None

    @property
    def name(self) -> str:
        """The name of the file."""
        return PurePath(self.path).name


@dataclass(frozen=True)
class Roll:
    """The photographs that are open, in the order of the strip, no file twice."""

    photographs: tuple[Photograph, ...] = ()
    shared: Preset | None = None  # None for those that every image begins with

    @classmethod
    def of(cls, several: Several, own: Callable[[str, int], Own | None] = lambda *_: None) -> Roll:
        """Return several images as photographs with what `own` says of a file and its length."""
        files = zip(several.files, several.sizes, strict=True)
        return cls(tuple(Photograph(file, size, own(file, size)) for file, size in files))

    def __len__(self) -> int:
        """Return the number of photographs."""
        return len(self.photographs)

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The place of each photograph by its path."""
        return {each.path: row for row, each in enumerate(self.photographs)}

    @cached_property
    def n_bytes(self) -> int:
        """The length of all files."""
        return sum(each.n_bytes for each in self.photographs)

    @cached_property
    def own(self) -> tuple[Photograph, ...]:
        """The photographs that have their own settings."""
        return tuple(each for each in self.photographs if each.own is not None)

    def with_own(self, path: str, own: Own | None) -> Roll:
        """Return the roll with other settings of a photograph; None lets it follow the shared ones."""
        row = self.rows.get(path)
        if row is None or self.photographs[row].own == own:
            return self
        changed = replace(self.photographs[row], own=own)
        return replace(self, photographs=(*self.photographs[:row], changed, *self.photographs[row + 1 :]))

    def sharing(self, shared: Preset) -> Roll:
        """Return the roll with the same settings for all photographs."""
        return Roll(tuple(replace(each, own=None) for each in self.photographs), shared)

    def given(self, own: Own | None, rows: Collection[int]) -> Roll:
        """Return the roll with the same settings for some photographs."""
        changed = (replace(each, own=own) if n in rows else each for n, each in enumerate(self.photographs))
        return replace(self, photographs=tuple(changed))

    def without(self, rows: Collection[int]) -> Roll:
        """Return the roll without some photographs."""
        gone = frozenset(rows)
        left = (each for row, each in enumerate(self.photographs) if row not in gone)
        return replace(self, photographs=tuple(left))

    def joined(self, other: Roll) -> Roll:
        """Return the roll with more photographs at its end; those that it has stay where they are."""
        new = (each for each in other.photographs if each.path not in self.rows)
        return replace(self, photographs=(*self.photographs, *new))

"""Rooms of the house: packages, their size, and who uses them.

The limits of rooms stand in ``limits.json``. A limit is what was there when something was last taken out of
the room, and may only fall: what needs lines takes them from elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from structure.circles import edges
from structure.source import Module

LIMITS = Path(__file__).with_name("limits.json")
"""The largest number of lines of each room."""
DIVIDED = frozenset({"pcaimage.codec", "pcaimage.gui", "pcaimage.imaging", "pcaimage.insight"})
"""Packages whose packages are rooms of their own."""
FEW = 6
"""Largest number of users that are named."""


@dataclass(frozen=True)
class Room:
    """A room, its number of lines and of modules, their limit, and the rooms that import from it."""

    name: str
    lines: int
    modules: int
    limit: int
    users: tuple[str, ...]

    @property
    def is_met(self) -> bool:
        """Whether it is within its limit."""
        return self.lines <= self.limit


def room_of(module: str, packages: Iterable[str]) -> str:
    """Return the room in which a module stands, given the names of all packages."""
    parts = module.split(".")
    room = parts[0]
    for part in parts[1:]:
        inner = f"{room}.{part}"
        if inner not in packages or (room != parts[0] and room not in DIVIDED):
            break
        room = inner
    return room


def rooms(found: Iterable[Module], limits: Mapping[str, int]) -> list[Room]:
    """Return the rooms of modules, by name; one without a limit may have no lines."""
    found = list(found)
    packages = {module.name for module in found if module.is_package}
    standing: dict[str, list[Module]] = {}
    for module in found:
        standing.setdefault(room_of(module.name, packages), []).append(module)
    users: dict[str, set[str]] = {room: set() for room in standing}
    for name, others in edges(found).items():
        here = room_of(name, packages)
        for room in {room_of(other, packages) for other in others} - {here}:
            users[room].add(here)
    return [
        Room(
            room,
            sum(each.lines for each in inside),
            len(inside),
            limits.get(room, 0),
            tuple(sorted(users[room])),
        )
        for room, inside in sorted(standing.items())
    ]


def read_limits() -> dict[str, int]:
    """Return the largest number of lines of each room."""
    found: dict[str, int] = json.loads(LIMITS.read_text(encoding="utf-8"))
    return found


def lower_limits(found: Iterable[Room]) -> None:
    """Lower the limits to what is there; a room that is gone loses its own, and none is raised."""
    lowered = {room.name: min(room.lines, room.limit) for room in found}
    LIMITS.write_text(json.dumps(lowered, indent=2) + "\n", encoding="utf-8")


def table(found: Iterable[Room]) -> str:
    """Format rooms as lines of text."""
    lines = [f"{'room':28}  {'lines':>6}  {'at most':>7}  {'modules':>7}  used by"]
    for room in found:
        few = len(room.users) <= FEW
        users = ", ".join(room.users).replace("pcaimage.", "") if few else f"{len(room.users)} rooms"
        missed = "  missed" if not room.is_met else ""
        lines.append(
            f"{room.name:28}  {room.lines:6,}  {room.limit:7,}  {room.modules:7}{missed}  {users}".rstrip()
        )
    return "\n".join(lines)

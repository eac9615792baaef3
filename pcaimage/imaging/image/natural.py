"""Natural order of names, in which 2 comes before 10."""

from __future__ import annotations

import re


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return a sort key for natural order, in which 2 comes before 10."""
    parts = re.split(r"([0-9]+)", name.casefold())
    return [(int(part), "") if index % 2 else (0, part) for index, part in enumerate(parts)]

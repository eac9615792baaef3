"""The arguments and options of the commands, with their help, by the names of the commands' parameters.

They are data: those of one command that are unlike those of others have its name before theirs, and what
converts a value or completes it is named as in :mod:`~pcaimage.cli.declared`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pcaimage import choices
from pcaimage.cli import declared
from pcaimage.cli.declared import Argument, Option
from pcaimage.machine.folders import tables

_UNDIVIDED = ("gui", "info", "compare", "table")
"""Commands with few options, which need no headings."""


def declaration(command: str, parameter: str) -> Argument | Option:
    """Return what is declared of a command's parameter."""
    found = _DECLARED.get(f"{command}.{parameter}") or _DECLARED[parameter]
    if command in _UNDIVIDED and isinstance(found, Option):
        return replace(found, panel=None)
    return found


def _read() -> Iterator[tuple[str, Argument | Option]]:
    """Yield arguments and options by their names."""
    for panel, entries in tables("options.json").items():
        for entry in entries:
            names = entry.pop("of").split()
            made = _made(panel, entry)
            yield from ((name, made) for name in names)


def _made(panel: str, entry: dict[str, Any]) -> Argument | Option:
    entry["help"] = entry["help"].replace("{names}", choices.listed(choices.WRITABLE))
    if panel == "arguments":
        return Argument(**entry)
    for key in ("parser", "values"):
        if key in entry:
            entry[key] = getattr(declared, entry[key])
    return Option(**{**entry, "names": tuple(entry.get("names", ())), "panel": panel or None})


_DECLARED = dict(_read())

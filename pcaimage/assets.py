"""Paths of icons and resources, in an installed package and in a source checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def asset(*parts: str) -> Path:
    """Return the path of an installed file, such as ``asset("icons", "open.svg")``."""
    for root in (_PACKAGE / "_assets", _PACKAGE.parent):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise FileNotFoundError(f"pcaimage was installed without {'/'.join(parts)}.")

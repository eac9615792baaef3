"""Prints the oldest dependencies that the package supports, as constraints for pip."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def lower_bounds(requirements: list[str]) -> list[str]:
    """Return a constraint such as ``numpy==2.0`` for each requirement such as ``numpy>=2.0,<3``.

    Every requirement has a lower bound; markers are kept.
    """
    bounds = []
    for requirement in requirements:
        found = re.fullmatch(r"([\w.-]+)>=([\w.]+)[^;]*(;.*)?", requirement)
        if found is None:
            raise ValueError(f"{requirement} has no lower bound.")
        name, version, marker = found.groups(default="")
        bounds.append(f"{name}=={version}{marker}")
    return bounds


def main() -> None:
    """Print the constraints of the package's dependencies, and of its readers of formats."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extra = project["optional-dependencies"]["formats"]
    print("\n".join(lower_bounds([*project["dependencies"], *extra])))


if __name__ == "__main__":
    main()

"""Size and start of each library that the program stands on: ``python -m benchmarks.dependencies``.

Prints a table in Markdown: megabytes as installed, without compiled modules of Python, and the processor
time of the import, the least of several processes, beyond that of what the program has loaded before.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from importlib import metadata

REPEATS = 9
IMPORTS = {
    "numpy": ("numpy", ""),
    "pillow": ("PIL.Image", ""),
    "pi-heif": ("pi_heif", "PIL.Image"),
    "pillow-jxl-plugin": ("pillow_jxl", "PIL.Image"),
    "tifffile": ("tifffile", "numpy"),
    "argcomplete": ("argcomplete", "argparse"),
    "rich": ("rich.console, rich.table, rich.progress", ""),
    "PySide6-Essentials": ("PySide6.QtWidgets", ""),
    "pyqtgraph": ("pyqtgraph", "numpy, PySide6.QtWidgets"),
}
"""What is imported of each, and before it."""

WITH = {"PySide6-Essentials": ["shiboken6"], "rich": ["markdown-it-py", "mdurl", "Pygments"]}
"""What each brings along."""


def megabytes(name: str) -> float:
    """Return the size of an installed package."""
    paths = (each.locate() for each in metadata.distribution(name).files or () if each.suffix != ".pyc")
    return sum(os.stat(path).st_size for path in paths if os.path.isfile(path)) / 1e6  # noqa: PTH113, PTH116


def seconds(code: str) -> float:
    """Return the least processor time of a process that runs some code."""
    found = []
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


def main() -> None:
    """Print the table."""
    print("| | size | import |\n|---|---:|---:|")
    for name, (own, before) in IMPORTS.items():
        plain = f"import {before}" if before else "pass"
        took = seconds(f"{plain}\nimport {own}") - seconds(plain)
        size = sum(map(megabytes, [name, *WITH.get(name, [])]))
        print(f"| {name} | {size:.1f} MB | {1000 * took:.0f} ms |")


if __name__ == "__main__":
    main()

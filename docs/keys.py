"""Writes the keys into the guide to the window: ``python docs/keys.py``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtWidgets import QApplication

from pcaimage.gui.commands.help import all_keys

GUIDE = Path(__file__).parent / "window.md"
MARK = "<!-- The rest of this page is written by docs/keys.py. -->\n"


def keys() -> str:
    """Return the keys as Markdown, with a table for each group."""
    parts = []
    for title, rows in all_keys():
        lines = "".join(f"| {pressed} | {what} |\n" for pressed, what in rows)
        parts.append(f"\n### {title}\n\n| keys | |\n|---|---|\n{lines}")
    return "".join(parts)


def main() -> int:
    """Replace the tables of keys in the guide, and return the exit code."""
    _app = QApplication(sys.argv[:1])  # knows the platform's keys
    before, mark, _ = GUIDE.read_text(encoding="utf-8").partition(MARK)
    if not mark:
        raise SystemExit(f"{GUIDE.name} lacks the line {MARK!r}.")
    GUIDE.write_text(before + MARK + keys(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

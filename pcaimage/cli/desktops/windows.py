"""The program in this user's part of Windows' registry, so that the Explorer opens ``.pcai`` files with it.

References: Microsoft, "File types", "Programmatic identifiers", "How to include an application on the Open
With dialog box", "Distributing registry changes".
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from pcaimage.cli.desktops import KINDS
from pcaimage.errors import ImageError
from pcaimage.machine.folders import asset

_CLASSES = r"HKEY_CURRENT_USER\Software\Classes"
_KINDS = {f".{suffix}": (f"pcaimage.{word}", *rest) for suffix, (word, *rest) in KINDS.items()}
_OFFERED = (".png", ".jpg", ".jpeg", ".webp", ".avif", ".heic", ".jxl", ".bmp", ".gif", ".tif", ".tiff")
"""Images that others open, but that are offered to be opened with the program."""


def install() -> None:
    """Add the types of files, and offer the program for images."""
    _folder().mkdir(parents=True, exist_ok=True)
    icon = _folder() / "pcaimage.ico"
    png = asset("icons", "app", "pcaimage-256.png").read_bytes()
    icon.write_bytes(struct.pack("<3H4B2H2I", 0, 1, 1, 0, 0, 0, 0, 1, 32, len(png), 22) + png)
    enter(added(_program(), icon))


def remove() -> None:
    """Remove what was added."""
    enter(removed())
    shutil.rmtree(_folder(), ignore_errors=True)


def added(command: str, icon: Path) -> str:
    """Return the registry's entries of the program; `command` starts it, before a file's name."""
    keys: list[tuple[str, dict[str, str]]] = []
    for suffix, (name, comment, mime) in _KINDS.items():
        keys += [
            (suffix, {"": name, "Content Type": mime}),
            (name, {"": comment}),
            (rf"{name}\DefaultIcon", {"": str(icon)}),
            (rf"{name}\shell\open\command", {"": f'{command} "%1"'}),
        ]
    keys += [(rf"{suffix}\OpenWithProgids", {"pcaimage.Image": ""}) for suffix in _OFFERED]
    return _file("\n".join([f"[{_CLASSES}\\{key}]", *map(_entry, values.items())]) for key, values in keys)


def removed() -> str:
    """Return the entries that remove those of the program."""
    keys = [key for suffix, (name, *_) in _KINDS.items() for key in (suffix, name)]
    offered = (f'[{_CLASSES}\\{suffix}\\OpenWithProgids]\n"pcaimage.Image"=-' for suffix in _OFFERED)
    return _file([*(f"[-{_CLASSES}\\{key}]" for key in keys), *offered])


def _entry(entry: tuple[str, str]) -> str:
    name, value = (text.replace("\\", "\\\\").replace('"', '\\"') for text in entry)
    return f'"{name}"="{value}"' if name else f'@="{value}"'


def _file(entries: Iterable[str]) -> str:
    return "\n\n".join(["Windows Registry Editor Version 5.00", *entries, ""])


def _folder() -> Path:
    return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "pcaimage" / "desktop"


def _program() -> str:
    """Return the start of the command line: the program that has no console, by whatever way it is there."""
    started = Path(sys.executable).with_name("pcaimage-gui.exe")
    without = Path(sys.executable).with_name("pythonw.exe")
    return f'"{started}"' if started.exists() else f'"{without}" -m pcaimage gui'


def enter(text: str) -> None:
    """Enter what a file of the registry says."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pcaimage.reg"
        file.write_text(text, "utf-16")
        done = subprocess.run(["reg", "import", file], check=False, capture_output=True)  # noqa: S603, S607
    if done.returncode:
        raise ImageError("Windows did not take the entries of its registry.")

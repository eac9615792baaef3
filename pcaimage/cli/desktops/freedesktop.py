"""The program in desktops as freedesktop.org specifies them, which then open and preview ``.pcai`` files.

References: freedesktop.org's Desktop Entry, Shared MIME-info and Icon Theme specifications; its Thumbnail
Managing Standard; ImageMagick, "Resources" (``delegates.xml``).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import quoteattr

from pcaimage.cli.desktops import MIME, NAME
from pcaimage.cli.program import completion, manual
from pcaimage.errors import ImageError
from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.machine.folders import asset

_DELEGATE = re.compile(r' *<delegate (decode="png" en|de)code="pcai"[^>]*/>\n?')
_COMPLETIONS = {
    "bash": "bash-completion/completions/pcaimage",
    "zsh": "zsh/site-functions/_pcaimage",
    "fish": "fish/vendor_completions.d/pcaimage.fish",
}
_SIZES = (16, 32, 48, 64, 128, 256, 512)


def install() -> None:
    """Add menu entry, file types, icons, previews, manual, completions, and ImageMagick's delegates."""
    data, delegates = _data(), _delegates()
    for path, content in _files(_program()):
        _write(data / path, content)
    _write(delegates, with_delegates(_text(delegates), _program()).encode())
    _refresh(data)


def remove() -> None:
    """Remove all that was added."""
    data = _data()
    for path, _ in _files(Path(NAME)):
        (data / path).unlink(missing_ok=True)
    _remove_delegate(_delegates())
    _refresh(data)


def _data() -> Path:
    return _folder("XDG_DATA_HOME", ".local/share")


def _delegates() -> Path:
    return _folder("XDG_CONFIG_HOME", ".config") / "ImageMagick" / "delegates.xml"


def _folder(variable: str, usual: str) -> Path:
    named = Path(os.environ.get(variable, ""))  # the specification says to ignore relative paths
    return named if named.is_absolute() else Path.home() / usual


def _program() -> Path:
    """Return the path of the program, which the desktop may not find by its name."""
    started, beside = Path(sys.argv[0]).absolute(), Path(sys.executable).parent / "pcaimage"
    found = shutil.which("pcaimage")
    if started.name == "pcaimage" and os.access(started, os.X_OK):
        return started
    return beside if beside.exists() or found is None else Path(found)


def _files(program: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the desktop, below the folder of the user's data."""
    entry = asset("resources", f"{NAME}.desktop").read_text("utf-8")
    entry = re.sub(r"^Exec=pcaimage", lambda _: f'Exec="{program}"', entry, flags=re.MULTILINE)
    entry = re.sub(r"^TryExec=.*", lambda _: f"TryExec={program}", entry, flags=re.MULTILINE)
    yield f"applications/{NAME}.desktop", entry.encode()
    yield f"thumbnailers/{NAME}.thumbnailer", _thumbnailer(program).encode()
    yield f"metainfo/{NAME}.metainfo.xml", asset("resources", f"{NAME}.metainfo.xml").read_bytes()
    yield f"mime/packages/{NAME}.xml", asset("resources", f"{NAME}.mime.xml").read_bytes()
    for name, page in manual():
        yield f"man/{name}", page.encode()
    for shell, path in _COMPLETIONS.items():
        yield path, completion(shell).encode()
    for kind, name in (("apps", NAME), ("mimetypes", MIME.replace("/", "-"))):
        scalable = asset("icons", "app", "pcaimage.svg").read_bytes()
        yield f"icons/hicolor/scalable/{kind}/{name}.svg", scalable
        for size in _SIZES:
            icon = asset("icons", "app", f"pcaimage-{size}.png").read_bytes()
            yield f"icons/hicolor/{size}x{size}/{kind}/{name}.png", icon


def _thumbnailer(program: Path) -> str:
    """Return the entry of a thumbnailer: by the command of libpcai, which starts sooner, where that is."""
    fast = shutil.which("pcai")
    script = f'"{program}" decode "$0" - --quiet --format png --resize "$2x$2" >"$1"'
    command = f'"{fast}" thumbnail %i %o %s' if fast else f"sh -c '{script}' %i %o %s"
    return f"[Thumbnailer Entry]\nTryExec={fast or program}\nExec={command}\nMimeType={MIME};\n"


def with_delegates(text: str, program: Path) -> str:
    """Return ImageMagick's delegates with those that read and write ``.pcai`` files, by a shell's commands.

    Without the latter, it writes a file of another kind by that name. An empty text stands for no delegates.
    """
    text = (
        _DELEGATE.sub("", text) or '<?xml version="1.0" encoding="UTF-8"?>\n<delegatemap>\n</delegatemap>\n'
    )
    if "</delegatemap>" not in text:
        raise ImageError("ImageMagick's delegates.xml is not as it should be; it was left alone.")
    fast = shutil.which("pcai")
    slow = f'"{program}" decode "%i" - --quiet --format png > "%o"'
    decoding = f'"{fast}" decode "%i" "%o"' if fast else slow
    for kinds, command in (
        ('decode="pcai"', decoding),
        ('decode="png" encode="pcai"', f'"{program}" encode "%i" - --quiet > "%o"'),
    ):
        line = f"  <delegate {kinds} command={quoteattr(command, {chr(34): '&quot;'})}/>\n"
        text = text.replace("</delegatemap>", f"{line}</delegatemap>")
    return text


def _remove_delegate(path: Path) -> None:
    text = _DELEGATE.sub("", _text(path))
    if "<delegate " in text:
        _write(path, text.encode())
    else:
        path.unlink(missing_ok=True)


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write_bytes(path, content, overwrite=True)


def _refresh(data: Path) -> None:
    """Tell the desktop; one without these programs finds the files at the next login."""
    for program, *words in (
        ("update-mime-database", data / "mime"),
        ("update-desktop-database", data / "applications"),
        ("gtk-update-icon-cache", "--ignore-theme-index", "--quiet", data / "icons" / "hicolor"),
    ):
        if shutil.which(program):
            subprocess.run([program, *words], check=False, capture_output=True)  # noqa: S603

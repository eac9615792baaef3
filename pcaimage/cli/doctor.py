"""``pcaimage doctor``: what is installed, what lacks, and the command that cures it.

Nothing but Python's own library is needed to get here, so that whatever else lacks can be told.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import platform
import re
import shlex
import shutil
import sys
import unicodedata
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from pcaimage import __version__
from pcaimage.choices import READABLE, listed
from pcaimage.cli import qt_libraries
from pcaimage.cli.commands import DoctorCommand
from pcaimage.cli.desktops import NAME
from pcaimage.cli.terminal import say, say_json, warn
from pcaimage.cli.window import WindowError, check_screen
from pcaimage.errors import PcaImageError
from pcaimage.language import Own, tr

CORE = "pcaimage.core.library"

_USES = {
    "science": "HDF5, NetCDF and MATLAB files, and TIFFs of LZW, Zstandard and LERC",
    "formats": "FITS, DICOM, NIfTI, OpenEXR, and the files of microscopes",
    "avif": "AVIF of 10 and 12 bits",
    "cluster": "batches on a Dask cluster, and images at URLs",
    "zarr": "the codec of chunked arrays",
    "xarray": "the backend of data sets",
}
_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[^]]*\])?\s*([^;\s]*)(?:.*extra == ['\"](\w+))?")


class Finding(NamedTuple):
    """What was found of one part of the program."""

    part: str
    text: str
    state: str = "ok"  # or "lacks", where the program needs it, or "optional"
    cure: str = ""  # the command that mends it


def doctor(given: DoctorCommand) -> None:
    """Tell what is installed; exit with 1 if something lacks that the program needs."""
    findings = [*_program(), *_packages(), *_window(), *_desktop(), *_cluster(given.scheduler)]
    lacking = [each for each in findings if each.state == "lacks"]
    if given.as_json:
        say_json({"healthy": not lacking, "findings": [each._asdict() for each in findings]})
    else:
        width = max(len(tr(each.part)) for each in findings)
        for each in findings:
            state, name = _filled(tr(each.state), 8), _filled(tr(each.part), width)
            say(Own(f"{state}  {name}  {tr(each.text)}"))
            if each.cure:
                say(Own(f"{'':8}  {'':{width}}  {each.cure}"))
        say("Something lacks that the program needs." if lacking else "All that the program needs is there.")
    if lacking:
        raise SystemExit(1)


def _filled(text: str, width: int) -> str:
    """Return a text with spaces to a width in columns, of which letters of Japanese and Chinese take two."""
    return text + " " * (width - sum(1 + (unicodedata.east_asian_width(each) in "WF") for each in text))


def _pip(*wanted: str) -> str:
    command = [sys.executable, "-m", "pip", "install", *wanted]
    return "" if getattr(sys, "frozen", False) else shlex.join(command)


def _make(target: str) -> str:
    """Return the command that makes something, where the program runs from its sources; else nothing."""
    tree = Path(__file__).parents[2]
    return f"make -C {shlex.quote(str(tree))} {target}" if (tree / "Makefile").is_file() else ""


def _program() -> Iterator[Finding]:
    yield Finding("pcaimage", f"{__version__}, in {Path(__file__).parents[1]}")
    yield Finding("Python", f"{platform.python_version()}, {sys.executable}, on {platform.platform()}")
    cure = _make("core") or _pip("--force-reinstall", "--no-deps", "pcaimage")
    try:
        library = importlib.import_module(CORE)
        library.check()
        yield Finding("core", f"compiled, in {library.path_of_library()}")
    except ImportError as error:
        yield Finding("core", f"cannot be loaded: {error}", "lacks", _pip("numpy"))
    except PcaImageError as error:
        yield Finding("core", str(error).partition(":")[0] + ".", "lacks", cure)


def _packages() -> Iterator[Finding]:
    """Yield the packages that the program requires, one by one, and those of its extras together."""
    try:
        required = metadata.requires("pcaimage") or []
    except metadata.PackageNotFoundError:
        yield Finding("packages", "pcaimage is not installed", "lacks", _pip(str(Path(__file__).parents[2])))
        return
    extras: dict[str, list[str]] = {}
    told = set[str]()
    for name, versions, extra in (found.groups() for text in required if (found := _REQUIREMENT.match(text))):
        lack = _lack(name, versions)
        if extra:
            extras.setdefault(extra, []).extend([name + versions] if lack else [])
        elif name not in told:
            told.add(name)
            yield (
                Finding(name, lack, "lacks", _pip(name + versions))
                if lack
                else Finding(name, metadata.version(name))
            )
    for title, lacking in extras.items():
        use = _USES.get(title, f"the extra {title}")
        names = ", ".join(re.split("[<>=!~]", each)[0] for each in lacking)
        lack = f"{use}: without {names}"
        yield Finding(title, lack, "optional", _pip(*lacking)) if lacking else Finding(title, use)
    yield from _formats()


def _lack(name: str, versions: str) -> str:
    """Return what is wrong with an installed package; empty if nothing is."""
    try:
        there = metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
    least = re.search(r">=([\d.]+)", versions)
    numbers = [
        [int(each) for each in re.findall(r"\d+", text)[:3]] for text in (there, least[1] if least else "")
    ]
    return f"{there}, which is older than {versions}" if numbers[0] < numbers[1] else ""


def _formats() -> Iterator[Finding]:
    """Yield what is opened, and the formats that this build of Pillow lacks."""
    without = _USES["science"].partition(" files")[0] if _lack("h5py", "") else ""
    yield Finding("opens", listed([each for each in READABLE if each not in without]))
    try:
        formats = importlib.import_module("pcaimage.imaging.image.formats").supported_formats()
    except ImportError:
        return  # the packages say so
    for title in (title for title, version in formats.items() if not version):
        cure = _pip("--upgrade", "--force-reinstall", "pillow")
        yield Finding("opens", f"no {title}: Pillow was built without it", "lacks", cure)


def _window() -> Iterator[Finding]:
    """Yield what the window needs: Qt, the system's libraries, and a screen."""
    if importlib.util.find_spec("PySide6") is None:
        return  # the packages say so
    looked = qt_libraries.qt_files(window=True) if sys.platform == "linux" else []
    if missing := qt_libraries.missing_libraries(looked):
        cure = " && ".join(f"sudo {shlex.join(each)}" for each in qt_libraries.install_commands(missing))
        yield Finding("Qt", f"needs {', '.join(missing)}", "lacks", cure)
    elif trouble := qt_libraries.trouble_at_start():
        yield Finding(
            "Qt", trouble.splitlines()[-1], "lacks", _pip("--force-reinstall", "PySide6-Essentials")
        )
    else:
        yield Finding("Qt", "starts")
    try:
        check_screen(os.environ, sys.platform)
        yield Finding("screen", "there is one")
    except WindowError as error:
        yield Finding("screen", str(error), "optional")


def _desktop() -> Iterator[Finding]:
    """Yield what this user's desktop knows of the program, and the command beside it."""
    if sys.platform.startswith("linux"):
        own = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
        entry = Path("applications", f"{NAME}.desktop")
        known = any(Path(data, entry).exists() for data in (own, "/usr/share", "/usr/local/share"))
        text = "opens .pcai files with pcaimage" if known else "does not know .pcai files"
        yield Finding("desktop", text, *(() if known else ("optional", "pcaimage desktop --install")))
    fast = shutil.which("pcai")
    text = f"{fast}, by which previews are fast" if fast else "not there; previews are made by pcaimage"
    yield Finding("pcai", text, *(() if fast else ("optional", _make("install-lib"))))


def _cluster(address: str | None) -> Iterator[Finding]:
    if address is None:
        return
    from pcaimage.batching.processes import cluster  # noqa: PLC0415 - few ask for it

    try:
        with cluster(address, 1, warn) as found:
            yield Finding(address, f"answers, with {found.threads} threads")
    except PcaImageError as error:
        yield Finding(address, str(error), "lacks", f"dask scheduler  # and then: dask worker {address}")

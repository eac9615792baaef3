"""Crash reports: written to a file of this user, and not sent anywhere.

A report has the traceback, the versions of all libraries and the platform. It has no contents of files, but
the error's message may contain file names, so users should read it before they pass it on.
"""

from __future__ import annotations

import datetime as dt
import os
import platform
import re
import secrets
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path

from pcaimage.machine.folders import private_folder

FOLDER = "reports"
KEPT = 20  # number of newest reports that are kept, and most reports that a process writes

_ENDING = ".txt"
_NAME = re.compile(r"[A-Za-z0-9._-]+")
written: dict[tuple[str, str], Path] = {}
"""Reports of this process by type and place of the error, as a fault may recur with every mouse move."""
_lock = threading.Lock()


def sentence_of(error: BaseException, report: Path | None) -> str:
    """Return the sentence that reports an unexpected error; `report` is None if none could be written."""
    kind, text = type(error).__name__, " ".join(str(error).split())
    what = f"Something unexpected went wrong ({f'{kind}: {text}' if text else kind})."
    if report is None:
        return f"{what} It happened in {_place(error)}; please report it."
    return f"{what} A report is in {report}; it was not sent anywhere."


def write_report(error: BaseException) -> Path | None:
    """Write the report of an error, and return its path; None if that is not possible.

    The same error at the same place has one report.
    """
    signature = (type(error).__name__, _place(error))
    with _lock:
        if signature not in written:
            if len(written) >= KEPT:
                return None
            path = write_text("".join(traceback.format_exception(error)))
            if path is None:
                return None
            written[signature] = path
        return written[signature]


def write_text(what: str) -> Path | None:
    """Write a report with a description of a crash, and return its path; None if that is not possible."""
    now = dt.datetime.now(dt.UTC)
    try:
        folder = private_folder(FOLDER)
        path = folder / f"crash-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}{_ENDING}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with open(path, "w", encoding="utf-8", opener=lambda name, _: os.open(name, flags, 0o600)) as file:
            home, text = os.path.expanduser("~"), f"{_head(now)}\n{what}"  # noqa: PTH111 - raises no error
            text = text.replace(home, "~") if len(home) > 1 else text
            file.write(text.encode(errors="replace").decode())
        for old in sorted(folder.glob(f"crash-*{_ENDING}"))[:-KEPT]:
            old.unlink(missing_ok=True)
    except OSError:
        return None
    return path


def _head(now: dt.datetime) -> str:
    lines = {
        **_versions(),
        "Time": f"{now:%Y-%m-%d %H:%M:%S} UTC",
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "System": f"{platform.platform()}, {os.cpu_count()} processors",
        "Encoding": sys.getfilesystemencoding(),
        "Thread": threading.current_thread().name,
    }
    return "".join(f"{name}: {value}\n" for name, value in lines.items())


def _versions() -> dict[str, str]:
    """Return the installed versions of the libraries that pcaimage needs."""
    from importlib import metadata  # noqa: PLC0415 - it takes long to load, and few programs report anything

    found: dict[str, str] = {}
    with suppress(metadata.PackageNotFoundError):
        found["pcaimage"] = metadata.version("pcaimage")
        for requirement in metadata.requires("pcaimage") or ():
            name = _NAME.match(requirement)
            if name is not None and "extra ==" not in requirement:
                with suppress(metadata.PackageNotFoundError):
                    found[name[0]] = metadata.version(name[0])
    return found


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{os.path.basename(frames[-1].filename)}, line {frames[-1].lineno}" if frames else "the program"  # noqa: PTH119

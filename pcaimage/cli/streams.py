"""Standard input and output, and pipes, in place of files.

An input stream is copied to a temporary file once its first bytes have been recognised. Standard output is
first written to a temporary file, verified there, and then copied.
"""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pcaimage import imaging
from pcaimage.api import check_signature
from pcaimage.cli.files import naming
from pcaimage.cli.terminal import warn
from pcaimage.container import SIGNATURE
from pcaimage.errors import ImageError, ImageTooLargeError

if TYPE_CHECKING:
    from pcaimage.imaging import Limits

STANDARD = Path("-")
"""The name that stands for standard input or standard output."""

PATIENCE = 1.0
"""Seconds of silence after which the program says what it is waiting for."""

_HEAD = 16
_PIECE = 1 << 20


@contextmanager
def source_file(path: Path, *, compressed: bool = False, limits: Limits | None = None) -> Iterator[Path]:
    """Yield a file with the contents of a path: the path itself, or a temporary copy of a stream.

    With `compressed` only ``.pcai`` files are accepted. A stream may be as long as an image may have bytes.
    """
    if path != STANDARD and not path.is_fifo():
        yield path
        return
    name = "standard input" if path == STANDARD else path.name
    with _folder() as folder:
        copy = folder / name
        with _announcing(name) as arrived, opened(path) as stream:
            start = stream.read(_HEAD)
            arrived.set()
            _check(start, name, compressed=compressed)
            _copy(start, stream, copy, (limits or imaging.Limits.default()).max_bytes)
        yield copy


@contextmanager
def target_file(path: Path, suffix: str) -> Iterator[Path]:
    """Yield a file to write to: the path itself, or for `-` a temporary one that is printed at the end."""
    if path != STANDARD:
        yield path
        return
    if sys.stdout is None or sys.stdout.isatty():
        raise ImageError(
            "Standard output is a terminal, which cannot show such a file; redirect it to a file or program."
        )
    with _folder() as folder:
        written = folder / f"standard output{suffix}"
        yield written
        with written.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer, _PIECE)
        sys.stdout.buffer.flush()


def _folder() -> AbstractContextManager[Path]:
    """Return a temporary folder; if this process is killed, the next such call removes it."""
    import tempfile  # noqa: PLC0415 - files need no copies

    from pcaimage.imaging.disk.temporary import temporary_folder  # noqa: PLC0415 - as above

    return temporary_folder(Path(tempfile.gettempdir()), private=True)


def opened(path: Path) -> nullcontext[BinaryIO] | BinaryIO:
    """Open a stream; standard input stays open afterwards."""
    if path != STANDARD:
        return path.open("rb")
    if sys.stdin is None or sys.stdin.isatty():
        raise ImageError("Standard input is a terminal; send a file to it, as in `pcaimage info - < FILE`.")
    return nullcontext(sys.stdin.buffer)


@contextmanager
def _announcing(name: str) -> Iterator[threading.Event]:
    """Say what the program is waiting for, unless the event is set soon."""
    arrived = threading.Event()

    def wait() -> None:
        if not arrived.wait(PATIENCE):
            warn(f"waiting for data from {name}")

    threading.Thread(target=wait, daemon=True).start()
    try:
        yield arrived
    finally:
        arrived.set()


def _check(start: bytes, name: str, *, compressed: bool) -> None:
    """Refuse a stream by its first bytes; the rest of it may be endless."""
    if not start:
        raise ImageError(f"{name[0].upper()}{name[1:]} is empty.")
    if compressed or start.startswith(SIGNATURE):
        with naming(Path(name)):
            check_signature(start)
    else:
        from pcaimage.imaging.reading.read_file import check_recognised  # noqa: PLC0415 - as above

        check_recognised(start, name)


def _copy(start: bytes, stream: BinaryIO, copy: Path, limit: int) -> None:
    with copy.open("xb") as file:
        piece = start
        while piece:
            if file.tell() + len(piece) > limit:
                raise ImageTooLargeError(
                    f"{copy.name} has more than {limit / 1e9:,.1f} GB; save it to a file, or raise --limit."
                )
            file.write(piece)
            piece = stream.read(_PIECE)

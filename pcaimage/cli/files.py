"""Checking, opening and reading of the files given to commands, and of streams in place of files.

An input stream is copied to a temporary file once its first bytes have been recognised. Standard output is
first written to a temporary file, verified there, and then copied.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from pcaimage import api, imaging
from pcaimage.api import CompressedImage, check_signature, open_file
from pcaimage.cli.declared import Pages, UsageError
from pcaimage.cli.terminal import warn
from pcaimage.codec import Settings
from pcaimage.container import SIGNATURE
from pcaimage.errors import FormatError, ImageError, ImageTooLargeError, SettingsError, TruncatedError
from pcaimage.imaging import Contents, Image, Limits, ReadAs, Stored
from pcaimage.imaging.disk.urls import located, uploaded, url_of
from pcaimage.imaging.image.source import is_folder
from pcaimage.imaging.moving.animation import ANIMATED, DamagedAnimationError
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import TYPES
from pcaimage.sampling import Bands, Stack
from pcaimage.signature import is_compressed


@dataclass(frozen=True)
class Reading:
    """The part that is read of a file of several images."""

    pages: Pages | None = None  # by default as the file says
    frame: int | None = None  # the one image to read, counted from 1
    salvage: bool = False  # whether to read the intact frames of a damaged animation
    member: str | None = None  # the array to read, and the part of it
    axis: int | None = None  # of its bands
    stored: bool = False  # whether to read arrays as they stand that would change as images


def check_output(
    path: Path, *, overwrite: bool, suffix: str | None = None, what: str = "compressed images"
) -> None:
    """Raise ImageError or UsageError if a target cannot be written, before any work is done.

    `what` describes files with the required suffix, in the plural.
    """
    if suffix is not None and path.suffix.lower() != suffix:
        raise UsageError(f"{path.name} must end in {suffix}, the ending of {what}.")
    if url_of(path):  # whether that is there is asked when it is written
        return
    if is_folder(path):
        raise ImageError(f"{path.name or path} is a folder; give the name of a file in it.")
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ImageError(
            f"{path.name} is a pipe, a device or the like, and no file that could be replaced; "
            "- writes to standard output."
        )
    if path.is_symlink() and _is_loop(path):
        raise ImageError(f"{path.name} is a link that leads back to itself; remove it, or give another name.")
    if path.exists() and not overwrite:
        raise ImageError(f"{path.name} already exists; --overwrite replaces it.")
    if not path.parent.is_dir():
        raise ImageError(f"{path.name} cannot be saved: there is no folder {path.parent}.")
    if not os.access(path.parent, os.W_OK):
        raise ImageError(f"{path.name} cannot be saved: writing to {path.parent} is not permitted.")


def _is_loop(path: Path) -> bool:
    try:
        path.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


@contextmanager
def naming(path: Path, hint: str = "") -> Iterator[None]:
    """Prefix the messages of format errors raised within the context with a file's name.

    `hint` is advice for damaged or truncated files, and is appended to the message.
    """
    try:
        yield
    except FormatError as error:
        text = f"{path.name}: {error.message}"
        damaged = isinstance(error, TruncatedError) or "damaged" in error.message
        if damaged and hint:
            place = "" if error.offset is None else f" (at byte {error.offset})"
            raise FormatError(f"{text.removesuffix('.')}{place}; {hint}") from error
        raise FormatError(text, error.offset) from error


def limits_of(n_bytes: int | None) -> Limits | None:
    """Return the limits for a value of ``--limit``; None, which means the default, without one."""
    return None if n_bytes is None else imaging.Limits.of_bytes(n_bytes)


def open_compressed(
    path: Path, *, salvage: bool = False, hint: str = "", limits: Limits | None = None, parts: bool = False
) -> CompressedImage:
    """Open a ``.pcai`` file; errors name it, and `hint` is appended to those of damaged files.

    Of one of which parts are wanted, or at a URL, contents are read when they are asked for.
    """
    with naming(path, hint):
        opened = open_file(path, salvage=salvage, limits=limits)
        if not parts:
            _ = opened.compressed  # what is damaged is told now
        return opened


def look_at(path: Path, limits: Limits | None) -> CompressedImage | Contents | None:
    """Open a ``.pcai`` file, or find out what another has."""
    return open_compressed(path, limits=limits) if is_compressed(path) else _contents(path)


def _contents(path: Path, member: str | None = None) -> Contents | None:
    """Return what a file has; None if it has no image, which is told where it is read."""
    try:
        return imaging.inspect(path, member)
    except ImageError:
        return None


def read_any(
    path: Path,
    seen: CompressedImage | Contents | None = None,
    progress: Progress = no_progress,
    *,
    stack: bool = False,
    limits: Limits | None = None,
) -> Image:
    """Read an image in any format, or a folder as a stack; with `stack` all images of a file."""
    seen = seen or look_at(path, limits)
    if isinstance(seen, CompressedImage):
        return seen.image(progress=progress)
    if is_folder(path):
        return imaging.read_stack(path, limits=limits)
    as_: ReadAs | None = "stack" if stack else None
    return _whole(imaging.read_image(path, limits, as_=as_, contents=seen))


def _whole(image: Image) -> Image:
    """Return an image that was read, and print a warning if not all of its file was."""
    if image.caveat:
        warn(image.caveat)
    return image


def read_original(
    source: Path,
    settings: Settings,
    reading: Reading | None = None,
    limits: Limits | None = None,
    preset: api.Preset | None = None,
) -> tuple[Image, Settings]:
    """Read an image that is to be compressed, and complete its settings.

    If the file does not say whether it holds bands or images, the likelier way is used, and a warning is
    printed. A stack gets the method for stacks; the preset applies to settings left open.
    """
    if is_compressed(source) and source.exists():
        raise ImageError(
            f"{source.name} is already compressed; `pcaimage trim` makes it smaller, and `pcaimage decode` "
            "restores the image."
        )
    chosen = reading or Reading()
    if preset is not None and preset.lossless:  # whatever the image is
        settings = preset.applied(preset.completed(settings), (1, 1, 1), np.dtype(np.uint8))
    elif preset is not None:
        settings, chosen = preset.completed(settings), replace(chosen, stored=False)
        image, settings = read_original(source, settings, chosen, limits)
        return image, preset.applied(settings, image.pixels.shape, image.pixels.dtype, image.peak)
    contents = None if chosen.frame is not None else _contents(source, chosen.member)
    if found := _stored(source, contents, settings, chosen, limits):
        return found, settings
    try:
        return _read(source, contents, settings, chosen, limits)
    except ImageTooLargeError as error:
        if contents is not None and contents.timing is not None:
            text = str(error).removesuffix(".")
            raise ImageTooLargeError(f"{text}, or --frame to compress a single frame.") from error
        raise
    except DamagedAnimationError as error:
        raise ImageError(f"{str(error).removesuffix('.')}; --salvage compresses what is.") from error


def _stored(
    source: Path, contents: Contents | None, settings: Settings, reading: Reading, limits: Limits | None
) -> Stored | None:
    """Read an array as it stands if it is to be, or is no image, or as one would have other numbers."""
    parted = reading.pages or reading.frame is not None or not isinstance(settings.sampling, Bands | None)
    if parted or not reading.stored or is_folder(source):
        return None
    if reading.axis is None and not would_change(contents, lossless=settings.lossless):
        return None
    found = imaging.read_array(source, limits, reading.member)
    if contents is not None and contents.offers and "=" not in contents.offers[0].text:
        _say_which(contents)  # arrays are kept with all places of their axes
    return found and replace(found, axis=found.axis if reading.axis is None else reading.axis)


def would_change(contents: Contents | None, *, lossless: bool = False) -> bool:
    """Return whether a file has no image, or one whose numbers are converted to be those of an image."""
    kind = None if contents is None else contents.dtype
    return kind not in TYPES or (lossless and kind == "float32")


def _read(
    source: Path, contents: Contents | None, settings: Settings, reading: Reading, limits: Limits | None
) -> tuple[Image, Settings]:
    pages, stack = reading.pages, isinstance(settings.sampling, Stack)
    if stack and pages is Pages.BANDS:
        raise UsageError("--method stack compresses several images; with --pages bands there is only one.")
    if reading.frame is not None:
        if stack or pages is not None:
            raise UsageError("--frame compresses a single image, which is neither a stack nor has pages.")
        return _one(source, reading.frame, limits, reading.member), settings
    contents = contents or imaging.inspect(source, reading.member)
    kind = "stack" if stack else contents.default.kind if pages is None else pages.read_as
    if not stack:
        if pages is None:
            _check_pages(source, contents)
        if kind == "stack" and settings.sampling is not None:
            first = "--frame 1 compresses only the first"
            other = first if contents.format in ANIMATED else "--pages bands reads them as bands of one"
            together = "--method stack compresses them together"
            raise SettingsError(f"{contents.name} holds several images; {together}, and {other}.")
    as_ = None if pages is None and not stack else kind
    image = imaging.read_image(
        source, limits=limits, as_=as_, member=reading.member, salvage=reading.salvage, contents=contents
    )
    if image.timing is not None and image.frames < contents.default.shape[0] + contents.frames_missing:
        warn(f"{source.name} is damaged; its first {image.frames:,} frames are intact, and are compressed.")
    return _whole(image), replace(settings, sampling=Stack()) if image.is_stack else settings


def _one(source: Path, number: int, limits: Limits | None, member: str | None) -> Image:
    """Read one image of several, and say that it is only one."""
    image = imaging.read_image(source, limits=limits, member=member, frame=number - 1)
    warn(f"of {source.name}, only image {number:,} is compressed")
    return _whole(replace(image, file_size=None))  # sizes are not compared with that of all images


def _check_pages(source: Path, contents: Contents) -> None:
    """Refuse a folder of images, which needs --method stack, and warn about ambiguous planes."""
    if is_folder(source) and contents.default.kind == "stack":
        ways = ", and --pages bands reads them as the bands of one image" if contents.ambiguous else ""
        raise ImageError(
            f"{source.name} is a folder; --method stack compresses the images in it together{ways}."
        )
    several = next((each for each in contents.readings[1:] if each.kind == "stack"), None)
    if several is not None and contents.default.kind == "image" and not contents.ambiguous:
        count = several.shape[0]
        warn(
            f"{source.name} has {count:,} images, of which only the first is compressed; "
            "--method stack compresses all of them, and --frame another one."
        )
    if contents.offers:
        _say_which(contents)
    if contents.ambiguous:
        other = Pages.BANDS if contents.default.kind == "stack" else Pages.IMAGES
        warn(f"{source.name} is read as {contents.default.text}; use --pages {other} to read it otherwise.")


def _say_which(contents: Contents) -> None:
    """Say which of several arrays, or of their places, is read, and how another is."""
    first, other = (each.text for each in contents.offers[:2])
    option = f"--select {other.partition(' ')[0]}" if "=" in other else f"--array {other}"
    warn(f"{contents.asks}; {first} is read, and {option} chooses another.")


STANDARD = Path("-")  # the name that stands for standard input or standard output
PATIENCE = 1.0  # seconds of silence after which the program says what it is waiting for

_HEAD = 16
_PIECE = 1 << 20


@contextmanager
def source_file(
    path: Path, *, compressed: bool = False, limits: Limits | None = None, parts: bool = False
) -> Iterator[Path]:
    """Yield a file with the contents of a path: the path itself, or a temporary copy of a stream.

    With `compressed` only ``.pcai`` files are accepted. A stream may be as long as an image may have bytes.
    What is at a URL is copied, too, unless parts of it are wanted.
    """
    if (url := url_of(path)) and not parts:
        with located(url) as copy:
            yield copy
        return
    if url or (path != STANDARD and not path.is_fifo()):
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
def target_file(path: Path, suffix: str, *, overwrite: bool) -> Iterator[Path]:
    """Yield a file to write to: the path itself; for `-` a temporary one that is printed at the end.

    For a URL it is a temporary one, too, which is put there.
    """
    if url := url_of(path):
        with uploaded(url, overwrite=overwrite) as made:
            yield made
        return
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

    from pcaimage.imaging.disk.atomic import temporary_folder  # noqa: PLC0415 - as above

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

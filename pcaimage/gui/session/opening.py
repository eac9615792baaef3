"""Opening files: from paths to a document, and what several images can be together. No Qt here."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pcaimage import api, imaging
from pcaimage.errors import FormatError, ImageError, ImageTooLargeError, ImplausibleSizeError, PcaImageError
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.model import NeedsModelError, open_model, with_model
from pcaimage.imaging import Contents, ImageHeader, Limits, ReadAs
from pcaimage.imaging.image.limits import MAX_MAPPED_BYTES, VARIABLE
from pcaimage.imaging.moving.animation import ANIMATED, DamagedAnimationError
from pcaimage.imaging.reading.samples import read_sample
from pcaimage.machine.handover import located
from pcaimage.progress import Progress, part

Way = Literal["separate", "stack", "bands"]
"""Photographs that are opened one at a time, the samples of a stack, or the bands of one image."""


@dataclass(frozen=True)
class Several:
    """Several images, and the ways to open them, of which the first is the default."""

    files: tuple[str, ...]  # paths, those of folders in natural order
    sizes: tuple[int, ...]  # in bytes; 0 where that cannot be told
    ways: tuple[Way, ...] = ("separate",)
    dimensions: tuple[int, int] | None = None  # width and height, where those of all images are equal

    @property
    def question(self) -> str:
        """The question for the user."""
        count = f"{len(self.files):,}"
        if self.dimensions is None:
            return f"How are these {count} images to be opened?"
        width, height = self.dimensions
        return f"How are these {count} images of {width:,} × {height:,} pixels to be opened?"


class SeveralError(ImageError):
    """Several images were to be opened, and the user has yet to say as what."""

    def __init__(self, several: Several) -> None:
        super().__init__(several.question)
        self.several = several


def several_in(paths: Sequence[str], progress: Progress) -> Several | None:
    """Find several images at the paths of files and folders; ImageError if a file is missing.

    None for one image, and for a folder that says itself that its images are bands.
    """
    if len(paths) == 1 and not _is_of_several(Path(paths[0])):
        return None
    from pcaimage.batching.plan import find_images  # noqa: PLC0415 - most images are opened alone

    found, _ = find_images(paths)
    if not found:
        found, _ = find_images(paths, compressed=True)
    files = tuple(_absolute(path) for path, _ in found)
    if len(files) < 2:
        return None
    first = _first_of_alike(files, progress)
    ways: tuple[Way, ...] = ("separate",)
    if first is not None:
        grey = first.channels == 1 and not first.has_alpha
        ways = ("separate", "stack", "bands") if grey else ("separate", "stack")
    dimensions = None if first is None else (first.width, first.height)
    return Several(files, tuple(map(_size, files)), ways, dimensions)


def listed(paths: Sequence[str]) -> Several:
    """Return the images at paths of files and folders as separate ones; ImageError if one is missing."""
    from pcaimage.batching.plan import find_images  # noqa: PLC0415 - most images are opened alone

    files = tuple(_absolute(path) for path, _ in find_images(paths, compressed=True)[0])
    return Several(files, tuple(map(_size, files)))


def _absolute(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - links stay as they are named


def _is_of_several(path: Path) -> bool:
    """Return whether a path is that of a folder, unless the names of its images say that they are bands."""
    if not os.path.isdir(path):  # noqa: PTH112 - a path raises if it may not be read
        return False
    try:
        contents = imaging.inspect(path)
    except ImageError:
        return True  # it may have compressed images
    return contents.ambiguous or contents.default.kind == "stack"


def _first_of_alike(files: Sequence[str], progress: Progress) -> ImageHeader | None:
    """Return the header of the first image if all have its size and type, else None."""
    first: ImageHeader | None = None
    for done, file in enumerate(files):
        progress(done, len(files))
        if file.lower().endswith(api.SUFFIX):
            return None
        try:
            header = imaging.probe(file)
        except ImageError:
            return None
        if header.frames > 1 and header.format in ANIMATED:
            return None
        if first is None:
            first = header
        elif _kind(header) != _kind(first):
            return None
    return first


def _kind(header: ImageHeader) -> tuple[object, ...]:
    return header.width, header.height, header.channels, header.dtype


def _size(file: str) -> int:
    try:
        return Path(file).stat().st_size
    except OSError:
        return 0


EXERCISE = ".pcalab"
TABLES = (".csv", ".tsv", EXERCISE)
"""Extensions of what the lab opens: tables of numbers, and exercises about them."""

Together = Literal["ask", "stack", "bands"]
"""Readings of several images: to be asked, a stack, or the bands of one image."""


class DamagedError(FormatError):
    """A compressed file or an animation is damaged, but some of its components or frames are intact."""


class AmbiguousError(ImageError):
    """A file does not say which of its arrays is the image."""

    def __init__(self, contents: Contents) -> None:
        super().__init__(contents.asks)
        self.contents = contents


class TableError(ImageError):
    """A table of numbers was to be opened, of which the lab and the command line find the components."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path.name} is a table of numbers, not an image; the PCA lab does its PCA.")
        self.path = path


@dataclass(frozen=True, eq=False)
class Opened:
    """A document, with its components if they come from a file."""

    document: Document
    fit: Fit | None = None  # the components from a compressed file; None for an image


@dataclass(frozen=True)
class OpenOptions:
    """How files are opened."""

    salvage: bool = False  # whether a damaged file is opened as far as it is intact
    trusted: bool = False  # whether a file may claim far more than its length makes plausible
    limits: Limits | None = None  # the largest image; None for the usual limits
    planes: ReadAs | None = None  # the reading of ambiguous files; None for what is most likely
    together: bool = False  # whether all images of a file are a stack, such as the pages of a TIFF
    frame: int | None = None  # the only image of a file that is opened; None for all, or the first
    model: Path | None = None  # the file with a compressed file's basis
    several: Together = "stack"  # what several images are


USUAL = OpenOptions()  # how files are opened that need nothing else


def open_document(paths: list[str], progress: Progress, options: OpenOptions = USUAL) -> Opened:
    """Open a file, or several images as a stack.

    A compressed file is decoded as well, because only that verifies it. For a large photo, whose checksums
    have already been verified, only the first components are decoded.

    An error says which option is lacking: DamagedError, ImplausibleSizeError, NeedsModelError,
    AmbiguousError, and SeveralError for several images that are ``"ask"``. A table of numbers is a
    TableError.
    """
    progress(0, 0)
    first, seal = Path(paths[0]), _seal(paths)  # before they are read: they may change meanwhile
    if options.several == "ask" and (found := several_in(paths, progress)) is not None:
        raise SeveralError(found)
    if len(paths) == 1 and first.suffix.lower() == api.SUFFIX and not first.is_dir():
        opened = _compressed(first, progress, options)
        return replace(opened, document=replace(opened.document, seal=seal))
    try:
        files = [located(path)[0] for path in paths]
        if len(files) == 1:
            document = _image(files[0], located(paths[0])[1], options, progress)
        elif options.several == "bands":
            document = _bands(tuple(files), options.limits)
        else:
            document = _stack(tuple(files), options.limits, progress)
    except ImplausibleSizeError as error:
        raise _untrusted(error) from error
    except ImageTooLargeError as error:
        size, *_ = str(error).partition(f"; set {VARIABLE}")
        raise ImageTooLargeError(f"{size}. Raise the limit in the preferences to open it.") from error
    progress(1, 1)
    return _ready(replace(document, seal=seal))


def _seal(paths: list[str]) -> tuple[int, ...]:
    try:
        found = [located(path)[0].stat() for path in paths]
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:  # which else each look at the file would raise
            raise ImageError("No file can have a name as long as this; choose another.") from error
        return ()  # opening it will say why
    return sum(each.st_size for each in found), max(each.st_mtime_ns for each in found)


def _image(first: Path, member: str | None, options: OpenOptions, progress: Progress) -> Document:
    planes, limits = options.planes, options.limits
    if options.trusted:
        limits = replace(limits or Limits.default(), max_unbacked_bytes=MAX_MAPPED_BYTES)
    try:
        contents = imaging.inspect(first, member)
    except ImageError as error:
        if first.suffix.lower() in TABLES and first.is_file():
            raise TableError(first) from error
        raise
    if contents.offers:
        raise AmbiguousError(contents)
    # The remembered reading of other files may not suit this one.
    suits = contents.ambiguous and contents.reading(planes) is not None
    as_: ReadAs | None = "stack" if options.together else planes if suits else None
    others = [
        kind for kind in contents.kinds if contents.ambiguous and kind != (as_ or contents.default.kind)
    ]
    try:
        image = imaging.read_image(
            first,
            limits,
            as_=as_,
            member=member,
            frame=options.frame,
            salvage=options.salvage,
            progress=progress,
            contents=contents,
        )
    except DamagedAnimationError as error:
        raise DamagedError(str(error)) from error
    all_of_it = next((each for each in contents.readings if each.kind == "stack"), None)
    alone = not image.is_stack and not contents.ambiguous and "bands" not in contents.kinds
    count = all_of_it.shape[0] if alone and all_of_it is not None else 1
    part = contents.members[0].rpartition("/")[2] if member else ""
    return Document(
        ", ".join(filter(None, (image.name or first.name, part))),
        first,
        image=image,
        member=member or "",
        inputs=(first,),
        others=tuple(others),
        images_in_file=count,
        image_in_file=(options.frame or 0) if count > 1 else 0,
        damaged=image.timing is not None
        and image.frames < contents.default.shape[0] + contents.frames_missing,
    )


def _compressed(path: Path, progress: Progress, options: OpenOptions) -> Opened:
    lender = None if options.model is None else open_model(options.model, progress)
    limits = Limits.default()
    if options.trusted:
        limits = replace(limits, max_unbacked_bytes=limits.max_mapped_bytes)
    try:
        file = with_model(api.open_file(path, salvage=options.salvage, limits=limits), path.name, lender)
        if file.compressed.is_direct or file.values is not None:  # those of the image itself are found
            return _ready(Document(path.name, path, image=file.image(progress=progress), inputs=(path,)))
        fit = Fit.first_of_file(file) or Fit.of_file(file, part(progress, 0.0, 1.0), lender)
    except NeedsModelError:
        raise
    except ImplausibleSizeError as error:
        raise _untrusted(error) from error
    except FormatError as error:
        where = "" if error.offset is None else f" (at byte {error.offset})"
        sentence = error.message.rstrip(".")
        text = f"{path.name} cannot be opened: {sentence[0].lower()}{sentence[1:]}{where}."
        if not options.salvage and _is_partly_whole(path, limits):
            raise DamagedError(text) from error
        raise FormatError(text) from error
    inputs = (path,) if lender is None else (path, lender.path)
    return _ready(Document(path.name, path, compressed=file, inputs=inputs), fit)


def _untrusted(error: ImplausibleSizeError) -> ImplausibleSizeError:
    claim, *_ = str(error).partition("; ")
    return ImplausibleSizeError(f"{claim}. Open it only if you trust it.")


def _is_partly_whole(path: Path, limits: Limits) -> bool:
    try:
        return api.open_file(path, salvage=True, limits=limits).k > 0
    except PcaImageError:
        return False


def _ready(document: Document, fit: Fit | None = None) -> Opened:
    _ = document.display, document.bits, document.colours()  # computed on the worker thread, and cached
    return Opened(document, fit)


def _stack(files: tuple[Path, ...], limits: Limits | None, progress: Progress) -> Document:
    odd = next((file for file in files if file.suffix.lower() == api.SUFFIX), None)
    if odd is not None:
        raise ImageError(f"{odd.name} is already compressed; stacks are made from images in other formats.")
    return Document(f"{len(files)} images", image=imaging.read_stack(files, limits, progress), inputs=files)


def _bands(files: tuple[Path, ...], limits: Limits | None) -> Document:
    from pcaimage.imaging.reading.folder import read_bands  # noqa: PLC0415 - most images are opened alone

    name = f"{len(files)} bands"
    return Document(name, image=read_bands(files, limits or Limits.default(), name), inputs=files)


def load_sample(name: str) -> Document:
    """Open one of the sample images."""
    return Document(name, image=read_sample(name))

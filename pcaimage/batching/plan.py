"""Plans: the images of a batch, and the output file of each."""

from __future__ import annotations

import os
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from pcaimage.batching.record import source_key
from pcaimage.errors import ImageError, SettingsError
from pcaimage.imaging.disk.urls import is_url
from pcaimage.imaging.image.formats import SUFFIXES
from pcaimage.imaging.image.source import natural_key
from pcaimage.signature import SUFFIX

READ = SUFFIXES | {".hdr", ".npy", ".npz"}
"""Extensions of the image files in a folder. A file given by name may have any other."""

_NAMED = 3  # number of files that a message lists


@dataclass(frozen=True)
class Plan:
    """The images of a batch and their outputs."""

    files: tuple[tuple[str, str], ...]  # image, and output below the folder, with slashes
    renamed: tuple[str, ...] = ()  # a sentence for each name that outputs would have shared
    left_alone: int = 0  # files in the folders that are not images


def make_plan(
    inputs: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    suffix: str,
    *,
    recursive: bool = False,
    compressed: bool = False,
    known: Mapping[str, str] | None = None,
) -> Plan:
    """Plan a batch, in natural order within each folder; no image twice.

    An output has the name of its image, with the suffix as its extension. Images in a folder keep their
    relative paths; with several inputs, in a subfolder with that folder's name. Outputs that would share a
    name keep their images' extensions, and those that an earlier batch has `known`, by
    :func:`~pcaimage.batching.record.source_key`, keep their names.

    Strings may be URLs. The output folder is not searched, and ``.pcai`` files in folders are only if
    `compressed`. ImageError is raised if an input is missing; SettingsError if an output would replace an
    image.
    """
    found, left_alone = find_images(inputs, output, recursive=recursive, compressed=compressed)
    targets, renamed = _targets(found, suffix, known or {})
    _refuse_inputs(targets, os.fspath(output), {_real(source) for source, _ in found})
    return Plan(tuple(targets.items()), tuple(renamed), left_alone)


def find_images(
    inputs: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str] | None = None,
    *,
    recursive: bool = False,
    compressed: bool = False,
) -> tuple[list[tuple[str, PurePath]], int]:
    """Find the images of :func:`make_plan`, and count the files in folders that are not images.

    Each has its path relative to the output folder.
    """
    endings = READ | {SUFFIX} if compressed else READ
    found, seen, left_alone = list[tuple[str, PurePath]](), set[str](), 0
    for each in inputs:
        given = os.fspath(each)
        name, files = _listed(given, output, recursive=recursive)
        images = files if name is None else [file for file in files if file[1].suffix.lower() in endings]
        left_alone += len(files) - len(images)
        within = PurePath(name) if name is not None and len(inputs) > 1 else PurePath()
        for file, place in images:
            real = _real(file)
            if real not in seen:
                seen.add(real)
                found.append((file, within / place))
    return found, left_alone


def some_of(names: Sequence[str]) -> str:
    """Return the first few names, and the number of the others, as text."""
    named = ", ".join(names[:_NAMED])
    return named if len(names) <= _NAMED else f"{named} and {len(names) - _NAMED:,} more"


def _listed(
    given: str, output: str | os.PathLike[str] | None, *, recursive: bool
) -> tuple[str | None, list[tuple[str, PurePath]]]:
    """Return the name of a folder, or None for a file, and the files with their relative paths."""
    if is_url(given):
        from pcaimage.batching.remote import listed  # noqa: PLC0415 - most images are files

        is_folder, remote = listed(given, recursive=recursive)
        return given.rstrip("/").rpartition("/")[2] if is_folder else None, [*remote]
    path = Path(given)
    if path.is_dir():
        files = _walk(path, output, recursive=recursive)
        name = path.name if path.name not in {"", ".."} else path.resolve().name  # it may be given as `.`
        return name, [(str(file), file.relative_to(path)) for file in files]
    if not path.exists():
        raise ImageError(f"{path} cannot be read: there is no such file or folder.")
    return None, [(str(path), PurePath(path.name))]


def _real(place: str) -> str:
    """Return a canonical form of a location, equal for all names of the same file."""
    return place if is_url(place) else os.path.realpath(place)


def _walk(folder: Path, output: str | os.PathLike[str] | None, *, recursive: bool) -> Iterator[Path]:
    """Yield the files in a folder in natural order, except hidden ones and those in the output folder."""

    def failed(error: OSError) -> None:
        raise ImageError(f"The folder {error.filename} may not be read.") from error

    out = None if output is None else os.path.realpath(output)
    for place, folders, names in os.walk(folder, onerror=failed):
        inner = (each for each in folders if recursive and not each.startswith("."))
        folders[:] = sorted(
            (each for each in inner if os.path.realpath(Path(place, each)) != out), key=natural_key
        )
        visible = {name for name in names if not name.startswith(".")}
        for name in sorted(visible, key=natural_key):
            path = Path(place, name)
            is_of_header = (
                path.suffix.lower() == ".img" and f"{path.stem}.hdr" in visible
            )  # its values, of ENVI
            if path.is_file() and not is_of_header:
                yield path


def _targets(
    found: Iterable[tuple[str, PurePath]], suffix: str, known: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the output of each image, and sentences about names that several would have shared."""
    wanted = defaultdict[str, list[tuple[str, PurePath]]](list)
    targets, taken = dict[str, str](), set[str]()
    for source, place in found:
        before = known.get(source_key(source))
        targets[source] = ""  # they keep their order
        if before is not None and before.endswith(suffix) and _folded(before) not in taken:
            targets[source] = before
            taken.add(_folded(before))
        else:
            wanted[_folded(place.with_suffix(suffix).as_posix())].append((source, place))
    renamed = list[str]()
    for name, group in wanted.items():
        alike = len(group) > 1 or name in taken
        for source, place in group:
            same = place.suffix.lower() == suffix and name not in taken
            new = place.with_suffix(suffix) if same or not alike else place.with_name(f"{place.name}{suffix}")
            number, plain = 2, new
            while _folded(new.as_posix()) in taken or (
                not same and alike and _folded(new.as_posix()) in wanted.keys() - {name}
            ):
                new, number = plain.with_name(f"{plain.stem} ({number}){suffix}"), number + 1
            taken.add(_folded(new.as_posix()))
            targets[source] = new.as_posix()
        if alike:
            first = group[0][1].with_suffix(suffix).as_posix()
            renamed.append(
                f"{some_of([place.as_posix() for _, place in group])} would be {first}, "
                f"and will be {some_of([targets[source] for source, _ in group])}."
            )
    return targets, renamed


def _folded(name: str) -> str:
    """Return a key that is equal for names that a file system may not distinguish."""
    return unicodedata.normalize("NFC", name).casefold()


def _refuse_inputs(targets: Mapping[str, str], output: str, inputs: set[str]) -> None:
    """Refuse outputs that would replace images."""
    places = {target: f"{output.rstrip('/')}/{target}" for target in targets.values()}
    lost = [target for target, place in places.items() if _real(place) in inputs]
    if lost:
        raise SettingsError(
            f"{some_of(lost)} would take the place of an image in {output}; "
            "choose another folder for the outputs."
        )

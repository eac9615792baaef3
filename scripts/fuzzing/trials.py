"""Trials: everything that the program does to open compressed files and images.

Each trial is determined by its number. A PcaImageError is the expected failure; anything else is a finding.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import pcaimage
from fuzzing import images, inputs
from fuzzing.mutation import mutated
from pcaimage import codec, container, imaging
from pcaimage.api.opening import open_bytes
from pcaimage.codec import Compressed, Region
from pcaimage.errors import DataError, ImageError, PcaImageError, SettingsError
from pcaimage.imaging import Image, Limits
from pcaimage.imaging.cubes.idx import read_labels
from pcaimage.quality import TYPES
from tests.golden import make
from tests.unit.lib.decoding import Fault, Opened

LIMITS = Limits(max_pixels=1 << 17, max_bytes=1 << 20, max_mapped_bytes=1 << 20, max_unbacked_bytes=1 << 20)
"""Limits that refuse large mutated sizes, so that no trial takes long; valid files are far smaller."""


MEMORY = 1 << 26
"""What the library may take for a file."""


class WrongError(Exception):
    """A wrong result, which is a finding."""


@dataclass(frozen=True)
class Seed:
    """A valid file, and its model file, if it has one."""

    name: str
    data: bytes
    model: bytes | None = None


def seeds(folder: Path) -> list[Seed]:
    """Return golden files of all versions, and the files that :func:`make_seeds` wrote to a folder."""
    kept = [*golden_files(), *sorted((make.HERE / "arrays").glob("*.pcai"))]
    golden = [Seed(path.stem, path.read_bytes(), make.model_of(path.stem)) for path in kept]
    return golden + [Seed(path.stem, path.read_bytes()) for path in sorted(folder.glob("*.pcai"))]


def golden_files() -> list[Path]:
    """Return the committed files, which decode to the same pixels for ever."""
    return sorted(make.HERE.glob("*.pcai"))


def make_seeds(folder: Path) -> None:
    """Write files that are larger than the golden ones."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(SEEDS):
        array, settings = images.image(random.Random(f"seed/{number}"), 90)  # noqa: S311 - nothing is secret
        try:
            (folder / f"made-{number:02}.pcai").write_bytes(pcaimage.encode(array, settings))
        except (SettingsError, DataError):  # not every image suits every method
            continue


SEEDS = 24


def golden(number: int, _seed: int, every: list[Seed]) -> bytes:
    """Decode a golden file, which must give the recorded pixels."""
    path = golden_files()[number]
    expected = json.loads(make.EXPECTED.read_text("utf-8"))[path.stem]
    data = path.read_bytes()
    (model,) = [each.model for each in every if each.name == path.stem]
    for k, digest in expected["pixels"].items():
        if make.digest(pcaimage.decode(data, int(k), model=model)) != digest:
            raise WrongError(f"{path.stem} decodes to other pixels with {k} components.")
    _open_all(data, model)
    return data


def round_trip(number: int, seed: int, _every: list[Seed]) -> bytes:
    """Encode a random image, decode it, and check that its error is within the requested limit."""
    chance = random.Random(f"{seed}/image/{number}")  # noqa: S311 - nothing is secret
    array, settings = images.image(chance, 70)
    try:
        data = pcaimage.encode(array, settings)
    except (SettingsError, DataError):  # not every image suits every method
        return b""
    again = pcaimage.decode(data)
    if again.shape != array.shape or again.dtype != array.dtype:
        raise WrongError(f"{array.shape} of {array.dtype} came back as {again.shape} of {again.dtype}.")
    apart = np.abs(again.astype(np.float64) - array)
    apart = apart[~np.isnan(apart)]
    bound = 0.0 if settings.lossless else settings.max_error
    if bound is not None and apart.size and apart.max() > bound * (1 + 1e-6):
        raise WrongError(f"Values are wrong by {apart.max()}, where {bound} was allowed: {settings}.")
    _open_all(data, None)
    return data


def mutation(number: int, seed: int, every: list[Seed]) -> bytes:
    """Open a damaged file."""
    data, place = mutation_of(number, seed, every)
    _open_all(data, every[place].model)
    return data


def mutation_of(number: int, seed: int, every: list[Seed]) -> tuple[bytes, int]:
    """Return a mutated file, and the index of its original."""
    return mutated([each.data for each in every], number, seed)


def reading(number: int, seed: int, _every: list[Seed]) -> bytes:
    """Open a mutated image, several files, or a folder, in every way that a command opens them."""
    damaged = inputs.mutated(number, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = damaged.write(Path(folder))
        for read in READS:
            try:
                _check_image(read(path))
            except PcaImageError as error:
                _check_sentence(error)
    return b"".join(damaged.files.values())


def _image(path: Path, as_: imaging.ReadAs | None = None) -> Image:
    return imaging.read_image(path, LIMITS, as_=as_)


READS: tuple[Callable[[Path], Image | object], ...] = (
    imaging.inspect,
    imaging.probe,
    _image,
    lambda path: _image(path, "image"),
    lambda path: _image(path, "bands"),
    lambda path: _image(path, "stack"),
    lambda path: imaging.read_stack(path, LIMITS),
    lambda path: read_labels(path) if path.name.endswith("ubyte") else None,
)
"""Ways to open an image."""


def _check_image(found: Image | object) -> None:
    """Check the types and shapes that are common to all images."""
    if not isinstance(found, Image):
        return
    pixels, alpha = found.pixels, found.alpha
    if pixels.ndim not in {3, 4} or not pixels.size or pixels.dtype.name not in TYPES:
        raise WrongError(f"An image has pixels of shape {pixels.shape} and type {pixels.dtype}.")
    if pixels.nbytes > LIMITS.max_bytes:
        raise WrongError(f"An image of {pixels.nbytes:,} bytes was read in spite of the limit.")
    if alpha is not None and (alpha.shape != pixels.shape[:-1] or alpha.dtype != pixels.dtype):
        raise WrongError(f"Alpha of {alpha.shape} and {alpha.dtype} stands beside {pixels.shape}.")


def _check_sentence(error: PcaImageError) -> None:
    """Check that an error is meant for users: a sentence on one line about an image."""
    words = str(error)
    if not isinstance(error, ImageError) or not words.endswith(".") or len(words.splitlines()) != 1:
        raise WrongError(f"A {type(error).__name__} is no sentence: {words!r}")


Trial = Callable[[int, int, list[Seed]], bytes]
TRIALS: dict[str, Trial] = {
    "golden": golden,
    "round-trips": round_trip,
    "mutations": mutation,
    "images": reading,
}


def files_of(kind: str, number: int, seed: int, every: list[Seed]) -> tuple[dict[str, bytes], str]:
    """Return the mutated files of a trial by name, if it has any, and the name of their original."""
    if kind == "mutations":
        data, place = mutation_of(number, seed, every)
        return {f"{every[place].name}.pcai": data}, every[place].name
    if kind == "images":
        damaged = inputs.mutated(number, seed)
        return damaged.files, damaged.opened
    return {}, ""


def _decode_in_c(data: bytes, model: bytes | None, *, salvage: bool = False) -> bytes | None:
    """Decode a file by the library's own interface; return its pixels, or None if it is refused."""
    with ExitStack() as opened:
        try:
            lent = None if model is None else opened.enter_context(Opened(model))
            bounds = {"most_unbacked": LIMITS.max_unbacked_bytes, "most_memory": MEMORY}
            file = opened.enter_context(Opened(data, model=lent, salvage=salvage, **bounds))
            pixels = bytes(file.pixels().tobytes())
            file.lines(file.info.k // 2, reduction=4)
            if file.info.alpha:
                file.alpha()
        except Fault as fault:
            if not fault.reason.endswith("."):
                raise WrongError(f"This is no sentence: {fault.reason!r}") from fault
            return None
    return pixels


def _compare(data: bytes, model: bytes | None) -> None:
    """Check that the library gives the pixels that the program gives, if both give any."""
    found = _decode_in_c(data, model)
    _decode_in_c(data, model, salvage=True)
    with suppress(PcaImageError):
        opened = open_bytes(data, limits=LIMITS)
        if model is not None:
            opened = opened.with_model(open_bytes(model, limits=LIMITS))
        if found not in {None, opened.decode().tobytes()}:
            raise WrongError("The library decodes to other pixels than the program.")


def _open_all(data: bytes, model: bytes | None) -> None:
    """Do everything with a file that the program can do; it may refuse at any point."""
    _compare(data, model)
    for salvage in (False, True):
        try:
            opened = open_bytes(data, salvage=salvage, limits=LIMITS)
        except PcaImageError:
            continue
        if model is not None:
            with suppress(PcaImageError):
                opened = opened.with_model(open_bytes(model, limits=LIMITS))
        for use in (_decode, _cut, _show):
            try:
                use(opened.compressed, data)
            except PcaImageError:
                continue
        break


def _decode(compressed: Compressed, _data: bytes) -> None:
    pixels = codec.decompress(compressed)
    if pixels.shape != compressed.header.shape and pixels.shape != compressed.header.shape[:-1]:
        raise WrongError(f"An image of {compressed.header.shape} decodes to {pixels.shape}.")
    for k in {1, compressed.k // 2}:
        if 0 < k < compressed.k:
            codec.decompress(compressed, k)


def _cut(compressed: Compressed, data: bytes) -> None:
    container.trimmed_sizes(data)
    smaller = container.trim(data, max(1, compressed.k // 2))
    container.read(smaller, max_numbers=LIMITS.max_bytes)


def _show(compressed: Compressed, _data: bytes) -> None:
    model = codec.unpack(compressed)
    pictures = codec.pictures(model)
    height, width = compressed.header.shape[-3:-1]
    for scale in (1.0, 0.3):
        pictures.render(Region(0, 0, width, height), scale, max(1, compressed.k // 2))
        pictures.render(Region(width // 3, height // 3, width, height), scale, compressed.k)
    if compressed.k:
        pictures.component_picture(1)
        pictures.score_plane(compressed.k)

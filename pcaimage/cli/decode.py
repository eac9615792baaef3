"""``pcaimage decode``."""

from __future__ import annotations

from pathlib import Path

from pcaimage.api import CompressedImage
from pcaimage.cli.files import check_output, limits_of, naming, open_compressed
from pcaimage.cli.formatting import size_text
from pcaimage.cli.streams import STANDARD, source_file, target_file
from pcaimage.cli.terminal import progress_bar, say, warn
from pcaimage.errors import ModelError, SettingsError
from pcaimage.imaging import BandInfo, Limits, envi_values, format_of_path, write_bands, write_image
from pcaimage.progress import part

SALVAGE_HINT = "--salvage uses the intact components."


def decode(
    source: Path,
    target: Path,
    k: int | None = None,
    quality: int | None = None,
    *,
    index: int | None = None,
    split_bands: bool = False,
    kind: str | None = None,
    model: Path | None = None,
    limit: int | None = None,
    overwrite: bool = False,
    salvage: bool = False,
) -> None:
    """Write the image in a ``.pcai`` file in another format, which the target's suffix names.

    Parameters
    ----------
    source : Path
        The ``.pcai`` file.
    target : Path
        The image to write; a folder with `split_bands`.
    k : int, optional
        How many components to use; all by default.
    quality : int, optional
        For lossy formats: 1 to 100, or decibels for JPEG 2000.
    index : int, optional
        The image of a stack to write, counted from 1; all by default.
    split_bands : bool, default False
        Whether to write each band as a TIFF of its own.
    kind : str, optional
        The format that goes to standard output; by default PNG, or TIFF for what PNG cannot hold.
    model : Path, optional
        The model file, if the basis is in one.
    limit : int, optional
        The bytes that the image may take, uncompressed.
    overwrite : bool, default False
        Whether to replace existing files.
    salvage : bool, default False
        Whether to use the intact components of a damaged file.
    """
    if kind is not None and target != STANDARD:
        raise SettingsError("--format is for standard output; the ending of a file's name says its format.")
    if split_bands and target == STANDARD:
        raise SettingsError("--split-bands writes a folder of files; standard output is one.")
    if not split_bands and target != STANDARD:
        check_output(target, overwrite=overwrite)
        format_of_path(target)
    suffix = None if kind is None else _suffix_of(kind)
    limits = limits_of(limit)
    with source_file(source, compressed=True, limits=limits) as file:
        opened = open_compressed(file, salvage=salvage, hint=SALVAGE_HINT, limits=limits)
        with naming(file):
            opened = _with_model(opened, model, limits)
        with target_file(target, suffix or _usual_suffix(opened)) as path:
            text = _decode(opened, file.name, path, k, quality, index, split_bands, overwrite=overwrite)
            name = path.stem if target == STANDARD else target.name
            say(f"{name}: {text} in {file.name}", aside=target == STANDARD)


def _decode(
    opened: CompressedImage,
    name: str,
    target: Path,
    k: int | None,
    quality: int | None,
    index: int | None,
    split_bands: bool,  # noqa: FBT001 - one of the choices of `decode`
    *,
    overwrite: bool,
) -> str:
    """Reconstruct and write the image of a file of some name, and return its figures."""
    with progress_bar(f"Decoding {name}") as progress:
        with naming(Path(name)):
            decoding = part(progress, 0.0, 0.5)
            if index is None:
                image = opened.image(k, progress=decoding)
            else:
                image = opened.frame(index - 1, k, progress=decoding)
        if split_bands:
            written = write_bands(target, image, part(progress, 0.5, 1.0), overwrite=overwrite)
        else:
            written = [target, *([envi_values(target)] if format_of_path(target).name == "ENVI" else [])]
            write_image(target, image, part(progress, 0.5, 1.0), quality=quality, overwrite=overwrite)
    used = opened.k if k is None else k
    if opened.damaged:
        warn(f"{name} is damaged; its first {opened.k} components are intact, and {used} were used.")
    if opened.compressed.metadata.bands and not BandInfo.from_bytes(opened.compressed.metadata.bands):
        warn(f"The description of the bands in {name} is damaged and was left out; pixels are not affected.")
    n_bytes = sum(path.stat().st_size for path in written)
    files = f"{len(written)} files, " if len(written) > 1 else ""
    frames = f"{image.frames} × " if image.is_stack else ""
    return f"{files}{frames}{image.width} × {image.height}, {size_text(n_bytes)}; k = {used} of {opened.k}"


def _suffix_of(kind: str) -> str:
    """Return the suffix of a format that is one file."""
    found = format_of_path(f"image.{kind.removeprefix('.')}")
    if found.name == "ENVI":
        raise SettingsError("An ENVI cube is two files, which standard output cannot hold; use TIFF or NPY.")
    return found.suffixes[0]


def _usual_suffix(opened: CompressedImage) -> str:
    """Return the suffix of PNG for what it holds, and else of TIFF."""
    header = opened.compressed.header
    simple = len(header.shape) == 3 and header.shape[-1] in {1, 3} and header.dtype in {"uint8", "uint16"}
    return ".png" if simple else ".tif"


def _with_model(opened: CompressedImage, model: Path | None, limits: Limits | None) -> CompressedImage:
    """Add the basis from a model file, if there is one."""
    wanted = opened.compressed.basis
    if model is not None:
        return opened.with_model(open_compressed(model, limits=limits))
    if wanted is not None:
        raise ModelError(f"The basis is in a model file with the id {wanted}; name that file with --model.")
    return opened

"""``pcaimage decode``."""

from __future__ import annotations

from pathlib import Path

from pcaimage.api import CompressedImage
from pcaimage.cli.files import check_output, limits_of, naming, open_compressed
from pcaimage.cli.formatting import size_text
from pcaimage.cli.terminal import progress_bar, say, warn
from pcaimage.errors import ModelError
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
    model : Path, optional
        The model file, if the basis is in one.
    limit : int, optional
        The bytes that the image may take, uncompressed.
    overwrite : bool, default False
        Whether to replace existing files.
    salvage : bool, default False
        Whether to use the intact components of a damaged file.
    """
    if not split_bands:
        check_output(target, overwrite=overwrite)
        format_of_path(target)
    opened = open_compressed(source, salvage=salvage, hint=SALVAGE_HINT, limits=limits_of(limit))
    with naming(source):
        opened = _with_model(opened, model, limits_of(limit))
    with progress_bar(f"Decoding {source.name}") as progress:
        with naming(source):
            decoding = part(progress, 0.0, 0.5)
            image = opened.image(k, decoding) if index is None else opened.frame(index - 1, k, decoding)
        if split_bands:
            written = write_bands(target, image, part(progress, 0.5, 1.0), overwrite=overwrite)
        else:
            written = [target, *([envi_values(target)] if format_of_path(target).name == "ENVI" else [])]
            write_image(target, image, part(progress, 0.5, 1.0), quality=quality, overwrite=overwrite)
    used = opened.k if k is None else k
    if opened.damaged:
        warn(f"{source.name} is damaged; its first {opened.k} components are intact, and {used} were used.")
    if opened.compressed.metadata.bands and not BandInfo.from_bytes(opened.compressed.metadata.bands):
        warn(
            f"The description of the bands in {source.name} is damaged and was left out; "
            "pixels are not affected."
        )
    n_bytes = sum(path.stat().st_size for path in written)
    files = f"{len(written)} files, " if len(written) > 1 else ""
    frames = f"{image.frames} × " if image.is_stack else ""
    say(
        f"{target.name}: {files}{frames}{image.width} × {image.height}, {size_text(n_bytes)}; "
        f"k = {used} of {opened.k} in {source.name}"
    )


def _with_model(opened: CompressedImage, model: Path | None, limits: Limits | None) -> CompressedImage:
    """Add the basis from a model file, if there is one."""
    wanted = opened.compressed.basis
    if model is not None:
        return opened.with_model(open_compressed(model, limits=limits))
    if wanted is not None:
        raise ModelError(f"The basis is in a model file with the id {wanted}; name that file with --model.")
    return opened

"""``pcaimage decode``."""

from __future__ import annotations

from pathlib import Path

from pcaimage.api import CompressedImage
from pcaimage.cli.files import check_output, naming, open_compressed
from pcaimage.cli.terminal import progress_bar, say, warn
from pcaimage.cli.values import size_text
from pcaimage.errors import ModelError
from pcaimage.imaging import BandInfo, envi_values, format_of_path, write_bands, write_image
from pcaimage.progress import part

HINT = "--salvage opens the components that are whole."


def decode(
    source: Path,
    target: Path,
    k: int | None = None,
    quality: int | None = None,
    *,
    index: int | None = None,
    split_bands: bool = False,
    model: Path | None = None,
    overwrite: bool = False,
    salvage: bool = False,
) -> None:
    """Write the image that a ``.pcai`` file holds in another format.

    Parameters
    ----------
    source : Path
        The ``.pcai`` file.
    target : Path
        The image; its ending names the format.
    k : int, optional
        How many components to use; all by default.
    quality : int, optional
        For formats with loss.
    index : int, optional
        Which image of a stack, counted from 1; all by default.
    split_bands : bool, default False
        Whether each band is written as a TIFF of its own; the target is a folder.
    model : Path, optional
        The file that the basis is in, where it is in another.
    overwrite : bool, default False
        Whether a file of that name is replaced.
    salvage : bool, default False
        Whether to use the whole components of a damaged file.

    Raises
    ------
    PcaImageError
        If it cannot be done.
    """
    if not split_bands:
        check_output(target, overwrite=overwrite)
        format_of_path(target)
    opened = open_compressed(source, salvage=salvage, hint=HINT)
    with naming(source):
        opened = _with_model(opened, model)
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
        warn(f"{source.name} is damaged; its first {opened.k} components are whole, and {used} were used.")
    if opened.compressed.metadata.bands and not BandInfo.from_bytes(opened.compressed.metadata.bands):
        warn(f"What {source.name} says of its bands is damaged and was left out; pixels are not concerned.")
    n_bytes = sum(path.stat().st_size for path in written)
    files = f"{len(written)} files, " if len(written) > 1 else ""
    frames = f"{image.frames} × " if image.is_stack else ""
    say(
        f"{target.name}: {files}{frames}{image.width} × {image.height}, {size_text(n_bytes)}; "
        f"k = {used} of {opened.k} in {source.name}"
    )


def _with_model(opened: CompressedImage, model: Path | None) -> CompressedImage:
    """Fetch the basis that is in a model file."""
    wanted = opened.compressed.basis
    if model is not None:
        return opened.with_model(open_compressed(model))
    if wanted is not None:
        raise ModelError(f"The basis is in a model file, with the id {wanted}; --model names that file.")
    return opened

"""``pcaimage encode``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pcaimage import api
from pcaimage.cli.files import check_output, open_compressed
from pcaimage.cli.method import Method
from pcaimage.cli.originals import read_original
from pcaimage.cli.pages import Pages
from pcaimage.cli.terminal import progress_bar, say, say_json
from pcaimage.cli.values import finite, number_or_word, psnr_text, size_text
from pcaimage.codec import Compressed, Encoding, Settings, error_bound, nodata_of
from pcaimage.errors import SettingsError
from pcaimage.imaging import Image, bits_per_pixel
from pcaimage.progress import Progress, part
from pcaimage.quality import psnr_of_mse
from pcaimage.sampling import Bands, Blocks, Channels, Lapped, Sampling, Stack

DEFAULT_BLOCK = 8


@dataclass(frozen=True)
class Result:
    """What encoding gave.

    Parameters
    ----------
    image : Image
        The original.
    encoding : Encoding
        Its compressed form.
    file_bytes : int
        The file's size.
    psnr : float
        Decibels between the original and what the file decodes to.
    """

    image: Image
    encoding: Encoding
    file_bytes: int
    psnr: float

    def values(self) -> dict[str, Any]:
        """Return the figures, by the names that they have in JSON.

        Returns
        -------
        dict
            What JSON can hold.
        """
        compressed = self.encoding.compressed
        return {
            "file_bytes": self.file_bytes,
            "raw_bytes": self.image.raw_bytes,
            "original_bytes": self.image.file_size,
            "ratio": self.image.raw_bytes / self.file_bytes,
            "bits_per_pixel": bits_per_pixel(self.file_bytes, self.image.pixels.shape),
            "k": compressed.k,
            "k_max": k_max(compressed),
            "step": float(compressed.header.step),
            "psnr": finite(self.psnr),
            "model": None if compressed.basis is None else str(compressed.basis),
            "max_error": error_bound(compressed),
            "nodata": number_or_word(nodata_of(compressed)),
        }

    def sentence(self, name: str) -> str:
        """Return the figures in one line.

        Parameters
        ----------
        name : str
            The file's name.

        Returns
        -------
        str
            Sizes, ratio, k and quality.
        """
        values = self.values()
        original = ""
        if self.image.file_size is not None:
            what = "larger than" if self.image.file_size < self.file_bytes else "from"
            original = f", {what} {size_text(self.image.file_size)} of {self.image.format or 'the original'}"
        model = f"; basis in model file, id {values['model']}" if values["model"] else ""
        near = f", every value within ±{values['max_error']:g}" if values["max_error"] else ""
        return (
            f"{name}: {size_text(self.file_bytes)}{original}; {values['ratio']:.1f} : 1 of the raw pixels, "
            f"{values['bits_per_pixel']:.3g} bits a pixel; k = {values['k']} of {values['k_max']}, "
            f"{psnr_text(self.psnr)}{near}{model}"
        )


def k_max(compressed: Compressed) -> int:
    """Return how many components there are to keep.

    Parameters
    ----------
    compressed : Compressed
        What the file holds.

    Returns
    -------
    int
        Those of the model, or of the spectrum, or as many as the image can have.
    """
    if compressed.basis is not None:
        return compressed.basis.components
    return int(compressed.spectrum.size) or compressed.header.max_components


def sampling_of(method: Method | None, block: int | None) -> Sampling | None:
    """Return what a sample is.

    Parameters
    ----------
    method : Method or None
        The method's name; None where the image decides.
    block : int or None
        Pixels along a block's side.

    Returns
    -------
    Sampling or None
        The sampling; blocks where the size of blocks is given alone.

    Raises
    ------
    SettingsError
        If the block is out of range, or the method has none.
    """
    if method is Method.BLOCKS or (method is None and block is not None):
        return Blocks(DEFAULT_BLOCK if block is None else block)
    if method is None:
        return None
    if block is not None:
        raise SettingsError(f"--block belongs to --method blocks; {method.value} has no size of blocks.")
    samplings: dict[Method, Sampling] = {
        Method.PHOTO: Lapped(),
        Method.CHANNELS: Channels(),
        Method.STACK: Stack(),
        Method.BANDS: Bands(),
    }
    return samplings[method]


def encode(
    source: Path,
    target: Path,
    settings: Settings,
    *,
    pages: Pages | None = None,
    model: Path | None = None,
    overwrite: bool = False,
    as_json: bool = False,
) -> None:
    """Compress an image into a file, and print what came of it.

    Parameters
    ----------
    source : Path
        The image, for a stack a folder or a file of several images.
    target : Path
        The ``.pcai`` file.
    settings : Settings
        How.
    pages : Pages, optional
        Whether the file's planes are bands or images.
    model : Path, optional
        A ``.pcai`` file whose components are used, and not stored again.
    overwrite : bool, default False
        Whether a file of that name is replaced.
    as_json : bool, default False
        Whether the figures are for a program.

    Raises
    ------
    PcaImageError
        If it cannot be done.
    """
    check_output(target, overwrite=overwrite, suffix=api.SUFFIX)
    lender = None if model is None else open_compressed(model).compressed
    if lender is not None and settings.sampling is None:
        settings = replace(settings, sampling=lender.header.sampling)
    image, settings = read_original(source, settings, pages)
    with progress_bar(f"Compressing {source.name}") as progress:
        result = _compress(image, target, settings, lender, progress, overwrite=overwrite)
    if as_json:
        say_json({"input": str(source), "output": str(target), **result.values()})
    else:
        say(result.sentence(target.name))


def _compress(
    image: Image,
    target: Path,
    settings: Settings,
    model: Compressed | None,
    progress: Progress,
    *,
    overwrite: bool,
) -> Result:
    corrected = settings.lossless or settings.max_error is not None
    coded, compared = (0.55, 0.56) if corrected else (0.7, 0.8)
    encoding = api.compress_image(image, settings, part(progress, 0.0, coded), model=model)
    # Saving verifies that the file decodes to this model, so that this is the file's reconstruction.
    error = encoding.mean_squared_error(image.pixels, part(progress, coded, compared))
    n_bytes = api.save_encoding(target, encoding, part(progress, compared, 1.0), overwrite=overwrite)
    # Of bands, which use a small part of their type's range, --psnr is that of the largest value, too.
    return Result(image, encoding, n_bytes, psnr_of_mse(error, encoding.compressed.header.peak))

"""``pcaimage encode``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pcaimage import api
from pcaimage.cli.files import check_output, is_compressed
from pcaimage.cli.method import Method
from pcaimage.cli.terminal import progress_bar, say, say_json
from pcaimage.cli.values import finite, psnr_text, size_text
from pcaimage.codec import Encoding, Settings
from pcaimage.errors import ImageError, SettingsError
from pcaimage.imaging import Image, bits_per_pixel, psnr, read_image, read_stack
from pcaimage.progress import Progress, part
from pcaimage.sampling import Blocks, Channels, Lapped, Sampling, Stack

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
            "k_max": int(compressed.spectrum.size) or compressed.header.max_components,
            "step": float(compressed.header.step),
            "psnr": finite(self.psnr),
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
        return (
            f"{name}: {size_text(self.file_bytes)}{original}; {values['ratio']:.1f} : 1 of the raw pixels, "
            f"{values['bits_per_pixel']:.3g} bits a pixel; k = {values['k']} of {values['k_max']}, "
            f"{psnr_text(self.psnr)}"
        )


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
    return {Method.PHOTO: Lapped(), Method.CHANNELS: Channels(), Method.STACK: Stack()}[method]


def encode(
    source: Path, target: Path, settings: Settings, *, overwrite: bool = False, as_json: bool = False
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
    image = _read(source, settings)
    with progress_bar(f"Compressing {source.name}") as progress:
        result = _compress(image, target, settings, progress, overwrite=overwrite)
    if as_json:
        say_json({"input": str(source), "output": str(target), **result.values()})
    else:
        say(result.sentence(target.name))


def _read(source: Path, settings: Settings) -> Image:
    """Read an image, or say why it is none for this method."""
    if is_compressed(source) and source.exists():
        raise ImageError(
            f"{source.name} is compressed already; `pcaimage trim` makes it smaller, and `pcaimage decode` "
            "gives the image back."
        )
    if isinstance(settings.sampling, Stack):
        return read_stack(source)
    if source.is_dir():
        raise ImageError(f"{source.name} is a folder; --method stack compresses the images in it together.")
    return read_image(source)


def _compress(
    image: Image, target: Path, settings: Settings, progress: Progress, *, overwrite: bool
) -> Result:
    encoding = api.compress_image(image, settings, part(progress, 0.0, 0.8))
    # Saving verifies that the file decodes to this model, so that this is the file's reconstruction.
    decoded = encoding.decoded(part(progress, 0.8, 0.9)).reshape(image.pixels.shape)
    quality = psnr(image.pixels, decoded)
    n_bytes = api.save_encoding(target, encoding, part(progress, 0.9, 1.0), overwrite=overwrite)
    return Result(image, encoding, n_bytes, quality)

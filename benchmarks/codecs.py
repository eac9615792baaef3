"""The codecs to compare with, each as a way from pixels to bytes at some quality, and back."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

import pcaimage
from pcaimage import Settings
from pcaimage.sampling import Blocks

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Codec:
    """A codec with the settings of one curve.

    Parameters
    ----------
    name : str
        What to call it.
    encoder : callable
        ``encoder(array, quality) -> bytes``. It can be sent to another process.
    qualities : tuple of float
        From poor to good; their meaning is the codec's own.
    decoder : callable, optional
        ``decoder(data) -> array``; Pillow's by default.
    """

    name: str
    encoder: Callable[[Pixels, float], bytes] = field(repr=False)
    qualities: tuple[float, ...]
    decoder: Callable[[bytes], Pixels] | None = field(default=None, repr=False)

    def encode(self, array: Pixels, quality: float) -> bytes:
        """Compress an image.

        Parameters
        ----------
        array : ndarray of uint8, shape (H, W, 3) or (H, W)
            The image.
        quality : float
            In the codec's own terms, such as one of :attr:`qualities`.

        Returns
        -------
        bytes
            A file.
        """
        return self.encoder(array, quality)

    def decode(self, data: bytes) -> Pixels:
        """Decompress an image.

        Parameters
        ----------
        data : bytes
            What :meth:`encode` returned.

        Returns
        -------
        ndarray of uint8
            The image.
        """
        return _pillow_decode(data) if self.decoder is None else self.decoder(data)


def jpeg(subsampling: str = "4:2:0") -> Codec:
    """Return JPEG with optimised Huffman tables, progressive."""
    options = {"subsampling": subsampling, "optimize": True, "progressive": True}
    qualities = (5, 10, 20, 30, 40, 50, 60, 70, 80, 88, 94, 98)
    return Codec(f"JPEG {subsampling}", partial(_pillow_encode, "JPEG", options), qualities)


def fast_jpeg() -> Codec:
    """Return JPEG as Pillow writes it by default."""
    return Codec("JPEG", partial(_pillow_encode, "JPEG", {}), (50, 75, 90))


def webp(method: int = 6) -> Codec:
    """Return lossy WebP; a higher method is slower and smaller."""
    encoder = partial(_pillow_encode, "WEBP", {"method": method})
    return Codec("WebP", encoder, (2, 10, 25, 45, 65, 80, 90, 96, 100))


def jpeg2000() -> Codec:
    """Return JPEG 2000: 9/7 wavelet, irreversible colour transform; its quality is bits per pixel."""
    return Codec("JPEG 2000", _jpeg2000_encode, (0.12, 0.2, 0.35, 0.6, 1.0, 1.5, 2.2, 3.2, 4.5))


def avif(*, tune: str | None = None, speed: int = 4) -> Codec:
    """Return AVIF without chroma subsampling, tuned for perception by default, or for PSNR."""
    options: dict[str, Any] = {"subsampling": "4:4:4", "speed": speed}
    if tune is not None:
        options["advanced"] = {"tune": tune}
    name = "AVIF" if tune is None else f"AVIF ({tune})"
    return Codec(name, partial(_pillow_encode, "AVIF", options), (10, 25, 40, 55, 65, 75, 85, 92, 97))


def jpeg_xl(effort: int = 7) -> Codec:
    """Return JPEG XL; it needs ``pillow-jxl-plugin``."""
    return Codec("JPEG XL", partial(_jxl_encode, effort), (10, 25, 40, 55, 70, 80, 88, 94, 97), _jxl_decode)


def pca_blocks(size: int = 8, by: str = "k") -> Codec:
    """Return this project's codec on the image's own blocks.

    Parameters
    ----------
    size : int
        Pixels along a block's side.
    by : {"k", "variance", "psnr"}
        What its quality is: the components that are kept, the share of the variance, or decibels.

    Returns
    -------
    Codec
        The step follows from the components by reverse water-filling.
    """
    qualities: dict[str, tuple[float, ...]] = {
        "k": (2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128),
        "variance": (0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999),
        "psnr": (26, 28, 30, 32, 34, 36, 38, 40),
    }
    return Codec(f"PCA {size}×{size}", partial(_pca_encode, size, by), qualities[by], _pca_decode)


def rivals() -> list[Codec]:
    """Return all codecs to compare with that this machine has."""
    found = [
        jpeg("4:2:0"),
        jpeg("4:4:4"),
        webp(),
        jpeg2000(),
        avif(),
        avif(tune="psnr"),
    ]
    return [*found, jpeg_xl()] if importlib.util.find_spec("pillow_jxl") else found


def _pillow_encode(form: str, options: dict[str, Any], array: Pixels, quality: float) -> bytes:
    file = BytesIO()
    Pillow.fromarray(array).save(file, form, quality=round(quality), **options)
    return file.getvalue()


def _pillow_decode(data: bytes) -> Pixels:
    with Pillow.open(BytesIO(data)) as image:
        return np.asarray(image)


def _jpeg2000_encode(array: Pixels, quality: float) -> bytes:
    file = BytesIO()
    raw = 8 * (array.shape[2] if array.ndim == 3 else 1)
    options: dict[str, Any] = {"quality_mode": "rates", "quality_layers": [max(raw / quality, 1.0)]}
    Pillow.fromarray(array).save(
        file, "JPEG2000", irreversible=True, mct=int(array.ndim == 3), no_jp2=True, **options
    )
    return file.getvalue()


def _jxl_encode(effort: int, array: Pixels, quality: float) -> bytes:
    importlib.import_module("pillow_jxl")
    return _pillow_encode("JXL", {"effort": effort}, array, quality)


def _jxl_decode(data: bytes) -> Pixels:
    importlib.import_module("pillow_jxl")
    return _pillow_decode(data)


def _pca_encode(size: int, by: str, array: Pixels, quality: float) -> bytes:
    sampling = Blocks(size)
    if by == "variance":
        return pcaimage.encode(array, Settings(sampling=sampling, variance=quality))
    if by == "psnr":
        return pcaimage.encode(array, Settings(sampling=sampling, psnr=quality))
    return pcaimage.encode(array, Settings(sampling=sampling, k=round(quality)))


def _pca_decode(data: bytes) -> Pixels:
    return pcaimage.decode(data).astype(np.uint8, copy=False)

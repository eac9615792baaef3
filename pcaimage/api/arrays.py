"""Arrays and images to compressed images, and back."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from pcaimage import codec, container
from pcaimage.api.bands import as_chosen, bands_of, settings_for
from pcaimage.codec import Compressed, Encoding, Metadata, Settings
from pcaimage.imaging import Image, ssim
from pcaimage.imaging.types import Pixels
from pcaimage.progress import Progress, no_progress


def encode(
    array: Pixels,
    settings: Settings | None = None,
    progress: Progress = no_progress,
    *,
    alpha: Pixels | None = None,
    metadata: Metadata | None = None,
    model: bytes | None = None,
) -> bytes:
    """Compress an array.

    Parameters
    ----------
    array : ndarray of uint8 or uint16
        (H, W) or (H, W, C); with ``Settings(sampling=Stack())`` (N, H, W) or (N, H, W, C). Images of many
        bands may also be of int16 or float32, and mapped from a file.
    settings : Settings, optional
        How; by default images of one to four channels are photos at a step of 10, and others are coded by
        their bands, at about 50 dB.
    progress : Progress, optional
        ``progress(done, total)``; raising from it stops the work.
    alpha : ndarray, optional
        Opacity of the shape of a channel, kept exactly.
    metadata : Metadata, optional
        What is carried along.
    model : bytes, optional
        A ``.pcai`` file of blocks, channels or a stack, whose basis is used and not stored again:
        decoding needs that file, too.

    Returns
    -------
    bytes
        A ``.pcai`` file.

    Raises
    ------
    DataError
        If the array's type or shape is not supported.
    SettingsError, TargetError
        If the settings do not fit the array.

    Examples
    --------
    >>> import numpy as np, pcaimage
    >>> array = np.add.outer(np.arange(64), np.arange(64)).astype(np.uint8)
    >>> data = pcaimage.encode(array, pcaimage.Settings(k=3))
    >>> pcaimage.decode(data).shape
    (64, 64)
    """
    chosen = settings or Settings()
    lender = None if model is None else container.read(model)
    encoding = compress_array(array, chosen, alpha=alpha, metadata=metadata, model=lender, progress=progress)
    return container.write(encoding.compressed)


def compress_array(
    array: NDArray[Any],
    settings: Settings,
    *,
    alpha: NDArray[Any] | None = None,
    metadata: Metadata | None = None,
    model: Compressed | None = None,
    progress: Progress = no_progress,
) -> Encoding:
    """Compress an array, and tell what it must decode to.

    Parameters
    ----------
    array : ndarray of uint8 or uint16
        As for :func:`encode`.
    settings : Settings
        How.
    alpha : ndarray, optional
        Opacity of the shape of a channel, kept exactly.
    metadata : Metadata, optional
        What is carried along.
    model : Compressed, optional
        Whose basis to use instead of the array's own.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    Encoding
        What a file holds, and what it must decode to.

    Raises
    ------
    DataError, SettingsError, TargetError
        If array and settings do not fit.
    """
    return codec.compress(
        array,
        settings,
        size_of,
        alpha=alpha,
        metadata=metadata,
        similarity=ssim,
        model=model,
        progress=progress,
    )


def compress_image(
    image: Image, settings: Settings, progress: Progress = no_progress, *, model: Compressed | None = None
) -> Encoding:
    """Compress an image with its opacity and metadata.

    Parameters
    ----------
    image : Image
        The image. A stack is compressed by ``Settings(sampling=Stack())``, and nothing else is.
    settings : Settings
        How.
    progress : Progress, optional
        Told of the work done.
    model : Compressed, optional
        Whose basis to use instead of the image's own.

    Returns
    -------
    Encoding
        What a file holds, and what it must decode to.

    Raises
    ------
    DataError, SettingsError, TargetError
        If image and settings do not fit.
    """
    return compress_array(
        image.pixels,
        settings_for(image, settings) if model is None else settings,
        alpha=image.alpha,
        metadata=metadata_of(as_chosen(image, settings)),
        model=model,
        progress=progress,
    )


def metadata_of(image: Image) -> Metadata:
    """Return what of an image is carried along beside its pixels.

    Parameters
    ----------
    image : Image
        The image.

    Returns
    -------
    Metadata
        Name, size, profile, EXIF, and what is known of the bands.
    """
    bands = image.bands.to_bytes() or None
    return Metadata(image.name, image.file_size, image.icc_profile, image.exif, bands)


def image_of(compressed: Compressed, pixels: Pixels) -> Image:
    """Put a reconstruction together with what its file carries along.

    Parameters
    ----------
    compressed : Compressed
        What the file holds.
    pixels : ndarray
        Its reconstruction.

    Returns
    -------
    Image
        The image.
    """
    metadata = compressed.metadata
    return Image(
        pixels=pixels.reshape(compressed.header.shape),
        alpha=compressed.alpha,
        icc_profile=metadata.icc_profile,
        exif=metadata.exif,
        name=metadata.name,
        format="PCAI",
        file_size=metadata.file_size,
        bands=bands_of(compressed),
    )


def size_of(compressed: Compressed) -> int:
    """Return the size of a compressed image's file.

    Parameters
    ----------
    compressed : Compressed
        What the file holds.

    Returns
    -------
    int
        Bytes.
    """
    return len(container.write(compressed))

"""Pillow reads and writes ``.pcai``, once asked to.

>>> from pcaimage.plugins.pillow import register
>>> register()

From then on ``PIL.Image.open("photo.pcai")`` and ``image.save("photo.pcai", psnr=38)`` work.
"""

from __future__ import annotations

from dataclasses import fields
from typing import IO, Any, cast

import numpy as np
from PIL import Image, ImageFile

from pcaimage import api, codec, container
from pcaimage.codec import Compressed, Metadata, Settings
from pcaimage.errors import PcaImageError, SettingsError
from pcaimage.sampling import Blocks, Channels, Lapped, Sampling

FORMAT = "PCAI"
MIME = "image/x-pcaimage"

_MODES = {("uint8", 1): "L", ("uint8", 3): "RGB", ("uint16", 1): "I;16"}
_WITH_ALPHA = {"L": "LA", "RGB": "RGBA"}
_OPTIONS = {field.name for field in fields(Settings)} - {"sampling"}


class PcaiImageFile(ImageFile.ImageFile):
    """A ``.pcai`` file as a Pillow image; its pixels are decoded lazily."""

    format = FORMAT
    format_description = "PCA compressed image"

    def _open(self) -> None:
        if self.fp is None:
            raise SyntaxError("There is no file.")
        try:
            opened = api.open_bytes(self.fp.read())
        except PcaImageError as error:
            raise SyntaxError(str(error)) from error  # how a Pillow plugin says "not mine, or damaged"
        self._compressed: Compressed | None = opened.compressed
        header = self._compressed.header
        mode = _MODES.get((header.dtype, header.shape[-1]))
        if mode is None or len(header.shape) != 3:
            raise SyntaxError("Pillow has no mode for images of many bands and for stacks.")
        if self._compressed.alpha is not None:
            mode = _WITH_ALPHA.get(mode, mode)
        self._mode = mode
        self._size = (header.shape[1], header.shape[0])
        metadata = self._compressed.metadata
        self.info["components"] = self._compressed.k
        if metadata.icc_profile:
            self.info["icc_profile"] = metadata.icc_profile
        if metadata.exif:
            self.info["exif"] = metadata.exif
        if metadata.xmp:
            self.info["xmp"] = metadata.xmp

    def load(self) -> Any:
        """Decode the pixels once, raising OSError if the file is damaged."""
        if self._compressed is not None:
            try:
                pixels = codec.decompress(self._compressed)
            except PcaImageError as error:
                raise OSError(str(error)) from error
            alpha, self._compressed = self._compressed.alpha, None
            layers = pixels.reshape(*pixels.shape[:2], -1)
            if alpha is not None and self.mode in _WITH_ALPHA.values():
                layers = np.dstack([layers, alpha])
            self.im = Image.fromarray(layers[..., 0] if layers.shape[2] == 1 else layers).im
            self.tile = []
        return Image.Image.load(self)


def accept(prefix: bytes) -> bool:
    """Return whether a file's first bytes are those of a ``.pcai`` file."""
    return prefix.startswith(container.SIGNATURE)


def save(image: Image.Image, file: IO[bytes], filename: str | bytes) -> None:
    """Write an image; options are those of :class:`pcaimage.Settings`, and ``method`` and ``block``.

    Parameters
    ----------
    image : PIL.Image.Image
        Of mode L, LA, RGB, RGBA or I;16; other modes are converted to RGB or RGBA.
    file : binary file
        Where to write.
    filename : str or bytes
        Unused; Pillow passes it.

    Raises
    ------
    OSError
        If the options are invalid.
    """
    del filename
    options = dict(cast("dict[str, Any]", image.encoderinfo))
    if image.mode not in {"L", "LA", "RGB", "RGBA", "I;16"}:
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    array = np.asarray(image)
    alpha = None
    if image.mode in {"LA", "RGBA"}:
        array, alpha = array[..., :-1], np.ascontiguousarray(array[..., -1])
    array = array.reshape(*array.shape[:2], -1)
    try:
        settings = Settings(_sampling(options), **{name: options[name] for name in _OPTIONS & options.keys()})
        exif = options.get("exif", image.info.get("exif"))
        metadata = Metadata(
            icc_profile=options.get("icc_profile", image.info.get("icc_profile")),
            exif=exif.tobytes() if isinstance(exif, Image.Exif) else exif,
            xmp=options.get("xmp", image.info.get("xmp")),
        )
        file.write(api.encode(np.ascontiguousarray(array), settings, alpha=alpha, metadata=metadata))
    except PcaImageError as error:
        raise OSError(str(error)) from error


def _sampling(options: dict[str, Any]) -> Sampling | None:
    """Return the sampling that the options ask for; None leaves it to the image."""
    method, block = options.get("method"), options.get("block")
    if method == "blocks" or (method is None and block is not None):
        return Blocks(8 if block is None else block)
    known: dict[object, Sampling | None] = {None: None, "photo": Lapped(), "channels": Channels()}
    if method not in known:
        raise SettingsError(f"The method must be photo, blocks or channels, not {method}.")
    return known[method]


def register() -> None:
    """Register the format with Pillow; calling it again changes nothing."""
    Image.register_open(FORMAT, PcaiImageFile, accept)
    Image.register_save(FORMAT, save)
    Image.register_extension(FORMAT, api.SUFFIX)
    Image.register_mime(FORMAT, MIME)

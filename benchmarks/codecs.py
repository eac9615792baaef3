"""The other codecs, each as functions from pixels to bytes at some quality, and back."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import __version__, features

Pixels = NDArray[np.uint8]

_JXL_PLUGIN = "pillow-jxl-plugin"


@dataclass(frozen=True)
class Codec:
    """A codec with the settings of one curve.

    Parameters
    ----------
    name : str
        Name in tables.
    encoder : callable
        ``encoder(array, quality) -> bytes``; picklable.
    qualities : tuple of float
        In the codec's own terms, ascending. On photographs, files have 0.1 to 3 bits per pixel, as far as the
        codec allows.
    decoder : callable, optional
        ``decoder(data) -> array``; Pillow's by default.
    library : str, optional
        Name and version of the encoding library, which make results reproducible; None for this project.
    """

    name: str
    encoder: Callable[[Pixels, float], bytes] = field(repr=False)
    qualities: tuple[float, ...]
    decoder: Callable[[bytes], Pixels] | None = field(default=None, repr=False)
    library: str = ""

    def every(self, number: int) -> Codec:
        """Return the codec with every second, third, … of its qualities only."""
        return replace(self, qualities=self.qualities[number - 1 :: number])

    @property
    def identity(self) -> str | None:
        """All that its files depend on besides image and quality; None if the code may still change."""
        if not self.library:
            return None
        options = self.encoder.args if isinstance(self.encoder, partial) else ()
        return f"{self.name}, {self.library}, Pillow {__version__}, {options}"

    def encode(self, array: Pixels, quality: float) -> bytes:
        """Compress a uint8 image of shape (H, W, 3) or (H, W) to a complete file."""
        return self.encoder(array, quality)

    def decode(self, data: bytes) -> Pixels:
        """Decompress a file to a uint8 image."""
        return _pillow_decode(data) if self.decoder is None else self.decoder(data)


def jpeg(subsampling: str = "4:2:0") -> Codec:
    """Return JPEG with optimised Huffman tables, progressive."""
    options = {"subsampling": subsampling, "optimize": True, "progressive": True}
    qualities = (1, 4, 8, 14, 22, 32, 45, 58, 70, 80, 87, 92, 95, 98)
    return _pillow(f"JPEG {subsampling}", "JPEG", options, qualities, "libjpeg_turbo")


def fast_jpeg() -> Codec:
    """Return JPEG as Pillow writes it by default."""
    return _pillow("JPEG", "JPEG", {}, (50, 75, 90), "libjpeg_turbo")


def webp(method: int = 6) -> Codec:
    """Return lossy WebP; a higher method is slower and smaller."""
    qualities = (0, 1, 4, 10, 20, 35, 50, 65, 78, 86, 92, 96, 100)
    return _pillow("WebP", "WEBP", {"method": method}, qualities, "webp")


def jpeg2000() -> Codec:
    """Return JPEG 2000 with the 9/7 wavelet and irreversible colour transform; quality is bits per pixel.

    Its files are bare codestreams, which are some 80 bytes shorter than JP2 files.
    """
    qualities = (0.095, 0.15, 0.23, 0.35, 0.55, 0.8, 1.2, 1.7, 2.4, 3.2)
    encoder = partial(_jpeg2000_encode, {"irreversible": True, "no_jp2": True})
    return Codec("JPEG 2000", encoder, qualities, library=_version("jpg_2000"))


def avif(*, tune: str | None = None, speed: int = 4) -> Codec:
    """Return AVIF without chroma subsampling, tuned for perception by default, or for PSNR."""
    options: dict[str, Any] = {"subsampling": "4:4:4", "speed": speed}
    if tune is not None:
        options["advanced"] = {"tune": tune}
    name = "AVIF" if tune is None else f"AVIF ({tune})"
    return _pillow(name, "AVIF", options, (2, 8, 18, 30, 43, 55, 67, 78, 87, 94, 98), "avif")


def avif_of_10_bits(tune: str, speed: int) -> Codec:
    """Return AVIF of 10 bits without chroma subsampling, by libavif's command ``avifenc``, on one thread.

    Tuning for ``iq`` takes libaom 3.12 or newer.
    """
    qualities = (5, 10, 18, 28, 40, 52, 64, 76, 86, 94)
    options = ("-a", f"tune={tune}", "-s", str(speed), "-d", "10", "-y", "444", "-j", "1")
    name = f"AVIF ({tune}, 10 bits)"
    return Codec(name, partial(_avifenc, options), qualities, library=_tool_version("avifenc"))


def jpeg_xl(effort: int = 7) -> Codec:
    """Return JPEG XL; requires ``pillow-jxl-plugin`` unless Pillow supports it."""
    has_plugin = importlib.util.find_spec("pillow_jxl") is not None
    library = f"{_JXL_PLUGIN} {importlib.metadata.version(_JXL_PLUGIN)}" if has_plugin else "libjxl"
    qualities = (1, 5, 12, 25, 40, 55, 68, 78, 86, 91, 95, 98)
    name = "JPEG XL" if effort == 7 else f"JPEG XL, effort {effort}"
    return Codec(name, partial(_jxl_encode, effort), qualities, _jxl_decode, library)


_RIVALS: dict[str, tuple[Callable[[], Codec], str]] = {
    "jpeg": (partial(jpeg, "4:2:0"), "jpg"),
    "jpeg-444": (partial(jpeg, "4:4:4"), "jpg"),
    "jpeg2000": (jpeg2000, "jpg_2000"),
    "webp": (webp, "webp"),
    "jpeg-xl": (jpeg_xl, "jxl"),
    "avif": (avif, "avif"),
    "avif-psnr": (partial(avif, tune="psnr"), "avif"),
    "avif-psnr-10": (partial(avif_of_10_bits, "psnr", 1), "avifenc"),
    "avif-iq-10": (partial(avif_of_10_bits, "iq", 2), "avifenc"),
    "jpeg-xl-9": (partial(jpeg_xl, 9), "jxl"),
}

RIVALS = tuple(_RIVALS)
"""Names of the other codecs on the command line."""

USUAL = RIVALS[:-3]
"""Those that are measured by default: the last ones take seconds for each file."""


def rivals(names: Sequence[str] = RIVALS) -> tuple[list[Codec], list[str]]:
    """Return the codecs of given names that are available, and a sentence for each that is not."""
    found, missing = [], []
    for name in names:
        make, feature = _RIVALS[name]
        if _has(feature):
            found.append(make())
        elif feature == "avifenc":
            missing.append(f"{name} is left out: there is no command avifenc here.")
        else:
            remedy = f" Install {_JXL_PLUGIN} for it." if feature == "jxl" else ""
            missing.append(f"{name} is left out: Pillow cannot write it here.{remedy}")
    return found, missing


def _has(feature: str) -> bool:
    if feature == "avifenc":
        return shutil.which(feature) is not None
    if feature != "jxl":
        return bool(features.check(feature))
    if importlib.util.find_spec("pillow_jxl") is not None:
        return True
    Pillow.init()
    return "JXL" in Pillow.SAVE


def _tool_version(name: str) -> str:
    told = subprocess.run((name, "--version"), check=True, capture_output=True, text=True).stdout
    return " ".join(told.split()).removeprefix("Version: ")


def _avifenc(options: Sequence[str], array: Pixels, quality: float) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        image, file = Path(folder, "image.png"), Path(folder, "image.avif")
        Pillow.fromarray(array).save(image, compress_level=1)
        command = ("avifenc", *options, "-q", str(round(quality)), str(image), str(file))
        subprocess.run(command, check=True, capture_output=True)
        return file.read_bytes()


def _version(feature: str) -> str:
    return f"{feature} {features.version(feature)}"


def _pillow(
    name: str, form: str, options: dict[str, Any], qualities: tuple[float, ...], feature: str
) -> Codec:
    encoder = partial(_pillow_encode, form, options)
    return Codec(name, encoder, qualities, library=_version(feature))


def _pillow_encode(form: str, options: dict[str, Any], array: Pixels, quality: float) -> bytes:
    file = BytesIO()
    Pillow.fromarray(array).save(file, form, quality=round(quality), **options)
    return file.getvalue()


def _pillow_decode(data: bytes) -> Pixels:
    with Pillow.open(BytesIO(data)) as image:
        return np.asarray(image)


def _jpeg2000_encode(options: dict[str, Any], array: Pixels, quality: float) -> bytes:
    file = BytesIO()
    channels = array.shape[2] if array.ndim == 3 else 1
    rate: dict[str, Any] = {"quality_mode": "rates", "quality_layers": [max(8 * channels / quality, 1.0)]}
    Pillow.fromarray(array).save(file, "JPEG2000", mct=int(channels == 3), **rate, **options)
    return file.getvalue()


def _jxl_encode(effort: int, array: Pixels, quality: float) -> bytes:
    _register_jxl()
    return _pillow_encode("JXL", {"effort": effort}, array, quality)


def _jxl_decode(data: bytes) -> Pixels:
    _register_jxl()
    return _pillow_decode(data)


def _register_jxl() -> None:
    if importlib.util.find_spec("pillow_jxl") is not None:
        importlib.import_module("pillow_jxl")

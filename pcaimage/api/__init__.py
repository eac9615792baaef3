"""The library: images and arrays to ``.pcai`` bytes and files, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing
from pcaimage.signature import SUFFIX

if TYPE_CHECKING:
    from pcaimage.api.arrays import (
        compress_array,
        compress_image,
        encode,
        image_of,
        metadata_of,
        size_of,
        timing_of,
    )
    from pcaimage.api.bands import as_chosen, bands_of, settings_for
    from pcaimage.api.opening import CompressedImage, check_signature, decode, open_bytes, open_file
    from pcaimage.api.preset_files import (
        delete_preset,
        preset_of,
        read_preset,
        save_preset,
        saved_presets,
        write_preset,
    )
    from pcaimage.api.presets import Preset, bytes_of, check_name, scale_of
    from pcaimage.api.saving import compressing_share, save, save_compressed, save_encoding

__getattr__, __dir__ = importing(
    __name__,
    {
        "arrays": (
            "compress_array",
            "compress_image",
            "encode",
            "image_of",
            "metadata_of",
            "size_of",
            "timing_of",
        ),
        "bands": ("as_chosen", "bands_of", "settings_for"),
        "opening": ("CompressedImage", "check_signature", "decode", "open_bytes", "open_file"),
        "preset_files": (
            "delete_preset",
            "preset_of",
            "read_preset",
            "save_preset",
            "saved_presets",
            "write_preset",
        ),
        "presets": ("Preset", "bytes_of", "check_name", "scale_of"),
        "saving": ("compressing_share", "save", "save_compressed", "save_encoding"),
    },
)

__all__ = [
    "SUFFIX",
    "CompressedImage",
    "Preset",
    "as_chosen",
    "bands_of",
    "bytes_of",
    "check_name",
    "check_signature",
    "compress_array",
    "compress_image",
    "compressing_share",
    "decode",
    "delete_preset",
    "encode",
    "image_of",
    "metadata_of",
    "open_bytes",
    "open_file",
    "preset_of",
    "read_preset",
    "save",
    "save_compressed",
    "save_encoding",
    "save_preset",
    "saved_presets",
    "scale_of",
    "settings_for",
    "size_of",
    "timing_of",
    "write_preset",
]

"""The library: images and arrays to ``.pcai`` bytes and files, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing
from pcaimage.signature import SUFFIX as SUFFIX

if TYPE_CHECKING:
    from pcaimage.api.arrays import (
        compress_array as compress_array,
        compress_image as compress_image,
        encode as encode,
        exact_settings as exact_settings,
        image_of as image_of,
        metadata_of as metadata_of,
        size_of as size_of,
        timing_of as timing_of,
    )
    from pcaimage.api.bands import (
        as_chosen as as_chosen,
        bands_of as bands_of,
        settings_for as settings_for,
        with_white as with_white,
    )
    from pcaimage.api.opening import (
        CompressedImage as CompressedImage,
        check_signature as check_signature,
        decode as decode,
        open_bytes as open_bytes,
        open_file as open_file,
    )
    from pcaimage.api.preset_files import (
        delete_preset as delete_preset,
        preset_of as preset_of,
        read_preset as read_preset,
        save_preset as save_preset,
        saved_presets as saved_presets,
        write_preset as write_preset,
    )
    from pcaimage.api.presets import Preset as Preset, bytes_of as bytes_of, check_name as check_name
    from pcaimage.api.saving import (
        compressing_share as compressing_share,
        save as save,
        save_compressed as save_compressed,
        save_encoding as save_encoding,
    )

__getattr__, __dir__, __all__ = importing(
    __name__,
    {
        "arrays": (
            "compress_array",
            "compress_image",
            "encode",
            "exact_settings",
            "image_of",
            "metadata_of",
            "size_of",
            "timing_of",
            "with_white",
        ),
        "bands": ("as_chosen", "bands_of", "settings_for", "with_white"),
        "opening": ("CompressedImage", "check_signature", "decode", "open_bytes", "open_file"),
        "preset_files": (
            "delete_preset",
            "preset_of",
            "read_preset",
            "save_preset",
            "saved_presets",
            "write_preset",
        ),
        "presets": ("Preset", "bytes_of", "check_name"),
        "saving": ("compressing_share", "save", "save_compressed", "save_encoding"),
    },
    "SUFFIX",
)

"""The library: images and arrays to ``.pcai`` bytes and files, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing
from pcaimage.signature import SUFFIX as SUFFIX

if TYPE_CHECKING:
    from pcaimage.api.arrays import *
    from pcaimage.api.opening import *
    from pcaimage.api.pages import *
    from pcaimage.api.presets import *
    from pcaimage.api.saving import *

__getattr__, __dir__, __all__ = importing(
    __name__,
    {
        "arrays": """
            as_chosen bands_of compress_array compress_image encode exact_settings exact_text
            image_of metadata_of settings_for size_of timing_of with_white
        """,
        "opening": "CompressedImage check_signature decode open_bytes open_file",
        "pages": "save_page web_page",
        "presets": """
            Preset bytes_of check_name delete_preset preset_of read_preset save_preset
            saved_presets write_preset
        """,
        "saving": "compressing_share save save_compressed save_encoding",
    },
    "SUFFIX",
)

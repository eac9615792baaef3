"""Image compression by principal component analysis.

>>> import numpy as np, pcaimage
>>> array = np.add.outer(np.arange(64), np.arange(64)).astype(np.uint8)
>>> data = pcaimage.encode(array, pcaimage.Settings(pcaimage.Blocks(8), k=3))
>>> int(np.abs(pcaimage.decode(data).astype(int) - array).max())
0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from pcaimage.api import CompressedImage, decode, encode, save
    from pcaimage.api import open_file as open  # noqa: A004 - as in other imaging libraries
    from pcaimage.batching import batch
    from pcaimage.codec import Metadata, Settings
    from pcaimage.errors import PcaImageError
    from pcaimage.imaging import Image
    from pcaimage.pca import PCA
    from pcaimage.sampling import Bands, Blocks, Channels, Stack

_WHERE = {
    "CompressedImage": ("pcaimage.api", "CompressedImage"),
    "batch": ("pcaimage.batching", "batch"),
    "decode": ("pcaimage.api", "decode"),
    "encode": ("pcaimage.api", "encode"),
    "open": ("pcaimage.api", "open_file"),
    "save": ("pcaimage.api", "save"),
    "Metadata": ("pcaimage.codec", "Metadata"),
    "Settings": ("pcaimage.codec", "Settings"),
    "PcaImageError": ("pcaimage.errors", "PcaImageError"),
    "Image": ("pcaimage.imaging", "Image"),
    "PCA": ("pcaimage.pca", "PCA"),
    "Blocks": ("pcaimage.sampling", "Blocks"),
    "Bands": ("pcaimage.sampling", "Bands"),
    "Channels": ("pcaimage.sampling", "Channels"),
    "Stack": ("pcaimage.sampling", "Stack"),
}


def __getattr__(name: str) -> Any:
    """Import names on first access, so that ``import pcaimage`` is fast."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _WHERE[name]
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return [*globals(), *_WHERE]


__all__ = [
    "PCA",
    "Bands",
    "Blocks",
    "Channels",
    "CompressedImage",
    "Image",
    "Metadata",
    "PcaImageError",
    "Settings",
    "Stack",
    "__version__",
    "batch",
    "decode",
    "encode",
    "open",
    "save",
]

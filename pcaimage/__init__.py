"""Image compression by principal component analysis.

>>> import numpy as np, pcaimage
>>> array = np.add.outer(np.arange(64), np.arange(64)).astype(np.uint8)
>>> data = pcaimage.encode(array, pcaimage.Settings(pcaimage.Blocks(8), k=1))
>>> int(np.abs(pcaimage.decode(data).astype(int) - array).max())
0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "1.0.0"

if TYPE_CHECKING:
    from pcaimage.api import CompressedImage as CompressedImage
    from pcaimage.api import decode as decode
    from pcaimage.api import encode as encode
    from pcaimage.api import open_file
    from pcaimage.api import save as save
    from pcaimage.api import save_page as save_page
    from pcaimage.batching import batch as batch
    from pcaimage.codec import Metadata as Metadata
    from pcaimage.codec import Settings as Settings
    from pcaimage.errors import PcaImageError as PcaImageError
    from pcaimage.imaging import Image as Image
    from pcaimage.pca import PCA as PCA
    from pcaimage.sampling import Bands as Bands
    from pcaimage.sampling import Blocks as Blocks
    from pcaimage.sampling import Channels as Channels
    from pcaimage.sampling import Stack as Stack

    open = open_file  # noqa: A001 - as in other imaging libraries

_WHERE = {
    "api": ("CompressedImage", "decode", "encode", "open", "save", "save_page"),
    "batching": ("batch",),
    "codec": ("Metadata", "Settings"),
    "errors": ("PcaImageError",),
    "imaging": ("Image",),
    "pca": ("PCA",),
    "sampling": ("Bands", "Blocks", "Channels", "Stack"),
}

__all__ = ["__version__"]
__all__ += [name for names in _WHERE.values() for name in names]


def __getattr__(name: str) -> Any:
    """Import names on first access, so that ``import pcaimage`` is fast."""
    for package, names in _WHERE.items():
        if name in names:
            module = importlib.import_module(f"pcaimage.{package}")
            return getattr(module, "open_file" if name == "open" else name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

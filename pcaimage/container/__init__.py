"""The ``.pcai`` file: chunks with checksums around a compressed image.

This package does not interpret the numbers. ``docs/format.md`` defines the format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing
from pcaimage.signature import SIGNATURE as SIGNATURE

if TYPE_CHECKING:
    from pcaimage.container.partial import *
    from pcaimage.container.reader import *
    from pcaimage.container.spec import *
    from pcaimage.container.writer import *

__getattr__, __dir__, __all__ = importing(
    __name__,
    {
        "partial": "Partial",
        "reader": "Opened peek read",
        "spec": "MAX_NUMBERS VERSION Chunk RawChunk check_version scan",
        "writer": "trim trimmed_sizes write",
    },
    "SIGNATURE",
)

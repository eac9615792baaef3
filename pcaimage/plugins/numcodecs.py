"""The codec for numcodecs, which arrays of Zarr format 2 use as their compressor.

It is found by its name once the package is installed; otherwise :func:`register` registers it.
"""

from __future__ import annotations

from typing import Any

import numcodecs.compat
import numpy as np
from numcodecs.abc import Codec
from numcodecs.registry import register_codec

from pcaimage.plugins.chunks import NAME, ChunkCodec


class PcaCodec(Codec):  # type: ignore[misc]  # numcodecs ships no types
    """Compresses chunks by PCA; parameters are fields of :class:`~pcaimage.plugins.chunks.Options`."""

    codec_id = NAME

    def __init__(self, **options: Any) -> None:
        self.chunks = ChunkCodec(**options)

    def encode(self, buf: Any) -> bytes:
        """Compress a chunk, an array of its shape."""
        return self.chunks.encode(np.asarray(buf))

    def decode(self, buf: Any, out: Any = None) -> Any:
        """Restore a chunk, into `out` if given."""
        size = None if out is None else memoryview(out).nbytes
        values = self.chunks.decode(bytes(numcodecs.compat.ensure_bytes(buf)), size)
        return numcodecs.compat.ndarray_copy(values, out)

    def get_config(self) -> dict[str, Any]:
        """Return the configuration, from which an array recreates its codec."""
        return {"id": self.codec_id, **self.chunks.configuration()}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> PcaCodec:
        """Return the codec of a configuration."""
        return cls(**config)


def register() -> None:
    """Register the codec with numcodecs; calling it again changes nothing."""
    register_codec(PcaCodec)

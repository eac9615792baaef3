"""The codec for arrays of Zarr format 3: from chunks to bytes.

It is found by its name once the package is installed; otherwise :func:`register` registers it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from zarr.abc.codec import ArrayBytesCodec
from zarr.registry import register_codec

from pcaimage.codec.values import check_type
from pcaimage.plugins.chunks import NAME, ChunkCodec, Options


@dataclass(frozen=True)
class PcaCodec(Options, ArrayBytesCodec):  # type: ignore[misc]  # it is not among what types are checked with
    """Compresses chunks by PCA: losslessly, within an error bound, or to a PSNR.

    Fields and errors are those of :class:`~pcaimage.plugins.chunks.Options`.
    """

    is_fixed_size = False

    @property
    def chunks(self) -> ChunkCodec:
        """The codec that does the work."""
        return ChunkCodec(**vars(self))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the codec described by an array's metadata."""
        return cls(**data.get("configuration", {}))

    def to_dict(self) -> dict[str, Any]:
        """Return the codec's entry in an array's metadata."""
        return {"name": NAME, "configuration": self.configuration()}

    def validate(self, *, shape: tuple[int, ...], dtype: Any, chunk_grid: Any) -> None:
        """Refuse arrays of a type that cannot be compressed."""
        del shape, chunk_grid
        check_type(dtype.to_native_dtype())

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> int:
        """Raise an error: the size depends on the contents."""
        raise NotImplementedError

    async def _encode_single(self, chunk_array: Any, chunk_spec: Any) -> Any:
        values = chunk_array.as_numpy_array()
        data = await asyncio.to_thread(self.chunks.encode, values)
        return chunk_spec.prototype.buffer.from_bytes(data)

    async def _decode_single(self, chunk_bytes: Any, chunk_spec: Any) -> Any:
        dtype = chunk_spec.dtype.to_native_dtype()
        n_bytes = int(np.prod(chunk_spec.shape, dtype=np.int64)) * dtype.itemsize
        found = await asyncio.to_thread(self.chunks.decode, chunk_bytes.to_bytes(), n_bytes)
        array = found.reshape(chunk_spec.shape).astype(dtype, copy=False)
        return chunk_spec.prototype.nd_buffer.from_numpy_array(array)


def register() -> None:
    """Register the codec with Zarr; calling it again changes nothing."""
    register_codec(NAME, PcaCodec)

"""Arrays larger than memory, compressed by the workers of a Dask cluster with one basis for all chunks.

>>> from dask.distributed import Client
>>> from pcaimage import distributed
>>> with Client("tcp://host:8786"):  # doctest: +SKIP
...     distributed.encode(array, "s3://bucket/cube.zarr", max_error=2)

Workers send moments of their chunks (map), which are added in the order of the chunks (reduce). The basis
that follows stands in the metadata of a Zarr array, with whose codec the workers write the chunks.
"""

from __future__ import annotations

import base64
import math
import operator
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from pcaimage import container
from pcaimage.api import open_file
from pcaimage.choices import Effort
from pcaimage.codec.linear.model_files import Totals, shared_model
from pcaimage.codec.settings import MOST_PHOTO_CHANNELS
from pcaimage.codec.values import check_type, laid
from pcaimage.errors import DataError, ImageError, PcaImageError
from pcaimage.imaging import Limits
from pcaimage.machine.parallel import use_cores
from pcaimage.plugins.chunks import ChunkCodec
from pcaimage.quality import white_between

# ruff: noqa: PLC0415 - Dask and Zarr are optional, and slow to import

if TYPE_CHECKING:
    import zarr

Axis = Literal["last", "first"]

FAN_IN = 8  # number of totals that one task adds: a constant, so that sums do not depend on the cluster
BATCH, UNDER_WAY = FAN_IN**3, 8  # number of chunks of a batch, and of batches
SAMPLED, ROUNDS = 8, 3  # number of chunks whose error is measured to meet a PSNR, and of measurements


def encode(
    array: Any,
    store: Any,
    *,
    max_error: float | None = None,
    psnr: float | None = None,
    bands: Axis = "last",
    effort: Effort = Effort.STANDARD,
    overwrite: bool = False,
) -> zarr.Array:
    """Compress a Dask array into a Zarr array, with one basis that is fitted to all of it.

    The array is read twice, first to fit the basis, or once with `effort` "fast"; only as many of its chunks
    are in memory at a time as workers have threads. The work is done by Dask's scheduler: that of the
    connected client, otherwise threads of this process. Other workers take over the work of one that is lost,
    and the result is the same.

    Arrays of one to four bands of unsigned numbers, and those of fewer than three axes, are coded as photos,
    for which the basis that comes with the program is used.

    Parameters
    ----------
    array : dask.array.Array of uint8, uint16, int16 or float32
        Two axes or more. Its chunks become those of the Zarr array; the axis of bands becomes one chunk.
    store : path, URL or Zarr store
        The place of the Zarr array, which all workers must reach.
    max_error : float, optional
        The largest error of any value. By default nothing is lost, which real numbers do not have.
    psnr : float, optional
        Instead, the PSNR of the whole array in decibels, about, relative to
        :func:`pcaimage.quality.white_of` it.
    bands : {"last", "first"}
        Which axis has the features of PCA.
    effort : Effort, default "standard"
        With "fast", each chunk is coded for itself, and the PSNR is that of each.
    overwrite : bool, default False
        Whether to replace an array that exists.

    Returns
    -------
    zarr.Array
        It reads like any other, where the package is installed.

    Raises
    ------
    DataError
        If no pixel was measured in all bands, or numbers are infinite.
    ImageError
        If there is an array already.
    SettingsError
        If settings contradict each other, or numbers of this type cannot be compressed.
    PcaImageError
        If Dask or Zarr is missing.
    """
    try:
        import dask
        import dask.array
        import zarr

        from pcaimage.plugins.zarr import PcaCodec, register
    except ImportError as error:
        raise PcaImageError(
            "This needs the packages dask and zarr; `pip install pcaimage[cluster,zarr]`."
        ) from error
    register()
    plain = ChunkCodec(max_error, psnr, bands, effort=effort)
    check_type(array.dtype)
    if array.ndim < 2 or not array.size or any(math.isnan(side) for side in array.shape):
        raise DataError(f"An array of shape {array.shape} cannot be compressed.")
    if not overwrite and _exists(zarr, store):
        raise ImageError(f"There is an array at {store} already; it is replaced only with overwrite=True.")
    native = array.astype(array.dtype.newbyteorder("="))
    chunked = _regular(native, 0 if bands == "first" else native.ndim - 1)
    features = chunked.shape[0 if bands == "first" else -1]
    has_basis = chunked.ndim > 2 and (features > MOST_PHOTO_CHANNELS or chunked.dtype.kind != "u")
    is_shared = has_basis and effort != Effort.FAST and plain.has_files(chunked.dtype)
    codec = PcaCodec(max_error, psnr, bands, _model(chunked, plain) if is_shared else None, effort=effort)
    target = zarr.create_array(
        store,
        shape=chunked.shape,
        chunks=chunked.chunksize,
        dtype=chunked.dtype,
        serializer=codec,
        compressors=None,
        overwrite=overwrite,
    )
    parts = chunked.to_delayed(optimize_graph=True)
    write = dask.delayed(_write)
    # Dask would search an array that is an argument for tasks, but not an object that holds it.
    held = _Held(target)
    for _ in _computed(
        list(np.ndindex(parts.shape)),
        lambda some: [write(held, _where(chunked.chunks, at), parts[at]) for at in some],
    ):
        pass
    return target


@dataclass(frozen=True)
class _Held:
    """Wrapper of the array that is written."""

    array: Any


def open_array(source: str | os.PathLike[str], *, chunks: Any = None, limits: Limits | None = None) -> Any:
    """Return the pixels of a ``.pcai`` file as a Dask array, whose chunks are decoded when they are computed.

    Of a large file of bands or blocks a chunk reads its slices alone; all of any other file is read at once.

    Parameters
    ----------
    source : path or URL
        The file, which all workers must reach.
    chunks : optional
        As Dask takes them; by default the slices of the file, or all of one that has no several.
    limits : Limits, optional
        Size limits of the image.

    Returns
    -------
    dask.array.Array
        Of the shape and type that :func:`pcaimage.decode` returns.

    Raises
    ------
    ImageError, FormatError
        If the file cannot be read.
    """
    import dask.array

    opened = open_file(source, limits=limits)
    if chunks is None:
        sides = opened.parts.partial.sides if opened.parts is not None else ()
        chunks = (*sides, *opened.shape[len(sides) :])
    name = f"pcaimage-{dask.base.tokenize(os.fspath(source), opened.n_bytes, opened.shape)}"
    return dask.array.from_array(opened, chunks=chunks, name=name)


def _exists(zarr: Any, store: Any) -> bool:
    try:
        zarr.open(store, mode="r")
    except (FileNotFoundError, ValueError, KeyError):  # as which Zarr says that there is none
        return False
    return True


def _regular(array: Any, features: int) -> Any:
    """Return the array in chunks of one size each way, with all features in each."""
    if array.ndim < 3:
        return array.rechunk(array.chunksize)
    return array.rechunk(
        tuple(
            side if axis == features else part
            for axis, (side, part) in enumerate(zip(array.shape, array.chunksize, strict=True))
        )
    )


def _where(chunks: Sequence[Sequence[int]], at: Sequence[int]) -> tuple[slice, ...]:
    """Return the place of a chunk in its array."""
    starts = [sum(sides[:number]) for sides, number in zip(chunks, at, strict=True)]
    return tuple(
        slice(start, start + sides[number]) for start, sides, number in zip(starts, chunks, at, strict=True)
    )


def _model(array: Any, codec: ChunkCodec) -> str:
    """Fit the model that all chunks share; of a PSNR, with the step that gives it."""
    import dask

    parts = array.to_delayed(optimize_graph=True).ravel().tolist()
    of, add = dask.delayed(_totals), partial(reduce, operator.add)
    sums = _computed(parts, lambda some: [_tree([of(part, codec.bands) for part in some], dask.delayed(add))])
    totals = _tree([total for (total,) in sums], add)
    dtype, error = array.dtype.name, 0.0 if codec.settings.lossless else codec.max_error
    if codec.psnr is None:
        return _text(totals, dtype, error, None)
    peak = white_between(dtype, totals.low, totals.high)
    count = min(SAMPLED, len(parts))
    chosen = [parts[number * len(parts) // count] for number in range(count)]
    wanted = peak**2 * 10 ** (-codec.psnr / 10)
    step = math.sqrt(12 * wanted)  # of uniform quantisation, if all components were kept
    measure, slope = dask.delayed(_squared_error), 2.0
    last: tuple[float, float] | None = None
    for _ in range(ROUNDS):
        tried = ChunkCodec(None, codec.psnr, codec.bands, _text(totals, dtype, None, step))
        found = dask.compute(*(measure(tried, part) for part in chosen))
        count = sum(number for _, number in found)
        mean = sum(square for square, _ in found) / max(count, 1)
        if not mean:
            break
        here = math.log(step), math.log(mean)
        if last is not None and here[0] != last[0]:  # where scores are zero, errors grow more slowly
            slope = min(max((here[1] - last[1]) / (here[0] - last[0]), 0.5), 2.5)
        last, step = here, step * (wanted / mean) ** (1 / slope)
    return _text(totals, dtype, None, step)


def _tree(sums: list[Any], add: Callable[[list[Any]], Any]) -> Any:
    while len(sums) > 1:
        sums = [add(sums[start : start + FAN_IN]) for start in range(0, len(sums), FAN_IN)]
    return sums[0]


def _computed(items: list[Any], tasks: Callable[[list[Any]], list[Any]]) -> Iterator[tuple[Any, ...]]:
    """Yield what the tasks of batches of items give, in their order, of which a few are under way at a time.

    Workers keep some 14 KB of each chunk until all that was asked for with it is done.
    """
    import dask

    waiting = deque[tuple[Any, ...]]()
    for start in range(0, len(items), BATCH):
        waiting.append(dask.persist(*tasks(items[start : start + BATCH])))
        if len(waiting) == UNDER_WAY:
            yield dask.compute(*waiting.popleft())
    while waiting:
        yield dask.compute(*waiting.popleft())


def _text(totals: Totals, dtype: str, max_error: float | None, step: float | None) -> str:
    model = shared_model(totals, dtype, max_error=max_error, step=step)
    return base64.b64encode(container.write(model)).decode("ascii")


def _totals(block: NDArray[Any], bands: Axis) -> Totals:
    use_cores(1)
    return Totals.of(laid(block, 0 if bands == "first" else -1)[0])


def _squared_error(codec: ChunkCodec, block: NDArray[Any]) -> tuple[float, int]:
    """Return the sum of the squared errors of a chunk, and of how many values; those missing do not count."""
    use_cores(1)
    found = codec.decode(codec.encode(block), block.nbytes)
    errors = found.astype(np.float64) - block
    finite = np.isfinite(errors)
    return float(np.square(errors, where=finite, out=np.zeros_like(errors)).sum()), int(finite.sum())


def _write(held: _Held, where: tuple[slice, ...], block: NDArray[Any]) -> None:
    use_cores(1)
    held.array[where] = block


__all__ = ["encode"]

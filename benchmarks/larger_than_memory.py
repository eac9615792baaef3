"""Arrays larger than the memory of a cluster of processes, through the codecs of Zarr and by a shared basis.

``python -m benchmarks.larger_than_memory [--gigabytes 4] [--memory 400] [--workers 2] [--only NAME]
[--errors 0 2] [--psnr 50]`` makes a cube of many bands in chunks, on workers that have so many megabytes
each, writes it, reads it back, and compares every value. It needs the extras ``cluster`` and ``zarr``.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables import console, table

SIDE, BANDS, SIGNALS = 256, 64, 4
"""Lines, samples and bands of a chunk, and how many spectra it mixes."""


def block(seed: NDArray[np.int64]) -> NDArray[np.uint16]:
    """Return a noisy chunk of the cube, by the number in its place."""
    spectra = np.random.default_rng(1).normal(size=(SIGNALS, BANDS)).cumsum(axis=1).astype(np.float32)
    random = np.random.default_rng(int(seed.flat[0]))
    coarse = random.random((SIDE // 16 + 1, SIDE // 16 + 1, SIGNALS), dtype=np.float32)
    amounts = coarse.repeat(16, axis=0).repeat(16, axis=1)[:SIDE, :SIDE]
    noise = random.standard_normal((SIDE, SIDE, BANDS), dtype=np.float32)
    values = amounts @ spectra
    values *= 60
    values += noise
    values += 4000
    return values.astype(np.uint16)


def cube(gigabytes: float) -> Any:
    """Return a Dask array of about so many gigabytes, none of which is in memory."""
    import dask.array  # noqa: PLC0415 - it belongs to extras

    count = max(1, round((gigabytes * 1e9 / (SIDE * SIDE * BANDS * 2)) ** 0.5))
    seeds = dask.array.arange(count * count, chunks=1).reshape(count, count, 1).rechunk((1, 1, 1))
    sides = ((SIDE,) * count, (SIDE,) * count, (BANDS,))
    return seeds.map_blocks(block, dtype=np.uint16, chunks=sides)


def by_zarr(array: Any, place: str, **quality: Any) -> None:
    """Store by the codec of Zarr's format 3: each chunk has its own basis."""
    from pcaimage.plugins.zarr import PcaCodec  # noqa: PLC0415 - as above

    _store(array, place, serializer=PcaCodec(**quality), compressors=None)


def by_numcodecs(array: Any, place: str, **quality: Any) -> None:
    """Store by the codec of numcodecs, in Zarr's format 2."""
    from pcaimage.plugins.numcodecs import PcaCodec, register  # noqa: PLC0415 - as above

    register()
    _store(array, place, compressors=PcaCodec(**quality), zarr_format=2)


def by_one_basis(array: Any, place: str, **quality: Any) -> None:
    """Store with one basis for all chunks."""
    from pcaimage import distributed  # noqa: PLC0415 - as above

    distributed.encode(array, place, **quality)


def _store(array: Any, place: str, **how: Any) -> None:
    import dask.array  # noqa: PLC0415 - as above
    import zarr  # noqa: PLC0415 - as above

    made = zarr.create_array(place, shape=array.shape, chunks=array.chunksize, dtype=array.dtype, **how)
    dask.array.store(array, made, lock=False)


WAYS: dict[str, Callable[..., None]] = {
    "one basis": by_one_basis,
    "zarr 3": by_zarr,
    "numcodecs": by_numcodecs,
}


def peak() -> float:
    """Return the most megabytes that this process had."""
    text = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024e-6 * int(text.partition("VmHWM:")[2].split()[0])


def _difference(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.int64]:
    return np.asarray(np.abs(first.astype(np.int64) - second).max(keepdims=True))


def main() -> None:
    """Measure, and print a table."""
    import dask.array  # noqa: PLC0415 - as above
    from distributed import Client, LocalCluster  # noqa: PLC0415 - as above

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--memory", type=int, default=400, help="megabytes of each worker")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", choices=WAYS)
    parser.add_argument("--errors", type=float, nargs="*", default=[0.0, 2.0])
    parser.add_argument("--psnr", type=float, nargs="*", default=[])
    chosen = parser.parse_args()
    array, rows = cube(chosen.gigabytes), []
    qualities: list[dict[str, float]] = [{"max_error": each} if each else {} for each in chosen.errors]
    qualities += [{"psnr": each} for each in chosen.psnr]
    ways = {chosen.only: WAYS[chosen.only]} if chosen.only else WAYS
    for name, write in ways.items():
        for quality in qualities:
            cluster = LocalCluster(
                n_workers=chosen.workers,
                threads_per_worker=1,
                memory_limit=f"{chosen.memory}MB",
                dashboard_address=None,
            )
            with tempfile.TemporaryDirectory() as place, cluster, Client(cluster) as client:
                path, start = str(Path(place, "cube")), time.perf_counter()
                write(array, path, **quality)
                wall = time.perf_counter() - start
                size = sum(each.stat().st_size for each in Path(path).rglob("*") if each.is_file())
                back = dask.array.from_zarr(path)
                worst = int(dask.array.map_blocks(_difference, array, back, dtype=np.int64).max().compute())
                memory = max(client.run(peak).values())
            rows.append(
                (
                    name,
                    " ".join(f"{key} {value:g}" for key, value in quality.items()) or "lossless",
                    f"{array.nbytes / 1e6 / wall:.1f} MB/s",
                    f"{array.nbytes / size:.2f}",
                    str(worst),
                    f"{memory:.0f} MB",
                )
            )
            console().print(*rows[-1])
    title = (
        f"{array.nbytes / 1e9:.2f} GB, {array.shape} of {array.dtype}, on {chosen.workers} workers of "
        f"{chosen.memory} MB each; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    heads = ("", "", "rate", "ratio", "largest error", "worker's memory")
    console().print(table(title, heads, rows))


if __name__ == "__main__":
    main()

"""Bytes of a Zarr array whose chunks have a basis each, and of one with a basis for all of them.

``python -m benchmarks.shared_basis IMAGE`` prints a table in Markdown, with the PSNR that was reached where
one was asked for. It needs the extras ``cluster`` and ``zarr``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import dask.array
import numpy as np
import zarr

from benchmarks.larger_than_memory import by_one_basis, by_zarr
from pcaimage.imaging import read_image
from pcaimage.quality import mean_squared_error, psnr_of_mse, white_of

SIDES = 50, 25
"""Lines and samples of a chunk, which has all bands."""
QUALITIES: dict[str, dict[str, float]] = {
    "lossless": {},
    "`max_error=20`": {"max_error": 20},
    "`psnr=50`": {"psnr": 50},
    "`psnr=40`": {"psnr": 40},
}


def _stored(write: Any, array: Any, quality: dict[str, float]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "cube")
        write(array, str(place), **quality)
        count = f"{sum(each.stat().st_size for each in place.rglob('*') if each.is_file()):,}"
        if "psnr" not in quality:
            return count
        pixels, back = array.compute(), np.asarray(zarr.open_array(str(place))[:])
        return f"{count} ({psnr_of_mse(mean_squared_error(pixels, back), white_of(pixels)):.2f} dB)"


def main() -> None:
    """Print the table."""
    pixels = read_image(Path(sys.argv[1])).pixels
    print("| chunks, quality | a basis for each chunk | one basis |", "|---|---:|---:|", sep="\n")
    for side in SIDES:
        array = dask.array.from_array(pixels, chunks=(side, side, -1))
        for name, quality in QUALITIES.items():
            cells = [_stored(write, array, quality) for write in (by_zarr, by_one_basis)]
            print(f"| {side} × {side} × {pixels.shape[-1]}, {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

"""The effect of whitening the noise of many bands on each band, at equal sizes.

``python -m benchmarks.multiband_noise --cube FILE [--uneven]``
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import pcaimage
from benchmarks.multiband import read_cube
from benchmarks.tables import console, table
from pcaimage import Bands, Settings

RATES = (0.1, 0.3, 1.0)
"""Bits per sample."""

NOISY, DEVIATION = 8, 10.0
"""Noise is added to every eighth band, with ten times the standard deviation of its neighbour differences."""

_CELLS = (
    "",
    "bits",
    "PSNR",
    "of the worst band",
    "SNR of the worst",
    "of a tenth",
    "median",
    "of quiet bands",
)


class Figures(NamedTuple):
    """Quality of one file, in decibels except for `bits`.

    Parameters
    ----------
    bits : float
        Bits per sample.
    psnr, worst_psnr : float
        Of all bands together, and of the worst one.
    snr : ndarray of float64, shape (C,)
        Each band's ratio of variance to squared error.
    """

    bits: float
    psnr: float
    worst_psnr: float
    snr: NDArray[np.float64]


def figures(cube: NDArray[Any], settings: Settings) -> Figures:
    """Return the figures of a file, which is decoded again."""
    data = pcaimage.encode(cube, settings)
    wrong = np.square(cube - pcaimage.decode(data).astype(np.float64)).mean(axis=(0, 1))
    wrong = np.maximum(wrong, 1e-9)
    peak = 20 * np.log10(float(cube.max()))
    snr = 10 * np.log10(np.maximum(cube.var(axis=(0, 1)), 1e-9) / wrong)
    worst = peak - 10 * np.log10(wrong.max())
    return Figures(8 * len(data) / cube.size, peak - 10 * np.log10(wrong.mean()), worst, snr)


def with_noise(cube: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return a cube with noise added to some bands, and the mask of these."""
    random, noisy = np.random.default_rng(0), np.arange(cube.shape[2]) % NOISY == 0
    differences = np.diff(cube[..., noisy].astype(np.float64), axis=1).std(axis=(0, 1))
    found = cube.astype(np.float64)
    found[..., noisy] += random.normal(size=found[..., noisy].shape) * DEVIATION * differences
    return np.clip(np.rint(found), 0, 65535).astype(np.uint16), ~noisy


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--cube", type=Path, required=True, help="a TIFF whose pages are bands, or a .npy file"
    )
    parser.add_argument("--uneven", action="store_true", help="make every eighth band very noisy first")
    given = parser.parse_args(arguments)
    cube, quiet = np.asarray(read_cube(given.cube)), np.ones(0, bool)
    if given.uneven:
        cube, quiet = with_noise(cube)
    rows: list[tuple[str, ...]] = []
    for rate in RATES:
        for name, mnf in (("plain", False), ("MNF", True)):
            found = figures(cube, Settings(Bands(), mnf=mnf, size=round(rate * cube.size / 8)))
            parts = (found.snr.min(), np.percentile(found.snr, 10), np.median(found.snr))
            of_quiet = f"{np.median(found.snr[quiet]):.1f}" if quiet.size else "–"
            numbers = (found.psnr, found.worst_psnr, *parts)
            rows.append((name, f"{found.bits:.3f}", *(f"{number:.1f}" for number in numbers), of_quiet))
    console().print(table("Decibels", _CELLS, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Compares graphics with AVIF at no lower PSNR, and without loss with WebP.

``python -m benchmarks.flat_colours FOLDER``, with a folder that ``python -m benchmarks.graphics FOLDER``
filled, or with any other images. Files of graphics may be exact, so there is no curve to integrate: each of
AVIF's points is compared with the smallest file here that is not worse.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

import pcaimage
from benchmarks.codecs import Pixels, avif
from benchmarks.photographs import find_images
from benchmarks.tables import console, table
from pcaimage.choices import Tune
from pcaimage.codec import Settings
from pcaimage.quality import psnr_of_mse

STEPS = (1, 2, 4, 8, 12, 24, 48, 96)
"""Steps of the files here."""

LEAST, MOST = 30.0, 55.0
"""Range of the PSNR of AVIF's points that count."""


class Point(NamedTuple):
    """Size in bytes and PSNR in decibels of a file."""

    n_bytes: int
    psnr: float


class Figures(NamedTuple):
    """Results of an image.

    Parameters
    ----------
    lossy : float
        Geometric mean of the ratios of sizes to AVIF's, nan if none of its points counts.
    ours, webp : int
        Sizes without loss.
    encoding, decoding : float
        Processor time of the file at step 12, in nanoseconds for each pixel.
    """

    lossy: float
    ours: int
    webp: int
    encoding: float
    decoding: float


def quality(image: Pixels, decoded: NDArray[Any]) -> float:
    """Return the PSNR of a decoded image in decibels, at most 100."""
    mse = float(np.square(image.astype(np.float64) - decoded).mean())
    return min(psnr_of_mse(mse, 255), 100.0)


def ratios(theirs: Sequence[Point], ours: Sequence[Point]) -> list[float]:
    """Return the ratio of sizes at each of their points that counts and that some of ours reaches."""
    found = list[float]()
    for size, psnr in theirs:
        fitting = [point.n_bytes for point in ours if point.psnr >= psnr]
        if LEAST <= psnr <= MOST and fitting:
            found.append(min(fitting) / size)
    return found


def measured(image: Pixels) -> Figures:
    """Code an image in all ways."""
    codec, ours, theirs = avif(), list[Point](), list[Point]()
    for setting in codec.qualities:
        data = codec.encode(image, setting)
        theirs.append(Point(len(data), quality(image, codec.decode(data))))
    times = (0.0, 0.0)
    for step in STEPS:
        begun = time.process_time()
        data = pcaimage.encode(image, Settings(step=float(step), tune=Tune.PSNR))
        coded = time.process_time()
        decoded = pcaimage.decode(data)
        if step == 12:
            times = coded - begun, time.process_time() - coded
        ours.append(Point(len(data), quality(image, decoded)))
    lossless = pcaimage.encode(image, Settings(lossless=True))
    buffer = BytesIO()
    Pillow.fromarray(image).save(buffer, "WEBP", lossless=True, method=6, quality=100)
    found, pixels = ratios(theirs, ours), image.shape[0] * image.shape[1]
    lossy = float(np.exp(np.mean(np.log(found)))) if found else float("nan")
    return Figures(lossy, len(lossless), len(buffer.getvalue()), *(1e9 * each / pixels for each in times))


def percent(ratio: float) -> str:
    """Return by how many percent a ratio is above or below 1."""
    return f"{100 * (ratio - 1):+.1f} %"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    command = argparse.ArgumentParser(prog="python -m benchmarks.flat_colours", description=__doc__)
    command.add_argument("folder", type=Path, help="the folder with the images")
    options = command.parse_args(arguments)
    rows, lossy, lossless = list[list[str]](), list[float](), list[float]()
    for path in find_images(options.folder):
        image = np.asarray(Pillow.open(path).convert("RGB"))
        found = measured(image)
        lossy.append(found.lossy)
        lossless.append(found.ours / found.webp)
        print(path.stem, percent(found.lossy), percent(lossless[-1]), file=sys.stderr, flush=True)
        rows.append(
            [path.stem, percent(found.lossy), f"{found.ours:,}", f"{found.webp:,}", percent(lossless[-1])]
            + [f"{each:.0f}" for each in found[3:]]
        )
    means = [float(np.exp(np.nanmean(np.log(each)))) for each in (lossy, lossless)]
    rows.append(["mean", percent(means[0]), "", "", percent(means[1]), "", ""])
    columns = ["image", "lossy, AVIF", "lossless", "WebP's", "lossless, WebP", "encode ns/px", "decode ns/px"]
    console().print(table("Bytes of graphics against AVIF 4:4:4 and lossless WebP", columns, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

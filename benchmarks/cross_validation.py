"""Measures the photo method with tables that have not seen the images: trained on one half, tried on another.

``python -m benchmarks.cross_validation --images DIR`` trains tables on every second photograph of a folder,
and on the others, and measures each photograph with the tables that were trained without it.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np

import pcaimage
from benchmarks.cache import PointCache, default_cache
from benchmarks.codecs import RIVALS, Codec, Pixels, rivals
from benchmarks.comparison import Comparison
from benchmarks.curves import Curve
from benchmarks.levers import without
from benchmarks.measuring import measure
from benchmarks.methods import pca_photo
from benchmarks.perceptual import MEASURES, Perceptual
from benchmarks.photographs import find_images, middles
from benchmarks.rate_distortion import add_levers, add_reductions, report
from benchmarks.tables import write_json
from pcaimage import Settings
from pcaimage.codec import Tune
from pcaimage.codec.photo import tables
from pcaimage.core import decoder
from pcaimage.machine.folders import asset
from pcaimage.sampling import Lapped
from training.__main__ import train

FOLDS = 2


def folds(images: Sequence[Path]) -> list[list[Path]]:
    """Return the parts of a set of images: every second one, and the others.

    Parameters
    ----------
    images : sequence of Path
        In a fixed order.

    Returns
    -------
    list of list of Path
        :data:`FOLDS` of them.
    """
    return [list(images[number::FOLDS]) for number in range(FOLDS)]


@contextmanager
def tables_from(path: Path) -> Iterator[None]:
    """Let photos be encoded and decoded with the tables of a folder instead of the program's newest ones.

    Parameters
    ----------
    path : Path
        As :mod:`training` writes it.
    """

    def chosen(*parts: str) -> Path:
        return path if parts[-1] == f"photo-{tables.NEWEST}" else asset(*parts)

    with mock.patch.object(tables, "asset", chosen), mock.patch.object(decoder, "asset", chosen):
        yield


def photo_with(path: Path) -> Codec:
    """Return the photo method with the tables of a folder.

    Parameters
    ----------
    path : Path
        The folder.

    Returns
    -------
    Codec
        Its quality is the step.
    """
    return dataclasses.replace(pca_photo(), encoder=partial(_encode, path), decoder=partial(_decode, path))


def _encode(path: Path, array: Pixels, step: float) -> bytes:
    with tables_from(path):
        return pcaimage.encode(array, Settings(sampling=Lapped(), step=step, tune=Tune.PSNR))


def _decode(path: Path, data: bytes) -> Pixels:
    with tables_from(path):
        return pcaimage.decode(data).astype(np.uint8, copy=False)


def trained(parts: Sequence[Sequence[Path]], folder: Path) -> list[Path]:
    """Train tables for each part on all other parts, unless the folder has them.

    Parameters
    ----------
    parts : sequence of sequence of Path
        From :func:`folds`.
    folder : Path
        Where tables are kept.

    Returns
    -------
    list of Path
        A folder for each part.
    """
    found = []
    for number in range(len(parts)):
        path = folder / f"without-{number}"
        if not path.exists():
            with tempfile.TemporaryDirectory() as seen:
                for other, part in enumerate(parts):
                    for image in part if other != number else ():
                        Path(seen, image.name).symlink_to(image.resolve())
                train(Path(seen), path)
        found.append(path)
    return found


def measured(
    parts: Sequence[Sequence[Path]],
    own: Sequence[Codec],
    others: Sequence[Codec],
    measures: Sequence[Perceptual],
    cache: PointCache,
    jobs: int,
) -> list[Curve]:
    """Measure every part with its tables, and with other codecs.

    Parameters
    ----------
    parts : sequence of sequence of Path
        The images.
    own : sequence of Codec
        The photo method with the tables of each part.
    others : sequence of Codec
        What to compare with.
    measures : sequence of {"ms-ssim", "ssimulacra2", "butteraugli"}
        What is measured beside PSNR and SSIM.
    cache : PointCache
        Where others' points are kept.
    jobs : int
        How many processes.

    Returns
    -------
    list of Curve
        Of all parts.
    """
    curves = []
    for part, codec in zip(parts, own, strict=True):
        curves += measure(part, [codec, *others], jobs, cache, measures)
    return curves


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, measure, and print the tables."""
    command = argparse.ArgumentParser(prog="python -m benchmarks.cross_validation", description=__doc__)
    add = command.add_argument
    add("--images", type=Path, required=True, help="a folder of colour photographs")
    add("--limit", type=int, help="the number of images of each half to measure")
    add_reductions(add)
    add_levers(add)
    add("--tables", type=Path, help="a folder where trained tables are kept for another run")
    add("--codecs", nargs="*", choices=RIVALS, default=("avif", "avif-psnr"), help="the others")
    add("--measures", nargs="+", choices=tuple(MEASURES), default=[], help="measured beside PSNR and SSIM")
    add("--json", type=Path, help="a file to write the results to, as JSON")
    add("--cache", type=Path, default=default_cache(), help="the cache of other codecs' results")
    add("--jobs", type=int, default=2, help="the number of processes")
    options = command.parse_args(arguments)
    parts = folds(find_images(options.images))
    if not all(parts):
        command.error(f"there are fewer than {FOLDS} images in {options.images}")
    others, missing = rivals(options.codecs)
    for sentence in missing:
        print(sentence, file=sys.stderr)
    with tempfile.TemporaryDirectory() as fallback:
        folder = options.tables or Path(fallback)
        folder.mkdir(parents=True, exist_ok=True)
        paths = trained(parts, folder)
        shown = [part[: options.limit] for part in parts]
        if options.crop:
            shown = [middles(part, options.crop, Path(fallback)) for part in shown]
        own = [without(photo_with(path).every(options.every), options.without) for path in paths]
        others = [codec.every(options.every) for codec in others]
        cache = PointCache(options.cache)
        curves = measured(shown, own, others, options.measures, cache, options.jobs)
    comparison = Comparison(curves, [pca_photo().name])
    report(comparison, each=True, timed=False)
    write_json(options.json, comparison.plain(timed=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""``python -m training FOLDER --out FILE``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from pcaimage.codec.photo.tables import Arrays
from pcaimage.imaging import read_image
from training import bases, models, networks, relations, shrinkage
from training.files import tables_of, write_tables

SUFFIXES = {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp"}


def train(folder: Path, out: Path) -> None:
    """Train the tables of the photo method; the same images give the same tables."""
    console = Console(stderr=True)
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
    images = [image for image in map(_colour, paths) if image is not None]
    if not images:
        sys.exit(f"There are no colour photographs in {folder}.")
    console.print(f"{len(images)} photographs; fitting bases …")
    basis = bases.train_basis(images)
    planes = [bases.scores_of(image, basis) for image in images]
    order = bases.train_order(planes)
    prediction = bases.train_prediction(planes)

    def residuals(step: float) -> Iterator[NDArray[np.float32]]:
        for part in planes:
            yield bases.residuals(part, order, prediction, step)

    console.print("Fitting relations between scores …")
    related = relations.train_relations(residuals)
    target, weight = relations.train_signs(residuals, order)
    console.print("Training the networks …")
    expecting = networks.train_networks(images, basis, order, prediction)
    console.print("Training the models …")
    arrays: Arrays = {
        "basis": basis.astype(np.int16),
        "order": order.astype(np.uint8),
        "prediction": prediction.astype(np.int16),
        "sign_target": target.astype(np.int16),
        "sign_weight": weight.astype(np.int16),
        **{name: values.astype(np.int16) for name, values in related.items()},
        **expecting,
    }
    tables: dict[str, Any] = models.train_models(planes, arrays)
    console.print("Fitting the gains of shrinkage …")
    tables["shrink_gains"] = shrinkage.train_gains(images, tables_of(tables))
    write_tables(out, tables)
    console.print(f"{out}: {sum(path.stat().st_size for path in out.iterdir())} bytes")


def _colour(path: Path) -> NDArray[np.uint8] | None:
    pixels = read_image(path).pixels
    if pixels.dtype != np.uint8 or pixels.shape[2:] != (3,):
        return None
    return pixels.astype(np.uint8, copy=False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m training", description=train.__doc__)
    parser.add_argument("folder", type=Path, help="A folder of colour photographs.")
    parser.add_argument(
        "--out", type=Path, required=True, help="The tables' folder, such as resources/photo-1."
    )
    train(**vars(parser.parse_args()))

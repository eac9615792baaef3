"""Writes trained tables as the core reads them: a folder of flat files."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from pcaimage.codec.photo.tables import Arrays, Tables, flat

GRADES = 3
"""Models are trained at fine, medium and coarse steps."""

LEARNED = frozenset(
    {f"{name}_{kind}" for name in ("scores", "signs", "means") for kind in ("weights", "more")}
    | {
        f"{name}_{kind}"
        for name in ("scores", "signs", "means", "mean_signs", "escapes")
        for kind in ("logits", "counts")
    }
)
"""Arrays whose first axis is the grade."""

GAINS = (11, 2, 3, 9, 16)
"""Shape of the gains of shrinkage."""


ROWS = ("scores", "means")
"""Models that are kept by rows, one for each context, of which many never learn anything."""

LOGIT_UNIT = 32
"""Their logits are in units of 1/8."""

LEAST_SEEN = 8
"""What has been seen less often is forgotten: it would take more room than it spares."""


def write_tables(folder: Path, tables: Arrays) -> None:
    """Write what all grades share, and a file for each grade, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    shared = {name: array for name, array in tables.items() if name not in LEARNED}
    (folder / "shared.tables").write_bytes(flat(shared))
    for grade in range(GRADES):
        own = {name: tables[name][grade] for name in LEARNED}
        (folder / f"grade-{grade}.tables").write_bytes(flat(packed(own)))


def packed(arrays: Arrays) -> Arrays:
    """Return the arrays of a grade as a file has them: rows of models as far as any has learned enough."""
    arrays = dict(arrays)
    for name in ROWS:
        logits, counts = (arrays.pop(f"{name}_{kind}").astype(np.int16) for kind in ("logits", "counts"))
        places, known = np.arange(1, logits.shape[1] + 1), counts >= LEAST_SEEN
        trained = (known * places).max(axis=1)
        kept = places <= trained[:, np.newaxis]
        arrays[f"{name}_trained"] = trained.astype(np.uint8)
        arrays[f"{name}_logits"] = ((logits // LOGIT_UNIT) * known)[kept].astype(np.int8)
        arrays[f"{name}_counts"] = (counts * known)[kept].astype(np.uint8)
    return arrays


def tables_of(arrays: Arrays) -> Tables:
    """Return tables of arrays, for all grades or for one; those of gains may be missing."""
    shared = {name: array for name, array in arrays.items() if name not in LEARNED}
    shared.setdefault("shrink_gains", np.zeros(GAINS, np.int16))
    of_all = arrays["scores_logits"].ndim == 2

    # Models read their rows from these bytes as they are first used: each grade's are made once, and kept.
    @cache
    def graded(grade: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
        own = {name: arrays[name] if of_all else arrays[name][grade] for name in LEARNED}
        return np.frombuffer(flat(packed(own)), np.uint8)

    return Tables(np.frombuffer(flat(shared), np.uint8), graded)

"""``pcaimage train``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pcaimage.batching.bases import Trained
from pcaimage.batching.bases import train as fit
from pcaimage.cli.batch import SOME_FAILED, execution_of
from pcaimage.cli.commands import TrainCommand, sampling_of
from pcaimage.cli.declared import UsageError, as_usage
from pcaimage.cli.files import check_output, limits_of
from pcaimage.cli.formatting import size_text
from pcaimage.cli.terminal import progress_bar, say, say_json, warn
from pcaimage.codec import basis_id
from pcaimage.signature import SUFFIX


def train(given: TrainCommand) -> None:
    """Fit one basis to many images, and write a model file; exit with 2 if images were not used."""
    with as_usage():
        sampling = sampling_of(given.method, given.block)
    if given.k is not None and given.variance is not None:
        raise UsageError("Give one of k and variance, not both: each says what to keep.")
    check_output(given.target, overwrite=given.overwrite, suffix=SUFFIX, what="model files")
    bar = progress_bar(f"Fitting {given.target.name}", left=True)
    with execution_of(given.workers, given.scheduler) as execution, bar as progress:
        trained = fit(
            given.inputs,
            sampling,
            standardize=given.standardize,
            recursive=given.recursive,
            workers=execution.workers,
            executor=execution.executor,
            limits=limits_of(given.limit),
            on_done=progress,
        )
    encoding = trained.encoding(given.k, given.variance)
    from pcaimage.api import save_encoding  # noqa: PLC0415 - images are read first

    n_bytes = save_encoding(given.target, encoding, overwrite=given.overwrite)
    values = _values(
        trained, given.target, encoding.compressed.k, n_bytes, str(basis_id(encoding.compressed))
    )
    if given.as_json:
        say_json(values)
    else:
        say(
            f"{given.target.name}: {values['k']} of {values['k_max']} components "
            f"of {values['samples']:,} samples from {values['images']:,} images, {size_text(n_bytes)}; "
            f"{100 * values['variance_kept']:.3g} % of the variance, id {values['id']}"
        )
    if trained.failures:
        count = len(trained.failures)
        warn("1 image was not used:" if count == 1 else f"{count:,} images were not used:")
        for name, reason in trained.failures:
            warn(f"  {name}: {reason}")
        raise SystemExit(SOME_FAILED)


def _values(trained: Trained, target: Path, k: int, n_bytes: int, identifier: str) -> dict[str, Any]:
    """Return the figures by their JSON keys."""
    pca = trained.pca
    return {
        "output": str(target),
        "file_bytes": n_bytes,
        "images": len(trained.used),
        "samples": int(pca.n_samples_),
        "k": k,
        "k_max": int(pca.n_components_),
        "variance_kept": float(pca.explained_variance_ratio_[:k].sum()),
        "id": identifier,
        "failures": [{"source": name, "reason": reason} for name, reason in trained.failures],
    }

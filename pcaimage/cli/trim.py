"""``pcaimage trim``: a smaller file of a compressed image's first components."""

from __future__ import annotations

from pathlib import Path

from pcaimage import container
from pcaimage.cli import files
from pcaimage.cli.commands import TrimCommand
from pcaimage.cli.formatting import size_text
from pcaimage.cli.terminal import say
from pcaimage.imaging import Limits
from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.signature import SUFFIX


def trim(given: TrimCommand) -> None:
    """Write the first `k` components of a file into another, or the same, without encoding again."""
    limits = files.limits_of(given.limit)
    with (
        files.target_file(given.target, SUFFIX, overwrite=given.overwrite) as written,
        files.source_file(given.source, compressed=True, limits=limits) as path,
    ):
        files.check_output(written, overwrite=given.overwrite, suffix=SUFFIX)
        text = _trim(path, written, given.k, limits, overwrite=given.overwrite)
        name = written.stem if given.target == files.STANDARD else given.target.name
        say(f"{name}: {text}", aside=given.target == files.STANDARD)


def _trim(source: Path, target: Path, k: int, limits: Limits | None, *, overwrite: bool) -> str:
    """Write the smaller file, and return its figures."""
    opened = files.open_compressed(source, limits=limits)
    header = opened.compressed.header
    data = source.read_bytes()
    with files.naming(source):
        trimmed = container.trim(data, k)

    def verify(path: Path) -> None:
        container.read(path.read_bytes(), max_numbers=header.n_samples * header.n_features)

    atomic_write_bytes(target, trimmed, overwrite=overwrite, verify=verify)
    return f"{size_text(len(trimmed))} from {size_text(len(data))}; k = {k} of {opened.k}"

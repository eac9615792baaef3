"""``pcaimage bench``: size and quality of images of one's own, by every codec at hand."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pcaimage.batching.plan import find_images, some_of
from pcaimage.batching.work import failure_reason
from pcaimage.cli import files
from pcaimage.cli.batch import SOME_FAILED
from pcaimage.cli.commands import BenchCommand
from pcaimage.cli.terminal import progress_bar, say, say_json, warn
from pcaimage.errors import Cancelled, PcaImageError
from pcaimage.imaging import Limits
from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.imaging.rivals.rivals import rival_named
from pcaimage.insight.bench import Measured, bench_page, change_text, mean_changes, measured
from pcaimage.language import spoken
from pcaimage.progress import Progress, part

SUFFIX = ".html"


def bench(given: BenchCommand) -> None:
    """Measure images, and write a page; exit with 2 if some could not be measured."""
    limits, aside = files.limits_of(given.limit), given.target == files.STANDARD
    found, _ = find_images(given.inputs, recursive=given.recursive, compressed=True)
    if not found:
        raise PcaImageError(f"There are no images in {some_of([os.fspath(each) for each in given.inputs])}.")
    with files.target_file(given.target, SUFFIX, overwrite=given.overwrite) as page:
        files.check_output(page, overwrite=given.overwrite, suffix=SUFFIX, what="pages")
        title = f"Measuring {len(found):,} image{'' if len(found) == 1 else 's'}"
        with progress_bar(title, left=True) as progress:
            images, failures = _measured([Path(source) for source, _ in found], limits, progress)
        if images:
            with spoken():
                atomic_write_bytes(page, bench_page(images, failures).encode(), overwrite=given.overwrite)
    changes = mean_changes(images)
    if given.as_json:
        values = {
            "images": [each.values() for each in images],
            "change": {a: b for a, (b, _) in changes.items()},
        }
        say_json(values | {"failures": [{"source": a, "reason": b} for a, b in failures]}, aside=aside)
    else:
        for name, (change, count) in changes.items():
            beside = f"beside {rival_named(name).title}, of {count:,} image{'' if count == 1 else 's'}"
            text = change_text(change).replace("\u00a0", " ")
            say(f"{text} of the bytes at equal PSNR {beside}", aside=aside)
    for source, reason in failures:
        warn(reason if Path(source).name in reason else f"{source}: {reason}")
    if failures:
        raise SystemExit(SOME_FAILED)


def _measured(
    sources: Sequence[Path], limits: Limits | None, progress: Progress
) -> tuple[list[Measured], list[tuple[str, str]]]:
    """Return the images that were measured, and why others were not."""
    images, failures = list[Measured](), list[tuple[str, str]]()
    for index, source in enumerate(sources):
        share = part(progress, index / len(sources), (index + 1) / len(sources))
        try:
            with files.source_file(source, limits=limits) as path:
                images.append(measured(files.read_any(path, limits=limits), share))
        except Cancelled:
            raise
        except (PcaImageError, OSError) as error:
            failures.append((str(source), failure_reason(error)))
    return images, failures

"""Processing of one image: the output is made, recorded, and moved into place."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path, PurePath

from pcaimage.batching.record import Entry, digest_of_files, parts_of, source_key
from pcaimage.batching.stores import store_of
from pcaimage.batching.tasks import Result, State, Task, reported, stopped
from pcaimage.errors import Cancelled, ImageError, PcaImageError, reason_of
from pcaimage.imaging.disk.urls import located
from pcaimage.machine.reports import sentence_of, write_report


def work(task: Task) -> Result:
    """Process a task; failures are results too, but Cancelled is raised, with nothing left behind."""
    start = time.perf_counter()
    try:
        with located(task.source) as source:
            result = _done(task, source)
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001 - one image must not end the batch, whatever is wrong with it
        result = failure(task, error)
    return replace(result, seconds=time.perf_counter() - start)


def failure(task: Task, error: Exception) -> Result:
    """Return the result of a task that raised an error."""
    return Result(task.source, task.target, State.FAILED, reason=failure_reason(error))


def failure_reason(error: Exception) -> str:
    """Return a sentence that says why an image failed; unexpected errors are also written to a report."""
    if isinstance(error, PcaImageError):
        return str(error)
    if isinstance(error, OSError):
        return reason_of(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory for this image."
    return sentence_of(error, write_report(error))


def _done(task: Task, source: Path) -> Result:
    if not source.is_file():
        raise ImageError(f"{source.name} cannot be read: there is no such file.")
    store = store_of(task.folder, spread=task.spread)
    before = _signature(source)
    n_bytes = sum(size for size, _ in before)
    contents, settings = digest_of_files(parts_of(source)), task.recipe.key()
    found, known = store.digest(task.target), task.known
    kept = _kept(task, known, contents, settings, found)
    if kept is not None:
        return kept
    ours = known is not None and known.output is not None and known.output == found
    if found is not None and not (ours or task.overwrite):
        # A process that died between making this output and saying so leaves its entry: the task is done.
        done = _kept(task, store.entries().get(task.target), contents, settings, found)
        if done is not None:
            return replace(done, state=State.MADE)
        changed = known is not None and known.output is not None
        how = "was changed after it had been made" if changed else "already exists"
        raise ImageError(f"{task.target} {how}; it is replaced only when overwriting is asked for.")
    entry = Entry(task.target, source_key(task.source), contents, settings, None, n_bytes, 0)
    with store.making(task.target) as folder:
        made = folder / PurePath(task.target).name
        notes = list[str]()
        psnr = task.recipe.make(source, made, ask, notes.append)
        if _signature(source) != before:
            raise ImageError(f"{source.name} was changed by another program while it was read.")
        names = sorted(each.name for each in folder.iterdir())
        size = sum((folder / name).stat().st_size for name in names)
        entry = replace(entry, psnr=psnr, target_bytes=size)
        if task.skip_larger and size >= n_bytes:
            store.note(entry)
            return Result(task.source, task.target, State.NOT_SMALLER, n_bytes, size, psnr)
        if task.keep_dates:
            dates = source.stat()
            for name in names:
                os.utime(folder / name, ns=(dates.st_atime_ns, dates.st_mtime_ns))
        ask(1, 1)
        store.note(replace(entry, output=digest_of_files(parts_of(made))))
        store.put(folder, task.target, names, replaces=found is not None)
    return Result(task.source, task.target, State.MADE, n_bytes, size, psnr, reason=" ".join(notes))


def _kept(task: Task, known: Entry | None, contents: str, settings: str, found: str | None) -> Result | None:
    """Return the result of an earlier batch; None if there is none, or the output has changed."""
    if known is None or (known.contents, known.settings, known.output) != (contents, settings, found):
        return None
    if known.output is None and not task.skip_larger:
        return None
    state = State.NOT_SMALLER if known.output is None else State.KEPT
    return Result(task.source, task.target, state, known.source_bytes, known.target_bytes, known.psnr)


def _signature(path: Path) -> list[tuple[int, int]]:
    found = [each.stat() for each in parts_of(path)]
    return [(each.st_size, each.st_mtime_ns) for each in found]


def ask(done: int, total: int) -> None:
    """Tell how far a call is, or raise Cancelled if nobody wants its result any more."""
    if stopped.is_set():
        raise Cancelled("The batch was stopped.")
    reported.get()(done, total)

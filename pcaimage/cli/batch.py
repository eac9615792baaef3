"""``pcaimage batch``."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import NamedTuple

from pcaimage import api, imaging
from pcaimage.batching.batches import SCAN_SECONDS, Batch, working
from pcaimage.batching.batches import watch as watched
from pcaimage.batching.plan import Plan
from pcaimage.batching.recipes import Compress, Export, Recipe
from pcaimage.batching.report import Report, check_report
from pcaimage.batching.sharing import Goal
from pcaimage.batching.tasks import Result, State
from pcaimage.cli.commands import BatchCommand, adaptation_of, settings_of
from pcaimage.cli.declared import as_usage
from pcaimage.cli.formatting import psnr_text, size_text
from pcaimage.cli.terminal import progress_bar, say, say_json, warn
from pcaimage.errors import SettingsError

SOME_FAILED = 2  # exit code of a batch with failures


class Execution(NamedTuple):
    """A number of processes, or the executor that replaces them; None means one process for each core."""

    workers: int | None
    executor: Executor | None = None


@contextmanager
def execution_of(workers: int | None, scheduler: str | None) -> Iterator[Execution]:
    """Yield the executor that the options ``--workers`` and ``--scheduler`` ask for.

    Of a cluster, `workers` is the least number to wait for; ClusterError if it does not get so many.
    """
    if scheduler is None:
        yield Execution(workers)
        return
    from pcaimage.batching.processes import cluster  # noqa: PLC0415 - most commands need none

    with cluster(scheduler, workers or 1, warn) as executor:
        # Dask's log of machines that come and go does not concern the user.
        for name in [*logging.root.manager.loggerDict]:
            if name.partition(".")[0] == "distributed":
                logging.getLogger(name).setLevel(logging.CRITICAL)
        yield Execution(executor.threads, executor)


def batch(given: BatchCommand) -> None:
    """Compress or export many images, and print a line for each; exit with 2 if an image failed."""
    with as_usage():
        recipe = _recipe(given)
        goal = Goal(given.total, given.each) if given.total or given.each else None
        if goal is not None and given.watch:
            raise SettingsError("While folders are watched, nobody knows how many images there will be.")
        wanted = Batch(
            given.inputs,
            given.target,
            recipe,
            recursive=given.recursive,
            resume=given.resume or given.watch,
            overwrite=given.overwrite,
            skip_larger=given.skip_larger,
            keep_dates=given.keep_dates,
            goal=goal,
        )
    replaced = given.overwrite or wanted.resume
    if given.dry_run:
        _tell_outputs(wanted.plan(), os.fspath(given.target), as_json=given.as_json)
        return
    if given.results is not None:
        check_report(given.results, overwrite=replaced)
    report = Report()
    try:
        with execution_of(given.workers, given.scheduler) as execution:
            chosen = wanted if execution.executor is None else wanted.spread_out()
            (_watch if given.watch else _work)(chosen, report, execution, as_json=given.as_json)
    finally:
        if given.results is not None and report.results:
            report.save(given.results, overwrite=replaced)
    _tell(report, as_json=given.as_json, listed=not given.watch)
    if report.failures:
        raise SystemExit(SOME_FAILED)


def _recipe(given: BatchCommand) -> Recipe:
    """Return what is made of each image; SettingsError if what is given does not go together."""
    adaptation = adaptation_of(given.resize, given.strip, srgb=given.srgb)
    limits = None if given.limit is None else imaging.Limits.of_bytes(given.limit)
    lender = None if given.model is None else str(given.model)
    if given.export is None:
        if adaptation is not None or given.quality is not None or given.compression is not None:
            raise SettingsError(
                "--quality, --compression, --resize, --srgb and --strip are for other formats; "
                "--format names one."
            )
        read_as = None if given.pages is None else given.pages.read_as
        preset = None if given.preset is None else api.preset_of(given.preset)
        return Compress(given.settings, read_as, lender, limits, preset)
    if given.settings != settings_of() or given.pages is not None or given.preset is not None:
        raise SettingsError(
            "--format writes images in another format, to which the settings of .pcai files do not apply."
        )
    return Export(given.export, given.quality, given.compression, adaptation, lender, limits)


def _tell_outputs(plan: Plan, folder: str, *, as_json: bool) -> None:
    """List what would be written."""
    _tell_plan(plan)
    outputs = [(source, f"{folder.rstrip('/')}/{target}") for source, target in plan.files]
    if as_json:
        say_json({"files": len(outputs), "outputs": [{"source": a, "target": b} for a, b in outputs]})
        return
    for source, target in outputs:
        say(f"{source} → {target}")
    say(f"{_files(len(outputs))} would be written.")


def _work(wanted: Batch, report: Report, execution: Execution, *, as_json: bool) -> None:
    plan = wanted.plan()
    tasks = wanted.tasks(plan)
    _tell_plan(plan)
    try:
        with (
            working(wanted, workers=execution.workers, executor=execution.executor, tasks=len(tasks)) as run,
            progress_bar(f"{_files(len(tasks))} to {os.fspath(wanted.output)}", left=True) as progress,
        ):
            for done, result in enumerate(run(tasks), 1):
                _take(result, report, as_json=as_json)
                progress(done, len(tasks))
    except KeyboardInterrupt:
        warn(f"stopped after {len(report.results):,} of {_files(len(tasks))}; --resume goes on from there")
        raise


def _watch(wanted: Batch, report: Report, execution: Execution, *, as_json: bool) -> None:
    """Process new images until Ctrl+C, the normal end of a watch."""
    warn(f"watching {', '.join(os.fspath(each) for each in wanted.inputs)}; Ctrl+C ends it")
    with working(wanted, workers=execution.workers, executor=execution.executor) as run:
        try:
            for tasks in watched(wanted, lambda: time.sleep(SCAN_SECONDS)):
                for result in run(tasks):
                    _take(result, report, as_json=as_json)
                    if result.state is State.FAILED:
                        warn(f"{result.source}: {result.reason}")
        except KeyboardInterrupt:
            return


def _take(result: Result, report: Report, *, as_json: bool) -> None:
    report.results.append(result)
    if result.state is not State.FAILED and not as_json:
        say(_line(result))
        if result.reason:
            warn(f"{result.source}: {result.reason}")


def _line(result: Result) -> str:
    before, after = result.source_bytes or 0, result.target_bytes or 0
    sizes = f"{size_text(before)} → {size_text(after)}, {_change(before, after)}"
    if result.state is State.NOT_SMALLER:
        return f"{result.source}: not smaller ({sizes})"
    quality = "" if result.psnr is None else f", {psnr_text(result.psnr)}"
    kept = ", as before" if result.state is State.KEPT else ""
    return f"{result.target}: {sizes}{quality}{kept}"


def _change(before: int, after: int) -> str:
    if not before:
        return "from nothing"
    change = 100 * (after / before - 1)
    return f"{'−' if change < 0 else '+'}{abs(change):.1f} %"


def _tell_plan(plan: Plan) -> None:
    for sentence in plan.renamed:
        warn(sentence)
    if plan.left_alone:
        one = plan.left_alone == 1
        warn(
            f"{_files(plan.left_alone)} {'was skipped: not an image' if one else 'were skipped: not images'}."
        )


def _tell(report: Report, *, as_json: bool, listed: bool) -> None:
    if as_json:
        say_json(report.values())
    else:
        say(_totals(report))
    if report.failures and listed:
        warn(f"{len(report.failures):,} of {_files(len(report.results))} failed:")
        for each in report.failures:
            warn(f"  {each.source}: {each.reason}")


def _totals(report: Report) -> str:
    counts = ((State.MADE, "made"), (State.KEPT, "as before"), (State.NOT_SMALLER, "not smaller"))
    parts = [f"{report.count(state):,} {words}" for state, words in counts if report.count(state)]
    parts += [f"{len(report.failures):,} failed"] if report.failures else []
    text = f"{_files(len(report.results))}: {', '.join(parts) or 'nothing to do'}"
    if not report.source_bytes:
        return text
    before, after = report.source_bytes, report.target_bytes
    return f"{text}; {size_text(before)} → {size_text(after)}, {_change(before, after)}"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"

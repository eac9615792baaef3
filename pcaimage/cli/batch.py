"""``pcaimage batch``."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from pcaimage.batching.batches import Batch, working
from pcaimage.batching.plan import Plan
from pcaimage.batching.report import Report, check_report
from pcaimage.batching.tasks import Result, State
from pcaimage.batching.watch import SECONDS, watch
from pcaimage.cli.execution import Execution, execution_of
from pcaimage.cli.formatting import psnr_text, size_text
from pcaimage.cli.terminal import progress_bar, say, say_json, warn

SOME_FAILED = 2
"""Exit code of a batch with failures."""


@dataclass(frozen=True)
class Telling:
    """Output of a batch: a file for the results, and whether to print them as JSON."""

    report: Path | None = None
    as_json: bool = False


def batch(
    wanted: Batch,
    telling: Telling,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    watched: bool = False,
) -> None:
    """Compress or export many images, and print a line for each.

    Raises
    ------
    SystemExit
        With 2 if an image failed.
    """
    replaced = wanted.overwrite or wanted.resume
    if telling.report is not None:
        check_report(telling.report, overwrite=replaced)
    report = Report()
    try:
        with execution_of(workers, scheduler) as execution:
            chosen = wanted if execution.executor is None else wanted.spread_out()
            (_watch if watched else _work)(chosen, report, telling, execution)
    finally:
        if telling.report is not None and report.results:
            report.save(telling.report, overwrite=replaced)
    _tell(report, telling, listed=not watched)
    if report.failures:
        raise SystemExit(SOME_FAILED)


def _work(wanted: Batch, report: Report, telling: Telling, execution: Execution) -> None:
    plan = wanted.plan()
    tasks = wanted.tasks(plan)
    _tell_plan(plan)
    try:
        with (
            working(wanted, workers=execution.workers, executor=execution.executor, tasks=len(tasks)) as run,
            progress_bar(f"{_files(len(tasks))} to {os.fspath(wanted.output)}", left=True) as progress,
        ):
            for done, result in enumerate(run(tasks), 1):
                _take(result, report, telling)
                progress(done, len(tasks))
    except KeyboardInterrupt:
        warn(f"stopped after {len(report.results):,} of {_files(len(tasks))}; --resume goes on from there")
        raise


def _watch(wanted: Batch, report: Report, telling: Telling, execution: Execution) -> None:
    """Process new images until Ctrl+C, the normal end of a watch."""
    warn(f"watching {', '.join(os.fspath(each) for each in wanted.inputs)}; Ctrl+C ends it")
    with working(wanted, workers=execution.workers, executor=execution.executor) as run:
        try:
            for tasks in watch(wanted, lambda: time.sleep(SECONDS)):
                for result in run(tasks):
                    _take(result, report, telling)
                    if result.state is State.FAILED:
                        warn(f"{result.source}: {result.reason}")
        except KeyboardInterrupt:
            return


def _take(result: Result, report: Report, telling: Telling) -> None:
    report.results.append(result)
    if result.state is not State.FAILED and not telling.as_json:
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


def _tell(report: Report, telling: Telling, *, listed: bool) -> None:
    if telling.as_json:
        say_json(report.values())
    else:
        say(_totals(report))
    if report.failures and listed:
        warn(f"{len(report.failures):,} of {_files(len(report.results))} failed:")
        for each in report.failures:
            warn(f"  {each.source}: {each.reason}")


def _totals(report: Report) -> str:
    counts = ((State.MADE, "made"), (State.KEPT, "as before"), (State.NOT_SMALLER, "not smaller"))
    told = [f"{report.count(state):,} {words}" for state, words in counts if report.count(state)]
    told += [f"{len(report.failures):,} failed"] if report.failures else []
    text = f"{_files(len(report.results))}: {', '.join(told) or 'nothing to do'}"
    if not report.source_bytes:
        return text
    before, after = report.source_bytes, report.target_bytes
    return f"{text}; {size_text(before)} → {size_text(after)}, {_change(before, after)}"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"

"""Batches: many images compressed or exported into one folder, a few at a time on an executor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from pcaimage.batching.plan import Plan, make_plan, some_of
from pcaimage.batching.processes import ClusterError, check_workers, pool_of
from pcaimage.batching.recipes import Compress, Export, Recipe
from pcaimage.batching.record import Entry
from pcaimage.batching.report import Report
from pcaimage.batching.sharing import LOSSY, Curve, Goal, shared, survey
from pcaimage.batching.stores import Store, store_of
from pcaimage.batching.tasks import Result, State, Task
from pcaimage.batching.work import work
from pcaimage.codec.settings import Settings
from pcaimage.errors import ImageError, PcaImageError, SettingsError
from pcaimage.imaging.disk.urls import is_url
from pcaimage.imaging.image.formats import format_named

Paths = Sequence[str | os.PathLike[str]]


@dataclass(frozen=True)
class Batch:
    """A batch, described by the parameters of :func:`batch`.

    `spread` is whether several machines work on it.
    """

    inputs: Paths
    output: str | os.PathLike[str]
    recipe: Recipe = field(default_factory=Compress)
    recursive: bool = False
    resume: bool = False
    overwrite: bool = False
    skip_larger: bool = False
    keep_dates: bool = False
    spread: bool = False
    goal: Goal | None = None  # of files in another format, which share bytes

    def __post_init__(self) -> None:
        recipe = self.recipe
        free = isinstance(recipe, Export) and format_named(recipe.format).name in LOSSY and not recipe.quality
        if self.goal is not None and not free:
            raise SettingsError("Sizes are shared among files of jpeg, webp or avif, and say their quality.")

    def store(self) -> Store:
        """Return the store of the outputs."""
        return store_of(os.fspath(self.output), spread=self.spread)

    def spread_out(self) -> Batch:
        """Return the batch for workers with other working directories, on this machine or others."""
        recipe = self.recipe
        return replace(
            self,
            inputs=[absolute(each) for each in self.inputs],
            output=absolute(self.output),
            recipe=recipe if recipe.model is None else replace(recipe, model=absolute(recipe.model)),
            spread=True,
        )

    def plan(self) -> Plan:
        """Find the images, and name their outputs.

        ImageError if an input is missing, or an output exists and may not be replaced; SettingsError if an
        output would replace an input image, or there are no images.
        """
        known = self.store().entries()
        plan = self._found(known)
        if not plan.files:
            deeper = "" if self.recursive else ", whose own folders were not searched"
            raise SettingsError(
                f"There are no images in {some_of([str(each) for each in self.inputs])}{deeper}."
            )
        self._check_output(plan, known)
        return plan

    def found(self) -> Plan:
        """Find the images and name their outputs as :meth:`plan` does, but allow there to be none."""
        return self._found(self.store().entries())

    def tasks(self, plan: Plan) -> list[Task]:
        """Return the tasks of a plan; ImageError if the earlier record or the model cannot be read."""
        known = self.store().entries() if self.resume else {}
        self.recipe.key()  # a missing model is reported once, not for each image
        return [
            Task(
                source=source,
                target=target,
                folder=os.fspath(self.output),
                recipe=self.recipe,
                known=known.get(target),
                overwrite=self.overwrite,
                skip_larger=self.skip_larger,
                keep_dates=self.keep_dates,
                spread=self.spread,
            )
            for source, target in plan.files
        ]

    def _found(self, known: dict[str, Entry]) -> Plan:
        return make_plan(
            self.inputs,
            self.output,
            self.recipe.suffix,
            recursive=self.recursive,
            compressed=isinstance(self.recipe, Export),
            known={entry.source: target for target, entry in known.items()},
        )

    def _check_output(self, plan: Plan, known: dict[str, Entry]) -> None:
        there = self.store().taken([target for _, target in plan.files])
        taken = [each for each in there if not (self.resume and each in known)]
        if taken and not self.overwrite:
            some = f"{some_of(taken)} {'exists' if len(taken) == 1 else 'exist'} already in {self.output}"
            keeping = "" if self.resume else "--resume keeps what an earlier batch has made, and "
            raise ImageError(f"{some}; {keeping}--overwrite replaces {'it' if len(taken) == 1 else 'them'}.")


def absolute(place: str | os.PathLike[str]) -> str:
    """Return a location that does not depend on the working directory: an absolute path, or the same URL."""
    text = os.fspath(place)
    return text if is_url(text) else os.path.abspath(text)  # noqa: PTH100 - links stay as they are named


@contextmanager
def working(
    batch: Batch,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    tasks: int | None = None,
    niceness: int = 0,
    watch: Watch | None = None,
    curves: Mapping[str, Curve] | None = None,
) -> Iterator[Callable[[Iterable[Task]], Iterator[Result]]]:
    """Create the output folder, lock it against other batches, and yield a function that runs tasks.

    Those of a batch with a goal share its bytes first, by curves that are known or else are made now.
    With fewer `tasks` than cores, each uses several cores. The `niceness` of the processes, relative to this
    one, is from 0 to 19, the lowest priority; not on Windows. ImageError is raised if the folder cannot be
    created or written to, or another batch is writing to it; SettingsError if there are no workers.
    """
    check_workers(workers)
    with (
        batch.store().alone() as held,
        pool_of(workers, executor, tasks, inherited=held, niceness=niceness) as (pool, in_flight),
    ):

        def results(some: Iterable[Task]) -> Iterator[Result]:
            if batch.goal is not None:
                surveys = partial(run, executor=pool, in_flight=in_flight, watch=watch, call=survey)
                some, failures = shared(some, batch.goal, curves or {}, surveys)
                yield from failures
            yield from run(some, pool, in_flight, watch, work)

        yield results


def batch(
    inputs: str | os.PathLike[str] | Paths,
    output: str | os.PathLike[str],
    recipe: Settings | Recipe | None = None,
    *,
    recursive: bool = False,
    resume: bool = False,
    overwrite: bool = False,
    skip_larger: bool = False,
    keep_dates: bool = False,
    goal: Goal | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    on_result: Callable[[Result], None] | None = None,
) -> Report:
    """Compress or export many images into one folder.

    Each output is written completely or not at all, whenever the batch is stopped or killed. A record in the
    folder, ``.pcaimage-batch.jsonl``, notes what each was made from, so that a batch can be resumed.

    Parameters
    ----------
    inputs : path or sequence of path
        Images, and folders of images. Strings may be URLs of any file system that fsspec knows.
    output : path
        The folder of the outputs, which is created if it is missing; or its URL.
    recipe : Settings, Compress or Export, optional
        The recipe of the outputs; by default they are compressed with default settings.
    recursive : bool, default False
        Whether to search subfolders, which become subfolders of the output folder.
    resume : bool, default False
        Whether to keep outputs of an earlier batch from the same contents and settings.
    overwrite : bool, default False
        Whether to replace existing files that were not made by a batch.
    skip_larger : bool, default False
        Whether to omit outputs that are not smaller than their images.
    keep_dates : bool, default False
        Whether outputs get their images' modification times.
    goal : Goal, optional
        Bytes of all outputs or of each, or their visible quality; the recipe is then an Export without one.
    workers : int, optional
        Number of processes, each on one core; by default one for each core.
    executor : concurrent.futures.Executor, optional
        Runs the work instead of newly started processes. On a cluster, each machine must be able to import
        this package and to access the files.
    on_result : callable, optional
        Called with each result as it comes; raising from it stops the batch.

    Returns
    -------
    Report
        The outcome for each image. Failures have a reason, and do not stop the batch.

    Raises
    ------
    ImageError
        If an input is missing, or an output exists and may not be replaced, before anything is written; or if
        another batch is writing to the folder.
    SettingsError
        If there are no images, or an output would replace one of them.

    Examples
    --------
    >>> import pcaimage, tempfile
    >>> from pcaimage.imaging import Image, write_image
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("a", "b"):
    ...         write_image(f"{folder}/{name}.png", Image(np.zeros((32, 32, 3), np.uint8)))
    ...     report = pcaimage.batch(folder, f"{folder}/compressed", pcaimage.Settings(step=8), workers=1)
    >>> [(each.target, each.state.value) for each in sorted(report.results, key=lambda each: each.target)]
    [('a.pcai', 'made'), ('b.pcai', 'made')]
    """
    given = [inputs] if isinstance(inputs, str | os.PathLike) else inputs
    chosen = Compress(recipe or Settings()) if isinstance(recipe, Settings | None) else recipe
    wanted = Batch(
        given,
        output,
        chosen,
        recursive=recursive,
        resume=resume,
        overwrite=overwrite,
        skip_larger=skip_larger,
        keep_dates=keep_dates,
        goal=goal,
    )
    wanted = wanted if executor is None else wanted.spread_out()
    tasks, report = wanted.tasks(wanted.plan()), Report()
    with working(wanted, workers=workers, executor=executor, tasks=len(tasks)) as results:
        for result in results(tasks):
            report.results.append(result)
            if on_result is not None:
                on_result(result)
    return report


SCAN_SECONDS = 1.0  # seconds between two scans of the folders


def watch(batch: Batch, wait: Callable[[], None]) -> Iterator[list[Task]]:
    """Yield the tasks of images that are new or have changed, for ever.

    An image is taken when its size and modification time are unchanged between two scans. Folders are polled,
    as network folders have no change notifications. Outputs of an earlier batch are kept. `wait` is called
    between two scans; raising from it ends the watch. ImageError is raised if a folder is gone or cannot be
    read; SettingsError if an output would replace an image.
    """
    last, taken = dict[str, tuple[int, int]](), dict[str, tuple[int, int]]()
    while True:
        plan = batch.found()
        now = {source: found for source, _ in plan.files if (found := _signature(source)) is not None}
        ready = {
            source
            for source, found in now.items()
            if last.get(source) == found and taken.get(source) != found
        }
        last = now
        if ready:
            taken |= {source: now[source] for source in ready}
            yield [task for task in batch.tasks(plan) if task.source in ready]
        wait()


def _signature(source: str) -> tuple[int, int] | None:
    try:
        found = Path(source).stat()
    except OSError:  # it has been removed meanwhile
        return None
    return found.st_size, found.st_mtime_ns


_POLL = 0.5  # seconds after which Ctrl+C is noticed on systems where waiting cannot be interrupted


Watch = Callable[[Mapping[str, float]], object]
"""Called with the sources of tasks that are running, and how far they are, 0 to 1.

That is twice a second, and whenever one has completed.

An exception that it raises ends the batch.
"""


def run(
    tasks: Iterable[Task],
    executor: Executor,
    in_flight: int,
    watch: Watch | None = None,
    call: Callable[[Task], Any] = work,
) -> Iterator[Any]:
    """Run tasks on an executor, so many at once, and yield their results as they complete.

    The executor has threads, processes of this machine, or those of a cluster that can import this package
    and access the files; ClusterError if that is lost. `watch` is called with those that are running,
    twice a second and whenever one has completed. An exception that it raises ends the batch.
    """
    waiting, rest = dict[Future[Any], Task](), iter(tasks)
    try:
        while True:
            for task in islice(rest, in_flight - len(waiting)):
                try:
                    waiting[executor.submit(call, task)] = task
                except RuntimeError as error:  # a broken pool accepts no more calls
                    yield _ended(task, error)
            if not waiting:
                return
            if watch is not None:
                running = ((task, future) for future, task in waiting.items() if future.running())
                watch({task.source: _share(call, task, future) for task, future in running})
            done, _ = wait(waiting, _POLL, FIRST_COMPLETED)
            for future in done:
                yield _result(future, waiting.pop(future))
    finally:
        for future in waiting:
            future.cancel()


def _share(call: Callable[[Task], Any], task: Task, future: Future[Any]) -> float:
    """Return how far the work on an image is; those that share bytes are looked at, tried, and then made."""
    recipe, begin, end = task.recipe, 0.0, 1.0
    if isinstance(recipe, Export) and recipe.most is not None:
        begin, end = (0.4, 0.7) if call is survey else (0.7, 1.0)
    elif call is survey:
        end = 0.4
    return begin + (end - begin) * getattr(future, "done_share", 0.0)


def _result(future: Future[Any], task: Task) -> Any:
    try:
        return future.result()
    except ClusterError:
        raise
    except Exception as error:  # noqa: BLE001 - executors of any kind raise errors of any kind
        return _ended(task, error)


def _ended(task: Task, error: Exception) -> Result:
    return Result(task.source, task.target, State.FAILED, reason=executor_reason(error))


def executor_reason(error: Exception) -> str:
    """Return a sentence that says why an executor returned no result."""
    if isinstance(error, CancelledError):
        return "The executor cancelled it."
    if isinstance(error, PcaImageError):
        return str(error)
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"The executor did not do it: {reason.removesuffix('.')}."

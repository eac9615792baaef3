"""Output at the terminal: results, progress and errors."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO

from pcaimage.cli.declared import UsageError
from pcaimage.errors import Cancelled, PcaImageError, reason_of
from pcaimage.language import tr
from pcaimage.progress import Progress, no_progress

if TYPE_CHECKING:
    from rich.console import Console

FAILED, MISUSED, INTERRUPTED = 1, 2, 130
_UNFOLDED = 10_000
_GAP = 2
_running = list[threading.Event]()
"""Set when the program is to end: one event for each task whose progress is shown."""
_quiet, _verbose = ContextVar("quiet", default=False), ContextVar("verbose", default=False)
_SURROGATES = re.compile("[\ud800-\udfff]")


def printable(text: str) -> str:
    """Replace control characters by question marks, so that file names cannot control the terminal."""
    return "".join(letter if letter.isprintable() or letter in "\u00a0\u202f" else "?" for letter in text)


@contextmanager
def speaking(*, quiet: bool, verbose: bool) -> Iterator[None]:
    """Let a command say less or more than usual."""
    before = _quiet.set(quiet), _verbose.set(verbose)
    try:
        yield
    except PcaImageError as error:
        if verbose:
            import traceback  # noqa: PLC0415 - as in `progress_bar`

            put("".join(traceback.format_exception(error)).rstrip(), sys.stderr)
        raise
    finally:
        _quiet.reset(before[0])
        _verbose.reset(before[1])


def say(text: str, *, aside: bool = False) -> None:
    """Print a line of a result; `aside` on stderr, if standard output has the file itself."""
    if not _quiet.get():
        put(printable(tr(text)), sys.stderr if aside else sys.stdout)


def say_json(values: Mapping[str, Any], *, aside: bool = False) -> None:
    """Print a result as JSON; `aside` on stderr, if standard output has the file itself."""
    import json  # noqa: PLC0415 - as in `progress_bar`

    text = json.dumps(_encodable(values), indent=2, allow_nan=False)
    put(text, sys.stderr if aside else sys.stdout)


def put(text: str, stream: TextIO | None) -> None:
    """Print a line at once; programs without a console have no stream."""
    if stream is not None:
        stream.write(f"{text}\n")
        stream.flush()


def _encodable(value: Any) -> Any:
    """Replace lone surrogates, which represent bytes that are not text, as JSON does not allow them."""
    if isinstance(value, str):
        return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, Mapping):
        return {_encodable(key): _encodable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(each) for each in value]
    return value


def say_table(title: str, rows: Mapping[str, str]) -> None:
    """Print a result as a table of names and values, without rows of nothing."""
    # Imported here, as in `progress_bar`, as other commands do not need it.
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in rows.items():
        if value:
            table.add_row(tr(name), printable(tr(value)))
    console = result_console()
    console.print(printable(tr(title)), style="bold")
    console.print(table)


def say_grid(
    title: str, header: Sequence[str], rows: Iterable[Sequence[str]], *, after: str | None = None
) -> None:
    """Print a table with an optional line below it, in several parts if it is wider than the terminal.

    The first column holds the rows' names, which every part repeats.
    """
    console = result_console()
    cells = [[printable(tr(cell)) for cell in row] for row in rows]
    names = [printable(tr(name)) for name in header]
    console.print(f"\n{printable(tr(title))}", style="bold")
    for columns in fold_columns(names, cells, console.width):
        _print_part(console, names, cells, columns)
    if after:
        console.print(printable(tr(after)), style="dim")


def fold_columns(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[list[int]]:
    """Divide a table's columns into parts that fit a width in characters; every part has the first column."""
    widths = [max(len(row[index]) for row in [header, *rows]) + _GAP for index in range(len(header))]
    parts, room = list[list[int]](), 0
    for index in range(1, len(header)):
        if not parts or widths[index] > room:
            parts.append([0])
            room = width - widths[0]
        parts[-1].append(index)
        room -= widths[index]
    return parts or [[0]]


def _print_part(console: Console, header: list[str], rows: list[list[str]], columns: list[int]) -> None:
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim")
    for index in columns:
        table.add_column(header[index], justify="right" if index else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(row[index] for index in columns))
    console.print(table)


def result_console() -> Console:
    """Return a console for results: lines are folded to a terminal's width, but not in a file or a pipe."""
    from rich.console import Console  # noqa: PLC0415

    width = None if sys.stdout is not None and sys.stdout.isatty() else _UNFOLDED
    return Console(markup=False, highlight=False, emoji=False, width=width)


def warn(text: str) -> None:
    """Print a sentence on stderr."""
    put(f"pcaimage: {printable(tr(text))}", sys.stderr)


@contextmanager
def progress_bar(task: str, *, left: bool = False) -> Iterator[Progress]:
    """Show a progress bar for a task such as ``"Compressing a.png"`` if stderr is a terminal.

    With `left` it shows the time that is left rather than the time that has passed.
    """
    with _interruptible() as ask, _timed(task):
        if sys.stderr is None or not sys.stderr.isatty() or _quiet.get():
            yield ask
            return
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn  # noqa: PLC0415
        from rich.progress import Progress as Bar  # noqa: PLC0415

        words = TextColumn("{task.description}", markup=False)
        seconds = TimeRemainingColumn() if left else TimeElapsedColumn()
        columns = (words, BarColumn(), TextColumn("{task.percentage:>3.0f} %"), seconds)
        # Lines printed meanwhile appear above the bar, unless they go to a file or a pipe.
        shared = sys.stdout is not None and sys.stdout.isatty()
        with Bar(*columns, console=Console(stderr=True), transient=True, redirect_stdout=shared) as bar:
            identifier = bar.add_task(printable(tr(task)), total=None)

            def report(done: int, total: int) -> None:
                ask(done, total)
                bar.update(identifier, completed=done, total=total)

            yield report


@contextmanager
def _timed(task: str) -> Iterator[None]:
    """Say what a task took, if the command is to say more than usual."""
    begun = time.perf_counter()
    yield
    if _verbose.get():
        warn(f"{task} took {time.perf_counter() - begun:.2f} s")


@contextmanager
def _interruptible() -> Iterator[Progress]:
    """Let Ctrl+C stop all threads that report progress, not only the one that waits for them."""
    if threading.current_thread() is not threading.main_thread():
        yield no_progress
        return
    stopped = threading.Event()

    def ask(_done: int, _total: int) -> None:
        if stopped.is_set():
            raise Cancelled("Interrupted.")

    by_keyboard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    _running.append(stopped)
    if by_keyboard:
        signal.signal(signal.SIGINT, _stop)
    try:
        yield ask
    finally:
        _running.remove(stopped)
        if by_keyboard:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def end_on_signals() -> None:
    """Let `kill` and a closed terminal end the program like Ctrl+C, leaving nothing behind."""
    for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores SIGHUP
            signal.signal(number, _stop)


def _stop(_signal: int, _frame: FrameType | None) -> None:
    for stopped in _running:
        stopped.set()
    raise KeyboardInterrupt


@contextmanager
def errors_reported() -> Iterator[None]:
    """Report errors in one sentence, and end with their exit code.

    It is 1 for errors of pcaimage, the system or the memory, 2 for what was typed, 130 for Ctrl+C.
    """
    try:
        yield
        flush()
    except BrokenPipeError:
        raise  # the reader of the output has closed it; the program ends silently
    except PcaImageError as error:
        raise _failure(str(error), MISUSED if isinstance(error, UsageError) else FAILED) from error
    except OSError as error:
        raise _failure(reason_of(error)) from error
    except MemoryError as error:
        raise _failure("There is not enough memory for this image.") from error
    except KeyboardInterrupt as error:
        raise SystemExit(INTERRUPTED) from error


def unforeseen(error: Exception) -> None:
    """Report an unexpected error, and where its crash report is."""
    # Imported here, as few commands need it.
    from pcaimage.machine.reports import sentence_of, write_report  # noqa: PLC0415

    _failure(sentence_of(error, write_report(error)))


def flush() -> None:
    """Flush the output, as a full disk is noticed here, while it can still be reported."""
    if sys.stdout is not None:
        sys.stdout.flush()


def _failure(sentence: str, code: int = FAILED) -> SystemExit:
    with suppress(OSError):  # stderr may be on the same full disk
        warn(sentence)
    return SystemExit(code)


def discard_unwritten() -> None:
    """Drop buffered output that cannot be written.

    Python would otherwise flush both streams again at exit, complain and exit with 120.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def tolerant(stream: Any) -> None:
    """Let an output stream replace characters that its encoding does not have."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")

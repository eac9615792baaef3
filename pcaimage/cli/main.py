"""The program ``pcaimage``."""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

from pcaimage.cli import quick, terminal
from pcaimage.machine.parallel import use_one_thread


def __getattr__(name: str) -> Any:
    """Import the commands' help on demand."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pcaimage.cli.program import app  # noqa: PLC0415 - see `quick`

    return app


def run() -> None:
    """Run the command that was typed, and end the process with its exit code."""
    use_one_thread()
    terminal.end_on_signals()
    terminal.tolerant(sys.stdout)
    terminal.tolerant(sys.stderr)
    try:
        command = quick.read(sys.argv[1:])
        if command is None:
            __getattr__("app")(prog_name="pcaimage")
        else:
            with terminal.errors_reported():
                command()
    except SystemExit as end:
        if end.code == terminal.INTERRUPTED:
            _end_interrupted()
        raise
    except OSError:  # not even stderr accepts the error message, or nobody reads it
        sys.exit(terminal.FAILED)
    except KeyboardInterrupt:  # before or after the command itself
        _end_interrupted()
    except Exception as error:  # noqa: BLE001 - whatever it is, a sentence says more than a traceback
        terminal.unforeseen(error)
        sys.exit(terminal.FAILED)
    finally:
        terminal.discard_unwritten()


def _end_interrupted() -> NoReturn:
    """End the process with the exit code of an interrupt.

    Python would end with a signal of its own if the interrupt came while it ran code from a string, as data
    classes do when a module is imported, even if the interrupt was handled.
    """
    terminal.discard_unwritten()
    os._exit(terminal.INTERRUPTED)


def run_window() -> None:
    """Open the window with the files on the command line, as ``pcaimage gui`` does."""
    sys.argv[1:1] = ["gui"]
    run()

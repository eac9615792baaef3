"""The program ``pcaimage``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from pcaimage import language
from pcaimage.cli import program, terminal
from pcaimage.machine.parallel import use_one_thread


def call(words: Sequence[str]) -> None:
    """Run the command of a command line without the program's name; SystemExit if it fails."""
    with terminal.errors_reported():
        program.command_of(words)()


def run() -> None:
    """Run the command that was typed, and end the process with its exit code."""
    use_one_thread()
    # Numbers are written as everywhere, for scripts that read them.
    language.use(language.chosen(), signs=language.ENGLISH_SIGNS)
    terminal.end_on_signals()
    terminal.tolerant(sys.stdout)
    terminal.tolerant(sys.stderr)
    try:
        call(sys.argv[1:])
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

"""The program ``pcaimage``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from pcaimage import __version__
from pcaimage.blas import use_one_thread
from pcaimage.cli import commands
from pcaimage.cli.terminal import (
    FAILED,
    INTERRUPTED,
    Command,
    Commands,
    discard_unwritten,
    end_on_signals,
    tolerant,
    unforeseen,
)

app = typer.Typer(
    name="pcaimage",
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    pretty_exceptions_show_locals=False,
)
for command in (
    commands.encode,
    commands.decode,
    commands.info,
    commands.compare,
    commands.trim,
    commands.table,
    commands.report,
    commands.gui,
):
    app.command(cls=Command)(command)


def _version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(f"pcaimage {__version__}")
        raise typer.Exit


@app.callback()
def pcaimage(
    context: typer.Context,
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Compress images by principal component analysis. Without a command the window opens."""
    if context.invoked_subcommand is None:
        commands.gui()


def run() -> None:
    """Run the command that was typed, and end the process with its exit code."""
    use_one_thread()
    end_on_signals()
    tolerant(sys.stdout)
    tolerant(sys.stderr)
    try:
        app(prog_name="pcaimage")
    except OSError:  # not even stderr takes the sentence that says what went wrong
        sys.exit(FAILED)
    except KeyboardInterrupt:  # before or after the command itself
        sys.exit(INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - whatever it is, a sentence says more than a traceback
        unforeseen(error)
        sys.exit(FAILED)
    finally:
        discard_unwritten()


def run_window() -> None:
    """Open the window with the files that were named, as ``pcaimage gui`` does."""
    sys.argv[1:1] = ["gui"]
    run()

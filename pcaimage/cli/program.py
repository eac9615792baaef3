"""The program as a Typer application: the help of all commands, and messages about mistakes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from pcaimage import __version__
from pcaimage.cli import commands
from pcaimage.cli.declared import Argument, Option, ValueRefused, kind_of, parser_of
from pcaimage.cli.terminal import errors_reported, flush


class BareFlags:
    """A mixin for commands: their help shows flags without a type, which some versions of Typer add."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, `--help` included; an empty metavar stands in for the type."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # that of Typer's class
        for each in parameters:
            if getattr(each, "is_flag", False) and each.metavar is None:
                each.metavar = ""
        return parameters


class Command(BareFlags, TyperCommand):
    """One of the commands."""


class Commands(BareFlags, TyperGroup):
    """The group of all commands, which reports errors of any of them in the same way."""

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Parse the command line; ``--help`` and ``--version`` print in the process."""
        with errors_reported(), _flushed():
            return super().make_context(*args, **extra)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; names of files open the window."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            if Path(args[0]).exists():
                args = ["gui", *args]
            elif Path(args[0]).suffix:
                ctx.fail(f"There is neither a command nor a file {args[0]!r}.")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        with errors_reported(), _flushed():
            return super().invoke(ctx)


@contextmanager
def _flushed() -> Iterator[None]:
    """Detect a full disk when help or the version has been printed, which ends the parsing."""
    try:
        yield
    except typer.Exit as end:
        if end.exit_code == 0:
            flush()
        raise


def _explained(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with its declarations translated for Typer."""
    parameters = [
        each.replace(annotation=_annotation(each.annotation))
        for each in inspect.signature(command, eval_str=True).parameters.values()
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        command(**given)

    # Typer reads these attributes.
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _annotation(declared: Any) -> Any:
    kind, details = get_args(declared)
    # Commands check files themselves, so that all errors look the same.
    if isinstance(details, Argument):
        readable = Path not in {kind, *get_args(kind)}
        return Annotated[kind, typer.Argument(metavar=details.metavar, help=details.help, readable=readable)]
    if not isinstance(details, Option):
        raise TypeError(f"{declared} declares neither an argument nor an option.")
    # Typer's own conversions answer in the words of the library that it makes them with.
    parser, choices = parser_of(kind_of(kind), details), _choices(kind, details)
    metavar = details.metavar
    if choices and metavar is None:
        metavar = f"[{'|'.join(choices)}]"
    return Annotated[
        kind,
        typer.Option(
            *details.names,
            metavar=metavar,
            help=details.help,
            parser=None if parser is None else _refusing(parser),
            autocompletion=_completing(details.values or (lambda: choices)),
            rich_help_panel=details.panel,
        ),
    ]


def _choices(kind: Any, details: Option) -> list[str]:
    """Return what an option with a fixed set of values accepts."""
    kind = kind_of(kind)
    fixed = details.parser is None and isinstance(kind, type) and issubclass(kind, StrEnum)
    return list(kind) if fixed else []


def _completing(values: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return what the shell asks for the values that begin with what was typed."""

    def complete(incomplete: str) -> list[str]:
        return [each for each in values() if each.startswith(incomplete)]

    return complete


def _refusing(parser: Callable[[str], Any]) -> Callable[[str], Any]:
    """Let a parser refuse values as Typer expects."""

    @wraps(parser)
    def parse(text: str) -> Any:
        try:
            return parser(text)
        except ValueRefused as error:
            raise typer.BadParameter(str(error)) from error

    return parse


app = typer.Typer(
    name="pcaimage",
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    pretty_exceptions_show_locals=False,
)
for each in commands.ALL:
    app.command(cls=Command)(_explained(each))


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

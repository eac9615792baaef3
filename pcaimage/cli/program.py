"""The parsers of the command line, made of the commands' declarations: help, manual, mistakes, completion."""

from __future__ import annotations

import argparse
import glob
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, get_origin

from pcaimage import __version__, language
from pcaimage.cli import commands, terminal
from pcaimage.cli.declared import Argument, Option, UsageError, ValueRefused, kind_of, parser_of
from pcaimage.cli.options import declaration
from pcaimage.language import tr

_ABOUT = "Compress images by principal component analysis. Without a command the window opens."
_SECTIONS = ("Name", "Synopsis", "Description")  # of a page of the manual
_COMPLETES = "_ARGCOMPLETE"  # what a shell sets that asks for completions
_NEGATIVE = re.compile(r"-(?:[0-9.]+e[+-]?[0-9]+|inf)", re.IGNORECASE)


class Help(argparse.HelpFormatter):
    """Formats help in the language in use."""

    def start_section(self, heading: str | None) -> None:
        """Begin a section."""
        super().start_section(tr(heading or ""))

    def add_text(self, text: str | None) -> None:
        """Add paragraphs, joined as they were declared."""
        if text is not None:
            told = "\n\n".join(tr(" ".join(each.split())) for each in text.split("\n\n"))
            super().add_text(told.replace("。\n\n", "。"))

    def add_usage(self, usage: str | None, actions: Any, groups: Any, prefix: str | None = None) -> None:
        """Add how a command is used."""
        super().add_usage(usage, actions, groups, f"{tr('usage')}: " if prefix is None else prefix)

    def _get_help_string(self, action: argparse.Action) -> str:
        return tr((action.help or "").replace("%%", "%")).replace("%", "%%")


class Parser(argparse.ArgumentParser):
    """A parser that tells mistakes as all other errors are told, and notices a full disk behind its help."""

    def __init__(self, **named: Any) -> None:
        super().__init__(**named, add_help=False, allow_abbrev=False, formatter_class=Help)
        self.add_argument("--help", "-h", action="help", help="Show this message and exit.")

    def error(self, message: str) -> NoReturn:
        """Say how the command is used, and what is wrong."""
        terminal.put(self.format_usage().rstrip(), sys.stderr)
        raise UsageError(f"{message[:1].upper()}{message[1:].rstrip('.')}.")

    def print_help(self, file: Any = None) -> None:
        """Print the help."""
        terminal.put(self.format_help().rstrip(), file or sys.stdout)


def command_of(words: Sequence[str]) -> Callable[[], object]:
    """Return the command of a command line without the program's name, ready to be called.

    UsageError if it is none; SystemExit after help or version was printed.
    """
    if sys.platform == "win32":
        words = [name for word in words for name in _expanded(word)]
    known = {each.__name__: each for each in commands.ALL}
    if _COMPLETES in os.environ:
        return partial(complete, _overview())
    if words and words[0] not in known and not words[0].startswith("-"):
        if Path(words[0]).exists():
            words = ["gui", *words]
        elif Path(words[0]).suffix:
            _overview().error(f"There is neither a command nor a file {words[0]!r}")
    if not words or words[0] not in known:
        return _without_command(_overview().parse_args(words))
    command = known[words[0]]
    parser = _parser_of(command)
    # Options may stand between the files of a list, but Python 3.11 then takes what follows -- for options.
    parse = parser.parse_args if "--" in words else parser.parse_intermixed_args
    return partial(command, **_with_target(vars(parse(_joined(words[1:]))), parser))


def _with_target(given: dict[str, Any], parser: Parser) -> dict[str, Any]:
    """Take the target from where it stands: after the source, or behind ``--output``."""
    if "output" in given:
        named = [each for each in (given["target"], given.pop("output")) if each is not None]
        if len(named) != 1:
            name = (parser.usage or "").rpartition(" ")[2]
            missing = f"the following arguments are required: {name}"
            parser.error("give the output once, as the last word or after --output" if named else missing)
        given["target"] = named[0]
    return given


def manual() -> Iterator[tuple[str, str]]:
    """Yield pages of the manual, of the program and its commands: their paths, and troff made of the help."""
    for each in language.LANGUAGES:
        folder = "man1" if each == language.ENGLISH else f"{each}/man1"
        with language.spoken(each):
            pages = [*map(_manual_page, (_overview(), *map(_parser_of, commands.ALL)))]
        yield from ((f"{folder}/{name}.1", page) for name, page in pages)


def _manual_page(parser: Parser) -> tuple[str, str]:
    """Return the name and the text of a page, in the language in use."""
    parser.formatter_class = partial(Help, width=1000)
    name, about = parser.prog.replace(" ", "-"), tr((parser.description or "").splitlines()[0])
    usage, _, rest = parser.format_help().partition("\n\n")
    title = f'.TH {name.upper()} 1 "" "pcaimage {__version__}" "User Commands"'
    synopsis, names = _troff(usage.partition(": ")[2]), [tr(each).upper() for each in _SECTIONS]
    head = f".SH {names[0]}\n{name} \\- {_troff(about)}\n.SH {names[1]}\n{synopsis}\n.SH {names[2]}"
    return name, "\n".join([title, head, *map(_manual_line, rest.splitlines()), ""])


def _manual_line(line: str) -> str:
    """Return a line of the help in troff: headings, terms that are two columns from the left, and text."""
    if line and not line[0].isspace() and line.endswith(":"):
        return f".SH {_troff(line[:-1].upper())}"
    term = re.fullmatch(r" {2,4}(\S.*?)(?:\s{2,}(.*))?", line)
    if term is None:
        return _troff(line.strip()) or ".PP"
    return "\n".join([".TP", f"\\fB{_troff(term[1])}\\fR", *([_troff(term[2])] if term[2] else [])])


def _troff(text: str) -> str:
    shown = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{shown}" if shown.startswith((".", "'")) else shown


def complete(parser: Parser) -> None:
    """Tell a shell how the words go on that it has in its environment."""
    import argcomplete  # noqa: PLC0415 - only a shell asks for it

    argcomplete.autocomplete(parser, always_complete_options=False, exit_method=sys.exit)


def completion(shell: str) -> str:
    """Return what lets a shell complete the words of command lines, by asking the program."""
    from argcomplete.shell_integration import shellcode  # noqa: PLC0415 - as above

    return shellcode(["pcaimage"], shell=shell)


def _without_command(given: argparse.Namespace) -> Callable[[], object]:
    """Return what a command line without a command asks for."""
    if given.version:
        return partial(terminal.say, f"pcaimage {__version__}")
    if given.show_completion:
        return partial(terminal.put, completion(given.show_completion), sys.stdout)
    return commands.gui


def _overview() -> Parser:
    """Return the parser of all commands."""
    parser = Parser(prog="pcaimage", description=_ABOUT)
    parser.add_argument("--version", action="store_true", help="Print the version and exit.")
    parser.add_argument(
        "--show-completion",
        choices=("bash", "zsh", "fish", "powershell"),
        help="Print what lets a shell complete commands and options; its start-up file can evaluate it.",
    )
    every = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in commands.ALL:
        about = inspect.getdoc(command) or ""
        _declared(every.add_parser(command.__name__, help=about.splitlines()[0], description=about), command)
    return parser


def _parser_of(command: Callable[..., object]) -> Parser:
    """Return the parser of a command."""
    return _declared(
        Parser(prog=f"pcaimage {command.__name__}", description=inspect.getdoc(command)), command
    )


def _declared(parser: Parser, command: Callable[..., object]) -> Parser:
    """Add a command's arguments and options to its parser."""
    groups: dict[str | None, Any] = {None: parser}
    usage = ["%(prog)s [--help] [OPTIONS]"]
    for each in inspect.signature(command, eval_str=True).parameters.values():
        details = declaration(command.__name__, each.name)
        option = details if isinstance(details, Option) else None
        panel = "arguments" if option is None else option.panel
        if panel not in groups:
            groups[panel] = parser.add_argument_group(panel)
        kind = kind_of(each.annotation)
        names, about = _argument(each, kind, details) if option is None else _option(each, kind, option)
        added = groups[panel].add_argument(*names, help=details.help.replace("%", "%%"), **about)
        if each.name == "target" and option is None:  # it may stand behind an option as well
            added.nargs = "?"
            again = f"Where {added.metavar} may stand as well."
            parser.add_argument("--output", "-o", type=kind, metavar=added.metavar, help=again)
            usage.append(added.metavar)
        elif option is None:
            usage.append(added.metavar + "..." * bool(added.nargs))
        elif added.required:
            usage.append(f"{names[0]} {added.metavar}")
        if option is not None and option.values is not None:
            added.completer = partial(_beginning, option.values)
    parser.usage = " ".join(usage)
    return parser


_Declared = tuple[list[str], dict[str, Any]]


def _argument(parameter: inspect.Parameter, kind: Any, details: Argument) -> _Declared:
    """Return the name of an argument, and how it is taken."""
    metavar = parameter.name.upper() if details.metavar is None else details.metavar.removesuffix("...")
    if get_origin(kind) is not list:
        return [parameter.name], {"metavar": metavar, "type": kind}
    return [parameter.name], {
        "metavar": metavar,
        "nargs": "+" if parameter.default is parameter.empty else "*",
    }


def _option(parameter: inspect.Parameter, kind: Any, details: Option) -> _Declared:
    """Return the names of an option, and how it takes its value."""
    names = [name.partition("/")[0] for name in details.names] or [f"--{parameter.name.replace('_', '-')}"]
    needed = parameter.default is parameter.empty
    about = {"dest": parameter.name, "default": None if needed else parameter.default, "required": needed}
    if kind is bool:
        both = any("/" in name for name in details.names)
        return names, {**about, "action": argparse.BooleanOptionalAction if both else "store_true"}
    about["metavar"] = details.metavar
    if get_origin(kind) is list:
        return names, {**about, "action": "append"}
    parse = parser_of(kind, details)
    if details.parser is None and issubclass(kind, StrEnum):
        about["choices"] = list(kind)
    return names, {**about, "type": kind if parse is None else partial(_converted, parse)}


def _converted(parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except ValueRefused as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _beginning(values: Callable[[], Iterable[str]], prefix: str, **_: object) -> list[str]:
    return [each for each in values() if each.startswith(prefix)]


def _joined(words: Sequence[str]) -> list[str]:
    """Join negative numbers to the options before them where argparse would take them for options."""
    found = list[str]()
    for word in words:
        if found and found[-1].startswith("--") and _NEGATIVE.fullmatch(word):
            found[-1] += f"={word}"
        else:
            found.append(word)
    return found


def _expanded(word: str) -> list[str]:
    """Return the files of a word with wildcards, which the shells of Windows leave to programs."""
    return glob.glob(os.path.expanduser(os.path.expandvars(word))) or [word]  # noqa: PTH111, PTH207 - texts

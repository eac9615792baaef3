"""Parsing of complete and correct command lines without Typer.

Typer and the library that it validates values with take longer to load than decoding a small image. Parsing
here gives the same result from the same declarations; everything that needs another answer than the command's
(help, a mistake, syntax that this module does not know) is left to Typer.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_origin

from pcaimage.cli import commands
from pcaimage.cli.declared import Option, ValueRefused, kind_of, parser_of

_COMPLETION = "_PCAIMAGE_COMPLETE"
_WILDCARDS = frozenset("*?~%$")  # characters that Typer expands in arguments on Windows, where shells do not


class _UnclearError(Exception):
    """The command line must be left to Typer."""


def read(arguments: Sequence[str]) -> Callable[[], object] | None:
    """Return the command of a command line without the program's name, ready to be called.

    None if Typer has to parse it.
    """
    if _COMPLETION in os.environ or (sys.platform == "win32" and _WILDCARDS & set("".join(arguments))):
        return None
    if not arguments:
        return commands.gui
    command = {each.__name__: each for each in commands.ALL}.get(arguments[0])
    if command is None and not arguments[0].startswith("-") and Path(arguments[0]).exists():
        command, arguments = commands.gui, ["gui", *arguments]
    try:
        return None if command is None else partial(command, **_given(command, arguments[1:]))
    except _UnclearError:
        return None


def _given(command: Callable[..., None], words: Sequence[str]) -> dict[str, Any]:
    """Return a command's parameters by name."""
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    found, places = dict[str, Any](), list[inspect.Parameter]()
    options = dict[str, tuple[inspect.Parameter, bool]]()
    for each in parameters:
        declared = _declared(each)
        if not isinstance(declared, Option):
            places.append(each)
            continue
        for name in declared.names or (f"--{each.name.replace('_', '-')}",):
            on, _, off = name.partition("/")
            options[on] = each, True
            if off:
                options[off] = each, False
    typed, rest = list[str](), iter(words)
    for word in rest:
        if word == "--":
            typed += rest
        elif word.startswith("-") and word != "-":
            name, value = _option(word, rest, options, found)
            found[name] = value
        else:
            typed.append(word)
    found |= _in_places(places, typed)
    for each in parameters:
        if found.setdefault(each.name, each.default) is each.empty:
            raise _UnclearError
    return found


def _option(
    word: str, rest: Iterator[str], options: dict[str, tuple[inspect.Parameter, bool]], found: dict[str, Any]
) -> tuple[str, Any]:
    """Return an option's name and value, which may be the next word."""
    name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
    if name not in options or options[name][0].name in found:
        raise _UnclearError
    parameter, switch = options[name]
    if kind_of(get_args(parameter.annotation)[0]) is bool:
        if equals:
            raise _UnclearError
        return parameter.name, switch
    if not equals:
        value = next(rest, "-")
        if value.startswith("-"):
            raise _UnclearError
    return parameter.name, _converted(parameter, value)


def _in_places(places: Sequence[inspect.Parameter], typed: Sequence[str]) -> dict[str, Any]:
    if len(places) == 1 and get_origin(kind_of(get_args(places[0].annotation)[0])) is list:
        return {places[0].name: list(typed) or places[0].default}
    if len(places) != len(typed):
        raise _UnclearError
    return {place.name: _converted(place, word) for place, word in zip(places, typed, strict=True)}


def _declared(parameter: inspect.Parameter) -> object:
    return get_args(parameter.annotation)[1]


def _converted(parameter: inspect.Parameter, text: str) -> Any:
    declared, kind = _declared(parameter), kind_of(get_args(parameter.annotation)[0])
    if not text:
        raise _UnclearError
    if get_origin(kind) is list:
        return [text]
    parse = parser_of(kind, declared) if isinstance(declared, Option) else None
    if parse is None and kind not in {str, Path}:
        raise _UnclearError
    try:
        return (parse or kind)(text)
    except ValueRefused as error:
        raise _UnclearError from error

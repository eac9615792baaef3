"""Declarations of the commands' arguments and options, independent of the library that prints help."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from types import NoneType
from typing import Any, get_args

from pcaimage.errors import ImageError, PcaImageError, SettingsError

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_REAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?|[+-]?inf|nan")


class UsageError(PcaImageError):
    """The command line contradicts itself, whatever its files hold; the program ends with exit code 2."""


@contextmanager
def as_usage() -> Iterator[None]:
    """Let settings that contradict each other, and endings of no format, be mistakes on the command line."""
    try:
        yield
    except (ImageError, SettingsError) as error:
        raise UsageError(str(error)) from error


class ValueRefused(ValueError):  # noqa: N818 - the user's mistake, and no error of the program
    """A value does not suit its option; the message says why."""


@dataclass(frozen=True)
class Argument:
    """A positional argument."""

    metavar: str | None = None
    help: str | None = None


@dataclass(frozen=True)
class Option:
    """An option."""

    names: tuple[str, ...] = ()  # by default the parameter's; ``--a/--no-a`` are those of a choice
    metavar: str | None = None  # placeholder of its value in the help
    help: str | None = None  # one or two sentences
    parser: Callable[[str], Any] | None = None  # converts the typed value, and raises ValueRefused
    min: int | None = None
    max: int | None = None
    values: Callable[[], Iterable[str]] | None = None  # of a text, what the shell completes it to
    panel: str | None = None  # heading in the help below which it is listed


def option(*names: str, **details: Any) -> Any:
    """Declare an option; details are the fields of :class:`Option`."""
    return Option(names, **details)


def kind_of(annotated: Any) -> Any:
    """Return the type of a parameter's value, other than None."""
    alternatives = [each for each in get_args(annotated) if each is not NoneType]
    return alternatives[0] if NoneType in get_args(annotated) else annotated


def parser_of(kind: Any, details: Option) -> Callable[[str], Any] | None:
    """Return the function that converts what was typed, and raises ValueRefused; None for text."""
    if details.parser is not None:
        return details.parser
    if kind in {int, float}:
        return lambda text: _number(str(text), kind, details)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return lambda text: _choice(text, kind)
    return None


def _number(text: str, kind: type[int | float], details: Option) -> float:
    if not (_WHOLE if kind is int else _REAL).fullmatch(text):
        example = "a whole number, such as 12" if kind is int else "a number, such as 40 or 0.5"
        raise ValueRefused(f"{text!r} is not {example}.")
    number, low, high = kind(text), details.min, details.max
    if (low is not None and number < low) or (high is not None and number > high):
        allowed = f"at least {low}" if high is None else f"from {low} to {high}"
        raise ValueRefused(f"{text} is out of range; the number is {allowed}.")
    return number


def _choice(text: str, kind: type[StrEnum]) -> StrEnum:
    if text not in list(kind):
        raise ValueRefused(f"{text!r} is not one of {', '.join(kind)}.")
    return kind(text)

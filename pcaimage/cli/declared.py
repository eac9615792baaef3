"""Declarations of the commands' arguments and options, independent of the library that prints help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class ValueRefused(ValueError):  # noqa: N818 - the user's mistake, and no error of the program
    """A value does not suit its option; the message says why."""


@dataclass(frozen=True)
class Argument:
    """A positional argument."""

    metavar: str | None = None
    help: str | None = None


@dataclass(frozen=True)
class Option:
    """An option.

    Parameters
    ----------
    names : tuple of str
        Names on the command line; by default derived from the parameter's. ``--a/--no-a`` are the two names
        of a choice.
    metavar : str, optional
        Placeholder of its value in the help.
    help : str, optional
        One or two sentences.
    parser : callable, optional
        Converts the typed value, and raises :class:`ValueRefused`.
    min, max : int, optional
        Bounds of a number.
    panel : str, optional
        Heading in the help below which it is listed.
    show_default : bool
        Whether the help shows its default.
    """

    names: tuple[str, ...] = ()
    metavar: str | None = None
    help: str | None = None
    parser: Callable[[str], Any] | None = None
    min: int | None = None
    max: int | None = None
    panel: str | None = None
    show_default: bool = True


def option(*names: str, **details: Any) -> Any:
    """Declare an option; details are the fields of :class:`Option`."""
    return Option(names, **details)

"""Declarations of the commands' arguments and options, without the library that explains them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class ValueRefused(ValueError):  # noqa: N818 - the user's mistake, and no error of the program
    """A value does not suit its option; the message says why."""


@dataclass(frozen=True)
class Argument:
    """An argument, which is recognised by its place."""

    metavar: str | None = None
    help: str | None = None


@dataclass(frozen=True)
class Option:
    """An option.

    Parameters
    ----------
    names : tuple of str
        As they are typed; by default the parameter's name. ``--a/--no-a`` are the two names of a choice.
    metavar : str, optional
        What stands for its value in the help.
    help : str, optional
        One or two sentences.
    parser : callable, optional
        Takes the value as it was typed, and raises :class:`ValueRefused`.
    min, max : int, optional
        The bounds of a number.
    panel : str, optional
        The heading in the help that it stands under.
    show_default : bool
        Whether the help tells its default.
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
    """Declare an option; details are those of :class:`Option`."""
    return Option(names, **details)

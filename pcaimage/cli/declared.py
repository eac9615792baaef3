"""Declarations of the commands' arguments and options, independent of the library that prints help."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from types import NoneType
from typing import Any, Literal, NamedTuple, get_args

from pcaimage.choices import WRITABLE
from pcaimage.errors import ImageError, PcaImageError, SettingsError
from pcaimage.insight import formatting

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
    """A positional argument: one or two sentences, and the placeholder of its value in the help."""

    help: str
    metavar: str | None = None


@dataclass(frozen=True)
class Option(Argument):
    """An option."""

    names: tuple[str, ...] = ()  # by default the parameter's; ``--a/--no-a`` are those of a choice
    parser: Callable[[str], Any] | None = None  # converts the typed value, and raises ValueRefused
    min: int | None = None
    max: int | None = None
    values: Callable[[], Iterable[str]] | None = None  # of a text, what the shell completes it to
    panel: str | None = None  # heading in the help below which it is listed


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


def _choice(text: str, names: type[StrEnum]) -> StrEnum:
    if text not in list(names):
        raise ValueRefused(f"{text!r} is not one of {', '.join(names)}.")
    return names(text)


_WINDOW = re.compile(r"\s*(-?\d{0,8})\s*:\s*(-?\d{0,8})\s*,\s*(-?\d{0,8})\s*:\s*(-?\d{0,8})\s*")
_NUMBERS = re.compile(r"([1-9][0-9]{0,4})(?:\s*-\s*([1-9][0-9]{0,4}))?")
_ERROR = re.compile(
    r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*([^\s0-9+.-].*|1|)", re.DOTALL
)


class MethodName(StrEnum):
    """The methods, named after their kind of samples."""

    PHOTO = "photo"
    BLOCKS = "blocks"
    CHANNELS = "channels"
    STACK = "stack"
    BANDS = "bands"


class Stripped(StrEnum):
    """The metadata to remove."""

    PLACE = "place"
    ALL = "all"


class Pages(StrEnum):
    """The ways to interpret a file's planes: as bands of one image, or as separate images."""

    BANDS = "bands"
    IMAGES = "images"

    @property
    def read_as(self) -> Literal["bands", "stack"]:
        """The kind of image, as :func:`pcaimage.imaging.read_image` takes it."""
        return "bands" if self is Pages.BANDS else "stack"


class TableSigma(StrEnum):
    """Divisors of the standard deviations by which a table is standardised."""

    N_MINUS_1 = "n-1"
    N = "n"


def parse_share(text: str) -> float:
    """Parse a share such as ``0.95``, or a percentage such as ``95%`` or, above 1, ``95``."""
    share = formatting.parse_share(text)
    if share is None:
        raise ValueRefused(f"{text!r} is not a share of the variance, such as 0.95 or 95%.")
    return share


def parse_size(text: str) -> int:
    """Parse a number of bytes such as ``40000``, ``1.5 MB`` (powers of 1000) or ``40KiB`` (of 1024)."""
    n_bytes = formatting.parse_size(text)
    if n_bytes is None:
        raise ValueRefused(f"{text!r} is not a size in bytes, such as 40000, 40KB, 1.5MB or 40KiB.")
    return n_bytes


def parse_components(text: str) -> frozenset[int]:
    """Parse a list of one-based component numbers, such as ``3,7,12-20``."""
    return frozenset(_numbers(text, "components"))


def parse_bands(text: str) -> tuple[int, ...]:
    """Parse a list of one-based numbers of bands in their order, such as ``30,20,1-10``."""
    return _numbers(text, "bands")


def parse_window(text: str) -> tuple[slice, slice]:
    """Parse rows and columns as NumPy writes them, such as ``0:256,512:768``."""
    match = _WINDOW.fullmatch(text)
    if match is None:
        raise ValueRefused(
            f"{text!r} is not a window, rows and columns counted from 0, such as 0:256,512:768."
        )
    first, last, left, right = (int(each) if each else None for each in match.groups())
    return slice(first, last), slice(left, right)


def _numbers(text: str, what: str) -> tuple[int, ...]:
    found = list[int]()
    for part in text.split(","):
        match = _NUMBERS.fullmatch(part.strip())
        first = int(match[1]) if match else 1
        last = int(match[2] or first) if match else 0
        if last < first:
            raise ValueRefused(f"{text!r} is not a list of {what}, counted from 1, such as 3,7,12-20.")
        found += range(first, last + 1)
    return tuple(found)


@dataclass(frozen=True)
class NoDataValue:
    """A parsed no-data value; its number is None for ``none``: no value marks missing data."""

    number: float | None


def member_of(array: str | None, places: list[str] | None) -> str | None:
    """Return the name of an array and its part, as :func:`pcaimage.imaging.read_image` takes it."""
    return f"{array or ''}[{','.join(places)}]" if places else array


class ErrorBound(NamedTuple):
    """A parsed greatest error, and its unit; empty for that of the numbers as they are stored."""

    number: float
    unit: str = ""


def parse_error(text: str) -> ErrorBound:
    """Parse a greatest error such as ``2``, or in the unit of the image's values ``0.05K``."""
    match = _ERROR.fullmatch(text.strip())
    if match is None:
        raise ValueRefused(f"{text!r} is not an error such as 2, nor one with a unit such as 0.05K.")
    return ErrorBound(float(match[1]), match[2])


def parse_nodata(text: str) -> NoDataValue:
    """Parse a no-data value: a number, ``nan``, or ``none``."""
    if text.strip().lower() == "none":
        return NoDataValue(None)
    try:
        return NoDataValue(float(text))
    except ValueError as error:
        raise ValueRefused(f"{text!r} is not a number such as -9999, nor nan or none.") from error


def format_names() -> list[str]:
    """Return the names of the formats that images are written in, as their endings."""
    return [suffix.removeprefix(".") for suffix in (*WRITABLE, ".gif")]


def preset_names() -> list[str]:
    """Return the names of the presets that are built in and of those that this user has saved."""
    from pcaimage.api.presets import known_presets  # noqa: PLC0415 - only a shell that completes asks

    return [preset.name for preset in known_presets()]

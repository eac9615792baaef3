"""Values from JSON as the types of records: what a file holds is of the type that is declared, or refused."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import is_dataclass
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_hints = cache(get_type_hints)


def types_of(record: Any) -> dict[str, Any]:
    """Return the types of a record's fields by their names."""
    return _hints(record)


def as_type(kind: Any, value: Any) -> Any:
    """Return a value from JSON as one of a type, perhaps a record.

    TypeError, ValueError or KeyError if it is none. An object has the names of a record's fields, at least of
    those without a default. Numbers without a fraction are real numbers, too; lists are tuples or sets.
    """
    origin, inner = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(value, dict):
        types = types_of(kind)
        return kind(**{name: as_type(types[name], each) for name, each in value.items()})
    if origin in (Union, UnionType):
        for each in inner:
            with suppress(KeyError, TypeError, ValueError):
                return as_type(each, value)
    elif origin in (tuple, frozenset) and isinstance(value, list | tuple):
        of_each = inner if origin is tuple and inner[-1] is not ... else inner[:1] * len(value)
        return origin(as_type(each, part) for each, part in zip(of_each, value, strict=True))
    elif origin is Literal:
        if value in inner:
            return value
    elif isinstance(kind, type) and isinstance(value, bool) == (kind is bool):
        if isinstance(value, kind):
            return value
        if issubclass(kind, StrEnum) or (kind is float and isinstance(value, int)):
            return kind(value)
    raise TypeError(f"{value!r} is not of the type {kind}.")

"""Values from JSON as the types of records: what a file holds is of the type that is declared, or refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

Readers = Mapping[Any, Callable[[Any], Any]]
"""What reads some types, or checks a text, number or truth that is read."""

_NO_READERS: Readers = MappingProxyType({})
_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", NoneType: "null"}


@cache
def types_of(record: Any) -> dict[str, Any]:
    """Return the types of a record's fields by their names."""
    hints = get_type_hints(record)
    return {each.name: hints[each.name] for each in fields(record) if each.init}


def is_needed(each: Field[Any]) -> bool:
    """Return whether a field has no default."""
    return each.default is MISSING and each.default_factory is MISSING


def as_type(kind: Any, value: Any, readers: Readers = _NO_READERS) -> Any:
    """Return a value from JSON as one of a type, perhaps a record.

    ValueError if it is none, with a sentence whose subject is missing. An object has the names of a record's
    fields, at least of those without a default. Numbers without a fraction are real numbers, too; lists are
    tuples or sets.
    """
    origin, inner = get_origin(kind), get_args(kind)
    origin = get_origin(getattr(origin, "__value__", None)) or origin  # newer NumPys' arrays are an alias
    if origin in readers:
        return readers[origin](value)
    if is_dataclass(kind):
        return _record(kind, value, readers)
    if origin in (Union, UnionType):
        for each in inner:
            with suppress(ValueError):
                return as_type(each, value, readers)
        kind = next(each for each in reversed(inner) if each is not NoneType)
        return as_type(kind, value, readers)  # and so says what it must be
    if origin in (tuple, frozenset):
        return origin(_list(inner, value, readers, of_any_length=origin is frozenset or inner[-1] is ...))
    found = _plain(kind, value)
    return readers[kind](found) if kind in readers else found


def _list(kinds: tuple[Any, ...], value: Any, readers: Readers, *, of_any_length: bool) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise ValueError("must be a list")  # noqa: TRY004 - of a file, not of a caller
    of_each = kinds[:1] * len(value) if of_any_length else kinds
    if len(of_each) != len(value):
        raise ValueError(f"must be a list of {len(of_each)}")
    return [as_type(each, part, readers) for each, part in zip(of_each, value, strict=True)]


def _plain(kind: Any, value: Any) -> Any:
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise ValueError(f"must be one of {', '.join(map(str, get_args(kind)))}")
        return value
    # For Python, truth is a number, and a whole number no other.
    if isinstance(value, bool) == (kind is bool):
        if isinstance(value, kind):
            return value
        if issubclass(kind, StrEnum) or (kind is float and isinstance(value, int)):
            try:
                return kind(value)
            except OverflowError as error:
                raise ValueError("is too large") from error
    raise ValueError(f"must be {_WORDS.get(kind, 'a text')}")


def _record(kind: Any, value: Any, readers: Readers) -> Any:
    if not isinstance(value, dict):
        raise ValueError("must have names and values")  # noqa: TRY004 - of a file, not of a caller
    types, entries = types_of(kind), dict[str, Any]()
    if unknown := set(value) - set(types):
        raise ValueError(f"knows no “{min(unknown)}”, but {', '.join(types)}")
    for key, each in value.items():
        try:
            entries[key] = as_type(types[key], each, readers)
        except ValueError as error:
            raise ValueError(f"“{key}” {error}") from error
    if lacking := [each.name for each in fields(kind) if is_needed(each) and each.name not in entries]:
        raise ValueError(f"needs “{lacking[0]}”")
    return kind(**entries)

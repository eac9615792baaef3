"""Frozen dataclasses as objects of JSON, read and written by their annotations."""

from __future__ import annotations

import json
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from pcaimage.insight.numeric.reading import LARGEST

MOST_LETTERS = 4000  # most letters of a text
_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
T = TypeVar("T")


def read(kind: type[T], text: bytes) -> T:
    """Return a dataclass from JSON; ValueError or RecursionError if it is none, with a sentence."""
    found: T = _value(kind, json.loads(text.decode("utf-8-sig"), parse_constant=_no_number))
    return found


def written(value: object) -> bytes:
    """Return a dataclass as JSON, without what is as usual."""
    return json.dumps(_plain(value), ensure_ascii=False, indent=1).encode()


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


@cache
def _kinds(kind: type) -> dict[str, Any]:
    return {name: hint for name, hint in get_type_hints(kind).items() if name in kind.__annotations__}


def _value(kind: Any, found: object) -> Any:
    """Return a value of a kind: a dataclass, a list, an array of rows, or one of text, number and truth."""
    origin, parts = get_origin(kind), get_args(kind)
    origin = get_origin(getattr(origin, "__value__", None)) or origin  # newer NumPys' arrays are an alias
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, found)
    if origin in {Union, UnionType}:
        text = isinstance(found, str) and str in parts
        return _value(str if text else next(each for each in parts if each is not NoneType), found)
    if origin in {tuple, frozenset, np.ndarray}:
        if not isinstance(found, list):
            raise ValueError("must be a list")
        if origin is not np.ndarray:
            return origin(_value(parts[0], each) for each in found)
        rows = [_value(tuple[float, ...], row) for row in found]
        if len(set(map(len, rows))) != 1:
            raise ValueError("must have rows of one length")
        return np.array(rows)
    if issubclass(kind, StrEnum) and isinstance(found, str):
        return kind(found)
    # For Python, truth is a number, and a whole number no other.
    sound = type(found) is kind or (kind is float and type(found) is int)
    if not sound or (isinstance(found, str) and len(found) > MOST_LETTERS):
        raise ValueError(f"must be {_WORDS.get(kind, 'a text')}")
    if isinstance(found, int | float) and not abs(found) < LARGEST:
        raise ValueError("is too large")
    return kind(found)


def _dataclass(kind: type, found: object) -> Any:
    if not isinstance(found, dict):
        raise ValueError("must have names and values")  # noqa: TRY004 - of a file, not of a caller
    kinds, entries = _kinds(kind), dict[str, Any]()
    if unknown := set(found) - set(kinds):
        raise ValueError(f"knows no “{min(unknown)}”, but {', '.join(kinds)}")
    for key, value in found.items():
        try:
            entries[key] = _value(kinds[key], value)
        except ValueError as error:
            raise ValueError(f"“{key}” {error}") from error
    lacking = [each.name for each in fields(kind) if _is_needed(each) and each.name not in entries]
    if lacking:
        raise ValueError(f"needs “{lacking[0]}”")
    return kind(**entries)


def _is_needed(each: Field[Any]) -> bool:
    return each.default is MISSING and each.default_factory is MISSING


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        pairs = [(each, getattr(value, each.name)) for each in fields(value)]
        return {each.name: _plain(kept) for each, kept in pairs if not _is_usual(each, kept)}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, frozenset):
        return sorted(value)
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _is_usual(each: Field[Any], kept: Any) -> bool:
    return not isinstance(kept, np.ndarray) and not _is_needed(each) and kept == each.default

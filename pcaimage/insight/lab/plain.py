"""Frozen dataclasses as objects of JSON, by their annotations; and files of chapters."""

from __future__ import annotations

import json
from dataclasses import Field, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np

from pcaimage.insight.numeric.reading import LARGEST
from pcaimage.machine.folders import asset
from pcaimage.typed import as_type, is_needed

MOST_LETTERS = 4000  # most letters of a text
T = TypeVar("T")


def read(kind: type[T], text: bytes) -> T:
    """Return a dataclass from JSON; ValueError or RecursionError if it is none, with a sentence."""
    found: T = as_type(kind, json.loads(text.decode("utf-8-sig"), parse_constant=_no_number), _READERS)
    return found


def written(value: object) -> bytes:
    """Return a dataclass as JSON, without what is as usual."""
    return json.dumps(_plain(value), ensure_ascii=False, indent=1).encode()


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _rows(value: Any) -> Any:
    rows = as_type(tuple[tuple[float, ...], ...], value, _READERS)
    if len(set(map(len, rows))) != 1:
        raise ValueError("must have rows of one length")
    return np.array(rows)


def _limited(value: Any) -> Any:
    if isinstance(value, str) and len(value) > MOST_LETTERS:
        raise ValueError(f"must be a text of at most {MOST_LETTERS} letters")
    if isinstance(value, int | float) and not abs(value) < LARGEST:
        raise ValueError("is too large")
    return value


_READERS = {np.ndarray: _rows, str: _limited, int: _limited, float: _limited}


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
    return not isinstance(kept, np.ndarray) and not is_needed(each) and kept == each.default


@cache
def chapters(name: str) -> dict[str, str]:
    """Return the chapters of a file of the lab, by the lines with a # above them."""
    text = asset("resources", "lab", name).read_text("utf-8")
    parts = text.removeprefix("# ").split("\n# ")
    return {key: body.strip() for key, _, body in (part.partition("\n") for part in parts)}

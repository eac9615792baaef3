"""Lazy imports of a package's names, so that a command loads only what it needs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def importing(
    package: str, names: Mapping[str, str], *others: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` for a package, given the names of its modules.

    `others` are names that it has imported itself. Type checkers know all names of the modules by imports of
    ``*``, and a test holds that nobody imports one from the package that it does not publish.
    """
    where = {name: module for module, defined in names.items() for name in defined.split()}

    def find(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(f"{package}.{where[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    def names_of_package() -> list[str]:
        return sorted({*vars(sys.modules[package]), *where})

    return find, names_of_package, sorted({*where, *others})

"""Lazy imports of a package's names, so that a command loads only what it needs."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def importing(
    package: str, names: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package.

    Parameters
    ----------
    package : str
        Its name.
    names : mapping of str to tuple of str
        The names that each of its modules defines, by the module's name within the package.
    """
    where = {name: module for module, defined in names.items() for name in defined}

    def find(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(f"{package}.{where[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    def names_of_package() -> list[str]:
        return sorted({*vars(sys.modules[package]), *where})

    return find, names_of_package

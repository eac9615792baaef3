"""Python modules as text and syntax trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""Root of the checkout."""


@dataclass(frozen=True)
class Module:
    """A Python file.

    Parameters
    ----------
    path : pathlib.Path
        Relative to the checkout.
    text : str
        Its contents.
    """

    path: Path
    text: str

    @classmethod
    def read(cls, path: Path) -> Module:
        """Read a file of the checkout."""
        return cls(path, (ROOT / path).read_text(encoding="utf-8"))

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree."""
        return ast.parse(self.text)

    @property
    def name(self) -> str:
        """Its name in imports, such as ``pcaimage.codec.step``; for a package, that of its folder."""
        parts = self.path.with_suffix("").parts
        return ".".join(parts[:-1] if self.is_package else parts)

    @property
    def is_package(self) -> bool:
        """Whether it is an ``__init__.py``."""
        return self.path.name == "__init__.py"

    @property
    def package(self) -> str:
        """The package from which its relative imports start."""
        return self.name if self.is_package else self.name.rpartition(".")[0]

    @property
    def lines(self) -> int:
        """Number of lines of any kind."""
        return len(self.text.splitlines())

    def count(self, pattern: str) -> int:
        """Return the number of matches of a regular expression."""
        return len(re.findall(pattern, self.text))


def modules(folder: str) -> list[Module]:
    """Return all Python files below a folder of the checkout."""
    return [Module.read(path.relative_to(ROOT)) for path in sorted((ROOT / folder).rglob("*.py"))]


def imports(module: Module) -> Iterator[tuple[ast.stmt, str, str | None]]:
    """Yield every import of a module, including those within functions and for type checkers.

    Yields
    ------
    (ast.stmt, str, str or None)
        The statement, the imported module, and the name imported from it, if any.
    """
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                base = module.package.split(".")[: len(module.package.split(".")) - node.level + 1]
                source = ".".join([*base, *filter(None, [source])])
            yield from ((node, source, alias.name) for alias in node.names)

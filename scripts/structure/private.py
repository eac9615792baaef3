"""Private reach-ins: names with a leading underscore that are used outside of their class or module."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator

from structure.source import Module, imports

_OWN = {"self", "cls", "mcs"}
_PUBLIC = {"_asdict", "_fields", "_make", "_replace", "_repr_html_", "_repr_png_"}
"""Names that :func:`collections.namedtuple` and IPython publish despite their underscore."""
_BY_NAME = {"getattr", "setattr", "delattr", "hasattr"}
"""Functions and methods (of pytest's ``monkeypatch``) that take the name of an attribute."""


def is_private(name: str) -> bool:
    """Return whether a name starts with one underscore and is not a convention of the language."""
    return name.startswith("_") and not name.startswith("__") and name != "_" and name not in _PUBLIC


def private_names(modules: Iterable[Module]) -> set[str]:
    """Return the private attributes of all classes of some modules, and their private globals."""
    trees = [module.tree for module in modules]
    return {
        name
        for tree in trees
        for name in _own_attributes(tree).union(*(_defined(part) for part in tree.body))
        if is_private(name)
    }


def reach_ins(module: Module, names: Container[str]) -> list[str]:
    """Return the private reach-ins of a module, each as ``path:line: what``.

    Those are attributes ``x._y`` where x is neither ``self`` nor ``cls`` and no class of this module has such
    an attribute, the same by ``getattr(x, "_y")`` and the like, and imports of private names of
    ``pcaimage``. A private module is private to the package in which it is.

    Parameters
    ----------
    module : Module
        The module to search.
    names : container of str
        The private attributes that count; those of other libraries are left to ruff (SLF001).
    """
    own = _own_attributes(module.tree)
    used = [(node.lineno, node.attr, ast.unparse(node)) for node in _attributes(module.tree)]
    used += _by_name(module.tree)
    found = [(line, text) for line, name, text in used if name in names and name not in own]
    found += _imports(module)
    return [f"{module.path}:{line}: {text}" for line, text in sorted(found)]


def _attributes(tree: ast.Module) -> Iterator[ast.Attribute]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            of = node.value
            is_own = isinstance(of, ast.Name) and of.id in _OWN
            is_base = isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id == "super"
            if not is_own and not is_base:
                yield node


def _by_name(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Yield line, attribute and text of each use of an attribute by its name in a string."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        called = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        if called not in _BY_NAME:
            continue
        if node.args and isinstance(node.args[0], ast.Name) and node.args[0].id in _OWN:
            continue
        for argument in node.args[:2]:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                path, _, name = argument.value.rpartition(".")
                if is_private(name) and (not path or path.startswith("pcaimage")):
                    yield node.lineno, name, ast.unparse(node)


def _imports(module: Module) -> Iterator[tuple[int, str]]:
    for node, source, name in imports(module):
        parts = source.split(".")
        home = ".".join(parts[:-1])
        if parts[0] != "pcaimage":
            continue
        foreign = is_private(parts[-1]) and not f"{module.name}.".startswith(f"{home}.")
        if foreign or (name is not None and is_private(name)):
            yield node.lineno, f"from {source} import {name}" if name else f"import {source}"


def _own_attributes(tree: ast.Module) -> set[str]:
    """Return the private attributes of the classes of a module."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                names |= _defined(part)
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id in _OWN
        ):
            names.add(node.attr)
    return names


def _defined(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return {statement.name}
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return {statement.target.id}
    if isinstance(statement, ast.Assign):
        return {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return set()

"""Import circles between modules.

Every import counts, including those within functions and below ``if TYPE_CHECKING``. A package's ``__init__``
re-exports names of its modules: importing such a name from outside counts as importing the module that
defines it. That an import also runs the ``__init__`` of enclosing packages does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from structure.source import Module, imports


def edges(modules: Iterable[Module]) -> dict[str, set[str]]:
    """Return, by name, which of the given modules each of them imports."""
    known = {module.name: module for module in modules}
    exported = {
        module.name: {
            name: source for _, source, name in imports(module) if name is not None and source in known
        }
        for module in known.values()
        if module.is_package
    }
    found: dict[str, set[str]] = {name: set() for name in known}
    for module in known.values():
        for _, source, name in imports(module):
            target = _defining(source, name, exported, known, within=module.name)
            if target in known and not (target == module.name and module.is_package):
                found[module.name].add(target)
    return found


def _defining(
    source: str,
    name: str | None,
    exported: Mapping[str, Mapping[str, str]],
    known: Mapping[str, Module],
    within: str,
) -> str:
    """Return the module in which an imported name is defined."""
    if name is None:
        return source
    if f"{source}.{name}" in known:
        return f"{source}.{name}"
    inside = within == source or within.startswith(f"{source}.")
    if name in exported.get(source, {}) and not inside:
        return _defining(exported[source][name], name, exported, known, within)
    return source


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one module, and modules that import themselves.

    Tarjan's algorithm: R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1 (1972).
    """
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = lowest[name] = len(index)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in index:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], index[other])
        if lowest[name] == index[name]:
            place = stack.index(name)
            component = sorted(stack[place:])
            del stack[place:]
            if len(component) > 1 or name in graph[name]:
                found.append(component)

    for name in sorted(graph):
        if name not in index:
            visit(name)
    return found

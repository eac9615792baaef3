"""Measures the structure of the code, and checks it against the limits below.

``measure_structure.py`` prints tables, and exits with 1 if a limit is exceeded; ``--details`` also lists the
items counted, ``--lower`` lowers the limits of rooms to what is there. An off-screen window is opened to
trace a moved k; everything else is read from the source.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from structure.circles import circles, edges
from structure.private import private_names, reach_ins
from structure.rooms import lower_limits, read_limits, rooms
from structure.rooms import table as table_of_rooms
from structure.source import ROOT, Module, modules

PACKAGE, WINDOW, TRAINING, TESTS, CORE = "pcaimage", "pcaimage/gui", "training", "tests", "pcaimage/core"
DISPATCH = Path("pcaimage/codec/methods.py")
"""The one module that knows all kinds of images, and dispatches to their implementations."""
KIND_QUESTIONS = r"\bis_(?:photo|bands)\b"
"""Matches where code asks for the kind of an image instead of calling its implementation."""
SECONDS = 300
"""Timeout for the window, in seconds."""


@dataclass(frozen=True)
class Figure:
    """A measured figure of the code.

    Parameters
    ----------
    name : str
        The quantity.
    value, limit : int
        The count, and its upper limit.
    details : tuple of str, optional
        The items counted, if they can be listed.
    """

    name: str
    value: int
    limit: int
    details: tuple[str, ...] = ()

    @property
    def is_met(self) -> bool:
        """Whether the limit is met."""
        return self.value <= self.limit


def sizes() -> list[Figure]:
    """Return the lines and modules of the package and its window, and the lines of core and tests."""
    window, package = modules(WINDOW), modules(PACKAGE)
    core = [path for path in (ROOT / CORE).iterdir() if path.suffix in {".c", ".h"}]
    return [
        # A limit is what was there when something was last taken out, and may only fall: what needs lines
        # takes them from elsewhere.
        Figure("lines of the window", sum(module.lines for module in window), 32_399),
        Figure("modules of the window", len(window), 176),
        Figure("lines of the package", sum(module.lines for module in package), 77_921),
        Figure("modules of the package", len(package), 446),
        Figure("lines of C", sum(len(path.read_text().splitlines()) for path in core), 14_026),
        Figure("lines of tests", sum(module.lines for module in modules(TESTS)), 45_963),
    ]


def private_reach_ins() -> list[Figure]:
    """Return the uses of private names from outside, in tests and between modules of the package."""
    package = [*modules(PACKAGE), *modules(TRAINING)]
    names = private_names(package)
    return [
        _listed(name, (each for module in where for each in reach_ins(module, names)))
        for name, where in (
            ("private reach-ins from tests", modules(TESTS)),
            ("private reach-ins in the package", package),
        )
    ]


def import_circles() -> Figure:
    """Return the number of import circles; modules of one circle are counted once."""
    return _listed("import circles", (" ⇄ ".join(each) for each in circles(edges(modules(PACKAGE)))))


def dispatch_casts() -> Figure:
    """Return the number of calls of ``cast`` in the dispatch to the kinds of images."""
    calls = (node for node in ast.walk(Module.read(DISPATCH).tree) if isinstance(node, ast.Call))
    casts = [call for call in calls if ast.unparse(call.func).rpartition(".")[2] == "cast"]
    return _listed("casts in the codec's dispatch", (f"{DISPATCH}:{call.lineno}" for call in casts))


def kind_questions() -> Figure:
    """Return how often the package asks for the kind of an image."""
    counts = {module: module.count(KIND_QUESTIONS) for module in modules(PACKAGE)}
    details = tuple(f"{module.path}: {count}" for module, count in counts.items() if count)
    return Figure("questions which kind an image is", sum(counts.values()), 0, details)


def moved_k() -> list[Figure]:
    """Return the number of modules that a moved k passes, and of state changes when it is committed.

    :mod:`structure.walk` defines what counts as passed.
    """
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    command: list[str | Path] = [sys.executable, ROOT / "scripts" / "structure" / "walk.py"]
    answer = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if answer.returncode:
        sys.exit(f"The moved k could not be followed:\n{answer.stderr}")
    walk = json.loads(answer.stdout.splitlines()[-1])
    legs = ("asked", "drawn", "delivered", "painted")
    passed = {module for leg in legs for module in walk[leg]}
    details = [f"{leg}: {' → '.join(walk[leg])}" for leg in legs]
    return [
        Figure("modules of the window that a moved k passes", len(passed), 12, tuple(details)),
        Figure("modules that run from the move to the paint", len(walk["ran"]), 24, tuple(walk["ran"])),
        Figure("times that moving k tells the state", walk["emitted_by_move"], 1),
        Figure("times that committing k tells the state", walk["emitted_by_commit"], 1),
    ]


def _listed(name: str, found: Iterable[str]) -> Figure:
    details = tuple(found)
    return Figure(name, len(details), 0, details)


def table(figures: list[Figure], *, details: bool) -> str:
    """Format figures as lines of text, optionally with the items counted below each."""
    width = max(len(figure.name) for figure in figures)
    lines = [f"{'':{width}}  {'is':>7}  {'at most':>7}"]
    for figure in figures:
        missed = "" if figure.is_met else "  missed"
        lines.append(f"{figure.name:{width}}  {figure.value:>7,}  {figure.limit:>7,}{missed}")
        if details:
            lines += [f"    {each}" for each in figure.details]
    return "\n".join(lines)


def main() -> None:
    """Print the tables, and exit with 1 if a limit is exceeded."""
    house = rooms(modules(PACKAGE), read_limits())
    if "--lower" in sys.argv[1:]:
        lower_limits(house)
    figures = [
        *sizes(),
        *moved_k(),
        *private_reach_ins(),
        import_circles(),
        dispatch_casts(),
        kind_questions(),
    ]
    print(table_of_rooms(house), table(figures, details="--details" in sys.argv[1:]), sep="\n\n")
    sys.exit(not (all(each.is_met for each in figures) and all(room.is_met for room in house)))


if __name__ == "__main__":
    main()

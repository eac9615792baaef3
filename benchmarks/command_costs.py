"""Costs of whole commands, each run in a process of its own, alternately."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import HANGS

_LAUNCHER = Path(__file__).with_name("launcher.py")
_ROOT = Path(__file__).parents[1]
_IMPORTS = "import pcaimage.cli.encode, pcaimage.cli.decode, pcaimage.codec.photo.method"
_OURS = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
"""Environment variables of developers, which users do not set."""


@dataclass(frozen=True)
class Spent:
    """Cost of a process.

    Parameters
    ----------
    wall : float
        Elapsed seconds.
    cpu : float
        Processor seconds of all cores together.
    memory : float
        Peak bytes, including libraries.
    """

    wall: float = math.inf
    cpu: float = math.inf
    memory: float = math.inf

    def or_less(self, other: Spent) -> Spent:
        """Return the element-wise minimum."""
        return Spent(min(self.wall, other.wall), min(self.cpu, other.cpu), min(self.memory, other.memory))


@dataclass(frozen=True)
class Command:
    """A command to be measured.

    Parameters
    ----------
    arguments : tuple of str
        Arguments of the interpreter.
    inner : bool, default False
        Whether it times part of its work itself, and prints elapsed and processor seconds.
    """

    arguments: tuple[str, ...]
    inner: bool = False


CACHES = "HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"
"""Variables that name the user's folders."""


def environment(folder: Path | None = None) -> dict[str, str]:
    """Return a user's environment with caches in `folder`; an empty one is that of a new user."""
    users = {name: value for name, value in os.environ.items() if name not in _OURS}
    if folder is None:
        return users
    caches = {name: str(folder) for name in CACHES}
    return users | caches | {"PYTHONPYCACHEPREFIX": str(folder / "bytecode")}


def spent(command: Command, variables: Mapping[str, str]) -> tuple[Spent, str]:
    """Run a command; return its cost and its output.

    Raises
    ------
    subprocess.SubprocessError
        If it fails or hangs.
    """
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(_LAUNCHER), sys.executable, *command.arguments],
        cwd=_ROOT,
        env=dict(variables),
        stdout=subprocess.PIPE,
        text=True,
        timeout=HANGS,
        check=True,
    )
    *printed, costs = done.stdout.splitlines()
    wall, cpu, memory = map(float, costs.split())
    if command.inner:
        wall, cpu = map(float, printed[-1].split())
    return Spent(wall, cpu, memory), "\n".join(printed)


def in_turns(commands: Mapping[str, Command], runs: int) -> dict[str, tuple[Spent, str]]:
    """Run commands alternately, so that a slow period of the machine affects all of them.

    The result has each command's least cost, and its last output.
    """
    found: dict[str, tuple[Spent, str]] = {}
    variables = environment()
    for _ in range(runs):
        for name, command in commands.items():
            least, printed = spent(command, variables)
            found[name] = (least.or_less(found[name][0]) if name in found else least), printed
    return found


def started_twice(commands: Sequence[Command], folder: Path, runs: int) -> tuple[Spent, list[Spent]]:
    """Run commands one after the other as a new user does, and then again `runs` times.

    Parameters
    ----------
    commands : sequence of Command
        They may depend on each other's results.
    folder : Path
        An empty folder for caches; bytecode is put there first: installing compiles all modules.

    Returns
    -------
    (Spent, list of Spent)
        Cost of the first command's first start, and the least cost of each command afterwards.
    """
    variables = environment(folder)
    installed = variables | {name: str(folder / "other") for name in CACHES}
    for command in commands:
        spent(command, installed)
    first = [spent(command, variables)[0] for command in commands]
    least = [Spent()] * len(commands)
    for _ in range(runs):
        for number, command in enumerate(commands):
            least[number] = least[number].or_less(spent(command, variables)[0])
    return first[0], least

"""Costs of whole commands, each run in a process of its own, in turns."""

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
"""Variables of whoever develops the program; its users do not set them."""


@dataclass(frozen=True)
class Spent:
    """What a process took.

    Parameters
    ----------
    wall : float
        Seconds on the clock.
    cpu : float
        Seconds of all cores together.
    memory : float
        The most bytes that it had, libraries included.
    """

    wall: float = math.inf
    cpu: float = math.inf
    memory: float = math.inf

    def or_less(self, other: Spent) -> Spent:
        """Return the smaller of each."""
        return Spent(min(self.wall, other.wall), min(self.cpu, other.cpu), min(self.memory, other.memory))


@dataclass(frozen=True)
class Command:
    """A command to be measured.

    Parameters
    ----------
    arguments : tuple of str
        Of the interpreter.
    inner : bool, default False
        Whether it times a part of its work itself, and prints two numbers: seconds on the clock and of all
        cores.
    """

    arguments: tuple[str, ...]
    inner: bool = False


CACHES = "HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"
"""Variables that name the user's folders."""


def environment(folder: Path | None = None) -> dict[str, str]:
    """Return the variables of a user, whose caches may be in a folder; an empty one is that of a new user."""
    users = {name: value for name, value in os.environ.items() if name not in _OURS}
    if folder is None:
        return users
    caches = {name: str(folder) for name in CACHES}
    return users | caches | {"PYTHONPYCACHEPREFIX": str(folder / "bytecode")}


def spent(command: Command, variables: Mapping[str, str]) -> tuple[Spent, str]:
    """Run a command.

    Parameters
    ----------
    command : Command
        The command.
    variables : mapping of str to str
        Its environment.

    Returns
    -------
    (Spent, str)
        What it took, and what it printed.

    Raises
    ------
    subprocess.SubprocessError
        If it fails or hangs.
    """
    done = subprocess.run(  # noqa: S603 - commands of ours
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
    """Run several commands in turns, so that a slow minute of the machine affects all of them.

    Parameters
    ----------
    commands : mapping of str to Command
        By name.
    runs : int
        How many turns.

    Returns
    -------
    dict of str to (Spent, str)
        The least that each took, and what it printed last.
    """
    found: dict[str, tuple[Spent, str]] = {}
    variables = environment()
    for _ in range(runs):
        for name, command in commands.items():
            least, printed = spent(command, variables)
            found[name] = (least.or_less(found[name][0]) if name in found else least), printed
    return found


def started_twice(commands: Sequence[Command], folder: Path, runs: int) -> tuple[Spent, list[Spent]]:
    """Run commands one after the other as a new user does, and then again.

    Parameters
    ----------
    commands : sequence of Command
        They may need each other's results.
    folder : Path
        An empty folder for caches; bytecode is put there first, as by installing, which compiles all of it.
    runs : int
        How often again.

    Returns
    -------
    (Spent, list of Spent)
        The first command's first start, and the least of each afterwards.
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

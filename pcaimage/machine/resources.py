"""What this process may use of the machine: cores and memory, as an administrator or a container allots them.

References: Linux, "Control Group v2" (``cpu.max``, ``memory.max``) and "CFS Bandwidth Control" for version 1.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

_ROOT = Path("/")


def available_cores(root: Path = _ROOT) -> int:
    """Return the number of cores that this process may use: those that it may run on, within its quota."""
    affinity = getattr(os, "sched_getaffinity", None)  # not everywhere
    count = len(affinity(0)) if affinity else os.cpu_count() or 1
    return min(count, _quota(root) or count)


def available_memory(root: Path = _ROOT) -> int | None:
    """Return the bytes of memory that are free for this process; None where the system does not say."""
    free = [limit - used for limit, used in _limits_of_memory(root)]
    with suppress(OSError, ValueError, IndexError):
        for line in (root / "proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                free += [1024 * int(line.split()[1])]
    return max(min(free), 0) if free else None


@cache
def _quota(root: Path) -> int | None:
    """Return how many cores' time control groups grant, rounded up; None for no limit."""
    found = list[int]()
    for folder in _groups(root, "cpu"):
        with suppress(OSError, ValueError):
            if (folder / "cpu.max").exists():
                quota, period = (folder / "cpu.max").read_text("ascii").split()
            else:
                quota, period = (
                    (folder / f"cpu.cfs_{name}_us").read_text("ascii") for name in ("quota", "period")
                )
            if int(quota) > 0:
                found.append(max(1, -(-int(quota) // int(period))))
    return min(found, default=None)


def _limits_of_memory(root: Path) -> Iterator[tuple[int, int]]:
    """Yield the limits of memory of control groups, and what is used of each."""
    for folder in _groups(root, "memory"):
        for limit, used in (("max", "current"), ("limit_in_bytes", "usage_in_bytes")):
            with suppress(OSError, ValueError):  # no such file, or the word max
                yield tuple(int((folder / f"memory.{name}").read_text("ascii")) for name in (limit, used))  # type: ignore[misc]


def _groups(root: Path, controller: str) -> Iterator[Path]:
    """Yield the folders of the control groups that this process is in, from its own to the outermost."""
    try:
        lines = (root / "proc/self/cgroup").read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        mount = root / "sys/fs/cgroup" / (controller if controllers else "")
        own = mount / path.strip("/")
        # In a container the path may be that of the machine outside, and the mount the group itself.
        yield from (folder for folder in (own, *own.parents) if folder == mount or mount in folder.parents)

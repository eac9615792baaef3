"""Compiles the core with the machine's C compiler, or with Zig's from PyPI where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "pcaimage" / "core"
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fvisibility=hidden", "-fPIC", "-shared")
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Werror=implicit")
FILE = {"win32": "core.dll", "darwin": "core.dylib"}.get(sys.platform, "core.so")


def compiler() -> list[str] | None:
    """Return the command of the machine's C compiler, or None if there is none."""
    names = [os.environ.get("CC", ""), "cc", "gcc", "clang"]
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    return [found] if found else None


def compile_core(target: Path, command: list[str] | None = None, flags: tuple[str, ...] = ()) -> None:
    """Compile all files of the core to one library."""
    command = command or compiler() or [sys.executable, "-m", "ziglang", "cc"]
    partial = target.with_name(f"{target.name}.{os.getpid()}")
    sources = sorted(map(str, SOURCES.glob("*.c")))
    subprocess.run([*command, *FLAGS, *flags, *sources, "-o", str(partial)], check=True)
    # A program that runs meanwhile keeps the library it has loaded.
    partial.replace(target)


if __name__ == "__main__":
    compile_core(SOURCES / FILE)

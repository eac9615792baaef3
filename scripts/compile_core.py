"""Compiles the core with the machine's C compiler, or with Zig's from PyPI if there is none.

``compile_core.py`` compiles the core into the package unless the library there is up to date;
``compile_core.py --fetch`` first installs Zig's compiler beside this Python if no other works;
``compile_core.py --advise`` says what to install if none does.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "pcaimage" / "core"
BUILD = ROOT / "build"

OBJECTS = BUILD / "core"
"""Object files, kept so that only changed sources are compiled again."""

ZIG = "ziglang>=0.15"
"""A C compiler that pip installs on all systems with wheels on PyPI."""

OPTIMIZED = ("-O3",)
# With these gcc makes code as quick as with -O3, in half of the time.
_BY_GCC = (
    *("-O2", "-fpeel-loops", "-fvect-cost-model=dynamic", "-fipa-cp-clone"),
    *("-fno-schedule-insns2", "-fno-tree-pre", "-fno-tree-vrp"),
)
_WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Werror=implicit")
# Nothing reads the floating-point exception flags, which would prevent vectorising conditions.
FLAGS = ("-std=c11", "-ffp-contract=off", "-fno-trapping-math", "-fvisibility=hidden", *_WARNINGS)

_SELF_CHECK = """
import ctypes, sys
sources = ctypes.CDLL(sys.argv[1]).pcai_sources
sources.restype = ctypes.c_char_p
print(sources().decode())
"""

_TRIAL = """
#include <math.h>
#include <stdint.h>
#include <string.h>
double trial(double *to, double x);
double trial(double *to, double x) { memset(to, 0, sizeof x); return *to + sqrt(x); }
"""

_INSTALLS = {
    "apt-get": "sudo apt-get install gcc libc6-dev",
    "dnf": "sudo dnf install gcc",
    "apk": "sudo apk add gcc musl-dev",
    "pacman": "sudo pacman -S gcc",
    "zypper": "sudo zypper install gcc",
    "xcode-select": "xcode-select --install",
}
"""Command that installs a C compiler, by the package manager that identifies the system."""


class CompileError(Exception):
    """The core cannot be compiled; the message says why, and what to do."""


class Platform(NamedTuple):
    """The platform that a library is compiled for.

    Parameters
    ----------
    file : str
        The library's file name in the package.
    tag : str
        The platform tag of wheels.
    flags : tuple of str
        Flags of the compiler.
    links : tuple of str
        Further flags of the linker.
    """

    file: str
    tag: str
    flags: tuple[str, ...] = ()
    links: tuple[str, ...] = ("-lm",)

    @property
    def position(self) -> tuple[str, ...]:
        """Flags of position-independent code, which is the default on Windows."""
        return () if self.file.endswith(".dll") else ("-fPIC",)


# Without the C library, which would take Zig minutes to compile.
_ALONE, _OWN = "-DPCAI_ALONE", ("-nostdlib", "-lcompiler_rt")

PLATFORMS = {
    "linux-x86_64": Platform(
        "core.so", "manylinux_2_17_x86_64.manylinux2014_x86_64", ("-target", "x86_64-linux-gnu.2.17")
    ),
    "linux-aarch64": Platform(
        "core.so", "manylinux_2_17_aarch64.manylinux2014_aarch64", ("-target", "aarch64-linux-gnu.2.17")
    ),
    "musl-x86_64": Platform("core.so", "musllinux_1_1_x86_64", ("-target", "x86_64-linux-musl")),
    "musl-aarch64": Platform("core.so", "musllinux_1_1_aarch64", ("-target", "aarch64-linux-musl")),
    "windows-x86_64": Platform("core.dll", "win_amd64", ("-target", "x86_64-windows-gnu", _ALONE), _OWN),
    "windows-arm64": Platform("core.dll", "win_arm64", ("-target", "aarch64-windows-gnu", _ALONE), _OWN),
    "macos-x86_64": Platform("core.dylib", "macosx_11_0_x86_64", ("-target", "x86_64-macos.11.0")),
    "macos-arm64": Platform("core.dylib", "macosx_11_0_arm64", ("-target", "aarch64-macos.11.0")),
}
"""Platforms that Zig can compile for from any of them."""


def this_platform() -> Platform:
    """Return the platform of this Python."""
    if sys.platform == "darwin":
        machine = platform.machine()
        return Platform(
            "core.dylib", f"macosx_11_0_{machine}", ("-arch", machine, "-mmacosx-version-min=11.0")
        )
    file = "core.dll" if sys.platform == "win32" else "core.so"
    return Platform(file, sysconfig.get_platform().replace("-", "_").replace(".", "_"))


@lru_cache(maxsize=1)
def compiler() -> tuple[str, ...] | None:
    """Return the command of the machine's C compiler, or None if none works.

    A compiler may be installed without the headers of the C library, or be a stub that explains how to get
    one.
    """
    for words in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        command = shlex.split(words)
        if command and (path := shutil.which(command[0])) and _works((path, *command[1:])):
            return (path, *command[1:])
    return None


def _works(command: tuple[str, ...]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "trial.c")
        source.write_text(_TRIAL, encoding="utf-8")
        try:
            run(
                [*command, *this_platform().flags, *this_platform().position, "-shared", str(source), "-lm"],
                source.with_suffix(".so"),
            )
        except (CompileError, OSError):
            return False
        return True


def _is_gcc(command: tuple[str, ...]) -> bool:
    """Return whether a compiler is GCC itself, rather than one that claims to be."""
    words = [*command, "-dM", "-E", "-x", "c", os.devnull]
    known = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    return "__GNUC__" in known and "__clang__" not in known


def _for_gcc(flags: Sequence[str]) -> tuple[str, ...]:
    """Return flags with what gcc needs of the optimisation that they ask for."""
    return tuple(each for flag in flags for each in (_BY_GCC if flag in OPTIMIZED else (flag,)))


def zig() -> tuple[str, ...] | None:
    """Return the command of Zig's C compiler, or None if it is not installed beside this Python."""
    return (sys.executable, "-m", "ziglang", "cc") if importlib.util.find_spec("ziglang") else None


def advice() -> str:
    """Return a sentence on what to install if there is no compiler."""
    known = next((words for name, words in _INSTALLS.items() if shutil.which(name)), "")
    own = f"install one (`{known}`)" if known else "install gcc or clang"
    return (
        "pcaimage's core is compiled when it is installed, and no C compiler works here: "
        f'{own}, or Zig\'s with `{sys.executable} -m pip install "{ZIG}"`.'
    )


def compile_core(
    target: Path,
    wanted: Platform | None = None,
    flags: Sequence[str] = OPTIMIZED,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> None:
    """Compile all files of the core to one library.

    Parameters
    ----------
    target : Path
        The library; programs that have loaded the earlier one keep it.
    wanted : Platform, optional
        The platform; by default this machine's. Others need Zig.
    flags : sequence of str
        Compiler flags in addition to :data:`FLAGS`.
    progress : callable
        Called with the number of files that are compiled, and of all.

    Raises
    ------
    CompileError
        If there is no compiler, or it rejects a file.
    """
    try:
        words, parts = compile_objects(wanted, flags, progress)
        target.parent.mkdir(parents=True, exist_ok=True)
        links = (wanted or this_platform()).links
        run([*words, "-shared", *map(str, parts), *links], target)
    except OSError as error:
        raise CompileError(f"The core cannot be compiled: {error}.") from error


def compile_objects(
    wanted: Platform | None = None,
    flags: Sequence[str] = OPTIMIZED,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    command: tuple[str, ...] | None = None,
) -> tuple[list[str], list[Path]]:
    """Compile the files of the core; return the words that compile and link others, and the objects.

    The parameters and errors are those of :func:`compile_core`, but for the compiler's own command.
    """
    command = command or (zig() if wanted else compiler() or zig())
    if command is None:
        raise CompileError(advice())
    by_zig, by_gcc = command == zig(), _is_gcc(command)
    wanted = wanted or this_platform()
    named = digest(wanted, flags)
    if by_zig:
        # By default it adds debug information, and optimises for this machine's processor only.
        flags = (*flags, "-g0", *(() if "-target" in wanted.flags else ("-mcpu=baseline",)))
    flags = (*FLAGS, *wanted.position, *wanted.flags, *flags)

    def compiled(source: Path) -> Path:
        own = _for_gcc(flags) if by_gcc else flags
        own = (*own, f'-DPCAI_SOURCES="{named}"') if source.stem == "core" else own
        key = _digest(shlex.join((ZIG if by_zig else shlex.join(command), *own)), [*_headers(), source])
        kept = OBJECTS / f"{source.stem}-{key}.o"
        if not kept.exists():
            run([*command, *own, "-c", str(source)], kept)
        return kept

    OBJECTS.mkdir(parents=True, exist_ok=True)
    sources, parts = sorted(SOURCES.glob("*.c"), key=_weight, reverse=True), list[Path]()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for work in as_completed([pool.submit(compiled, source) for source in sources]):
            parts.append(work.result())
            progress(len(parts), len(sources))
    return [*command, *flags, *(("-s",) if by_zig else ())], sorted(parts)


def run(command: list[str], target: Path) -> None:
    """Run a compiler that writes a file, which appears only when it is complete."""
    # Zig caches its C library here too, and needs no home folder.
    environment = {"ZIG_GLOBAL_CACHE_DIR": str(OBJECTS / "zig"), **os.environ}
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".compiling-") as folder:
        partial = Path(folder, target.name)
        every = [*command, "-o", str(partial)]
        try:
            subprocess.run(every, check=True, capture_output=True, text=True, env=environment)
            partial.replace(target)
        except subprocess.CalledProcessError as error:
            raise CompileError(
                f"The core cannot be compiled: `{shlex.join(error.cmd)}` failed.\n{error.stderr.strip()}"
            ) from error


def _weight(source: Path) -> int:
    """Return about how much there is to compile: what includes a header several times has as many copies."""
    text = source.read_text(encoding="utf-8")
    return len(text) + sum(
        (SOURCES / str(name)).stat().st_size for name in re.findall(r'#include "(.+)"', text)
    )


def _headers() -> list[Path]:
    return sorted(SOURCES.glob("*.h"))


def digest(wanted: Platform, flags: Sequence[str] = OPTIMIZED) -> str:
    """Return a digest of everything that a library for a platform is compiled from."""
    return _digest(
        shlex.join((*FLAGS, *_BY_GCC, wanted.tag, *wanted.flags, *flags)),
        [*_headers(), *sorted(SOURCES.glob("*.c"))],
    )


def _digest(words: str, files: list[Path]) -> str:
    total = hashlib.sha256(words.encode())
    for file in files:
        total.update(b"\0" + file.name.encode() + b"\0" + file.read_bytes())
    return total.hexdigest()[:32]


def library() -> Path:
    """Return the path of this machine's library in the package."""
    return SOURCES / this_platform().file


def is_current(file: Path, flags: Sequence[str] = OPTIMIZED) -> bool:
    """Return whether a library is loadable, and compiled from the present sources."""
    if not file.exists():
        return False
    # In another process, as a damaged library may crash the one that loads it.
    command = [sys.executable, "-c", _SELF_CHECK, str(file)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() == digest(this_platform(), flags)


def _show(done: int, total: int) -> None:
    """Say how many files are compiled: in one line on a terminal, elsewhere when all are."""
    if sys.stdout.isatty() or done == total:
        line = f"Compiling the core: {done} of {total} files"
        print(f"\r{line}" if sys.stdout.isatty() else line, end="\n" if done == total else "", flush=True)


def main() -> None:
    """Compile the core if necessary, or stop with a sentence that says why that is not possible."""
    if "--advise" in sys.argv[1:]:
        if not (compiler() or zig()):
            sys.exit(advice())
        return
    if is_current(library()):
        return
    if "--fetch" in sys.argv[1:] and not (compiler() or zig()):
        print(f"No C compiler works here; fetching {ZIG} from PyPI", flush=True)
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", ZIG]
        if subprocess.run(command, check=False).returncode:
            sys.exit(advice())
    try:
        compile_core(library(), progress=_show)
    except CompileError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

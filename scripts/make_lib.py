"""Makes libpcai, the decoder for programs in other languages, and the command `pcai`, in ``build/lib``.

``make_lib.py`` makes them, ``make_lib.py --prefix FOLDER`` also installs them there. The tables of photos
are in the library, which needs no other file.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

import compile_core
from compile_core import BUILD, ROOT, SOURCES, CompileError

LIB = BUILD / "lib"
TABLES = ROOT / "resources" / "photo-1"
TABLE_FILES = ("shared", "grade-0", "grade-1", "grade-2")
"""The tables of all grades, and of each."""

INFLATER = ROOT / "lib" / "inflate.c"
"""What inflates for programs without zlib, and is no part of the Python package."""

INTERFACE = "1"
"""The number of the shared library: the hundreds of PCAI_INTERFACE."""

FLAGS = (*compile_core.OPTIMIZED, "-ffunction-sections", "-fdata-sections")

_PC = """libdir={libraries}
includedir={headers}

Name: pcai
Description: Decoder of PCA-compressed images
Version: {version}
Libs: -L${{libdir}} -lpcai
Cflags: -I${{includedir}}
"""


def exported() -> list[str]:
    """Return the names of the functions of the interface."""
    text = (SOURCES / "pcai.h").read_text("utf-8")
    return sorted(re.findall(r"^PCAI_API [^;]*?\b(pcai_\w+)\(", text, re.MULTILINE))


def tables_source() -> str:
    """Return C with the files of tables as strings."""
    parts = ["#include <pcai.h>"]
    for place, name in enumerate(TABLE_FILES):
        data = (TABLES / f"{name}.tables").read_bytes()
        lines = [data[start : start + 32] for start in range(0, len(data), 32)]
        text = "\n".join('"' + "".join(f"\\{byte:03o}" for byte in line) + '"' for line in lines)
        parts.append(f"static const char TABLE_{place}[] =\n{text};")
    sets = "\n".join(
        f"  plain->tables[{place}] = (const uint8_t *)TABLE_{place};\n"
        f"  plain->sizes[{place}] = sizeof TABLE_{place} - 1;"
        for place in range(len(TABLE_FILES))
    )
    sets += "\n  plain->inflate = pcai_inflate;"
    return "\n".join([*parts, f"PCAI_API void pcai_embedded(pcai_plain *plain) {{\n{sets}\n}}", ""])


def make(to: Path) -> None:
    """Compile the libraries and the command, into a folder."""
    to.mkdir(parents=True, exist_ok=True)
    words, parts = compile_core.compile_objects(flags=FLAGS)
    tables, include = to / "tables.c", f"-I{SOURCES}"
    tables.write_text(tables_source(), "ascii")
    objects = [str(part) for part in parts]
    for source in (tables, INFLATER):
        objects.append(str(to / f"{source.stem}.o"))
        compile_core.run([*words, include, "-c", str(source)], Path(objects[-1]))
    links = compile_core.this_platform().links
    compile_core.run([*words, "-shared", *_shown(to), *objects, *links], to / shared())
    _archive(to, words, objects)
    threads = () if sys.platform == "win32" else ("-pthread",)
    command = [*words, include, str(ROOT / "lib" / "pcai.c"), str(to / "libpcai.a"), *threads]
    compile_core.run([*command, *links], to / "pcai")
    shutil.copy(SOURCES / "pcai.h", to / "pcai.h")
    _describe(to, to.resolve(), to.resolve())
    if sys.platform == "linux":
        _number(to)


def make_command(platform: compile_core.Platform, folder: Path) -> Path:
    """Compile the command for another platform, alone in a folder; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    words, parts = compile_core.compile_objects(platform, FLAGS)
    tables, target = folder / "tables.c", folder / platform.file
    tables.write_text(tables_source(), "ascii")
    sources = [str(tables), str(INFLATER), str(ROOT / "lib" / "pcai.c")]
    compile_core.run([*words, f"-I{SOURCES}", *sources, *map(str, parts), *platform.links], target)
    return target


def shared() -> str:
    """Return the name of the shared library."""
    return {"win32": "pcai.dll", "darwin": "libpcai.dylib"}.get(sys.platform, "libpcai.so")


def _shown(to: Path) -> list[str]:
    """Return words by which the shared library exports the interface alone, and has only what that uses."""
    if sys.platform == "darwin":
        return ["-Wl,-dead_strip", *(f"-Wl,-exported_symbol,_{name}" for name in exported())]
    if sys.platform == "win32":
        return []
    script = to / "exported.map"
    script.write_text("{ global: " + " ".join(f"{name};" for name in exported()) + " local: *; };", "ascii")
    return ["-Wl,--gc-sections", f"-Wl,--version-script={script}", f"-Wl,-soname,libpcai.so.{INTERFACE}"]


def _archive(to: Path, words: list[str], objects: list[str]) -> None:
    """Make the static library: one object whose inner names are hidden, where there are tools for that."""
    target, joined = to / "libpcai.a", to / "libpcai.o"
    target.unlink(missing_ok=True)
    if sys.platform == "linux" and shutil.which("objcopy"):
        roots = [f"-Wl,-u,{name}" for name in exported()]
        compile_core.run([*words, "-r", "-nostdlib", "-Wl,--gc-sections", *roots, *objects], joined)
        names = to / "exported.txt"
        names.write_text("\n".join(exported()), "ascii")
        subprocess.run(["objcopy", f"--keep-global-symbols={names}", str(joined)], check=True)
        objects = [str(joined)]
    archiver = compile_core.zig()
    tool = ["ar"] if shutil.which("ar") or archiver is None else [*archiver[:-1], "ar"]
    subprocess.run([*tool, "rcs", str(target), *objects], check=True)


def _number(folder: Path) -> None:
    """Let programs find the shared library by the name with its number."""
    numbered = folder / f"{shared()}.{INTERFACE}"
    numbered.unlink(missing_ok=True)
    numbered.symlink_to(shared())


def _describe(folder: Path, libraries: Path, headers: Path) -> None:
    """Write the file by which pkg-config finds the library."""
    text = (ROOT / "pcaimage" / "__init__.py").read_text("utf-8")
    version = re.findall(r'^__version__ = "(.+)"', text, re.MULTILINE)[0]
    (folder / "pcai.pc").write_text(
        _PC.format(libraries=libraries, headers=headers, version=version), "utf-8"
    )


def install(to: Path, prefix: Path) -> None:
    """Copy everything to where compilers and shells look for it."""
    prefix = prefix.resolve()
    for name, folder in (
        (shared(), "lib"),
        ("libpcai.a", "lib"),
        ("pcai.h", "include"),
        ("pcai", "bin"),
    ):
        (prefix / folder).mkdir(parents=True, exist_ok=True)
        target = prefix / folder / name
        target.unlink(missing_ok=True)
        shutil.copy(to / name, target)
    if sys.platform == "linux":
        _number(prefix / "lib")
    (prefix / "lib" / "pkgconfig").mkdir(exist_ok=True)
    _describe(prefix / "lib" / "pkgconfig", prefix / "lib", prefix / "include")


def main() -> None:
    """Make the library, and install it if asked to; stop with a sentence if that is not possible."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prefix", type=Path, help="the folder to install it to")
    parser.add_argument("--to", type=Path, default=LIB, help="the folder to make it in")
    wanted = parser.parse_args()
    try:
        make(wanted.to)
    except (CompileError, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
    if wanted.prefix:
        install(wanted.to, wanted.prefix)


if __name__ == "__main__":
    main()

"""Compiles the command `pcai` for other systems, and has it decode all golden files there.

``try_platforms.py`` tries all; ``try_platforms.py windows-x86_64 linux-s390x`` tries these. Zig compiles;
Wine and QEMU run what this machine cannot. What is missing of them is installed if this is root, else named.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import compile_core
from compile_core import BUILD, ROOT, CompileError, Platform
from make_lib import make_command

GOLDEN = ROOT / "tests" / "golden"

_NAMES = {"u1": "uint8", "u2": "uint16", "i2": "int16", "f4": "float32"}


class System(NamedTuple):
    """A system to try: what is compiled for it, what runs it, and the package of Debian that has that."""

    platform: Platform
    runner: tuple[str, ...]
    package: str


SYSTEMS = {
    "windows-x86_64": System(
        Platform("pcai.exe", "windows-x86_64", ("-target", "x86_64-windows-gnu"), ()), ("wine",), "wine"
    ),
    "linux-aarch64": System(
        Platform("pcai", "linux-aarch64", ("-target", "aarch64-linux-musl"), ("-static",)),
        ("qemu-aarch64-static",),
        "qemu-user-static",
    ),
    "linux-s390x": System(
        Platform("pcai", "linux-s390x", ("-target", "s390x-linux-musl"), ("-static",)),
        ("qemu-s390x-static",),
        "qemu-user-static",
    ),
}
"""On s390x the highest byte of a number comes first."""


def available(system: System) -> tuple[str, ...]:
    """Return the command that runs programs of a system, installed if that is possible."""
    missing = shutil.which(system.runner[0]) is None
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        install = ["apt-get", "install", "--yes", "--no-install-recommends", system.package]
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update"], check=False, stdout=subprocess.DEVNULL)
        subprocess.run(install, check=False, stdout=subprocess.DEVNULL, env=environment)
    if shutil.which(system.runner[0]) is None:
        sys.exit(
            f"{system.runner[0]} is missing: `sudo apt-get install {system.package}` brings it on Debian."
        )
    return system.runner


def digest_of(array: Path) -> str:
    """Return the digest of an array in NumPy's format, as golden files have it."""
    content = array.read_bytes()
    start = 10 + int.from_bytes(content[8:10], "little")
    header = ast.literal_eval(content[10:start].decode("latin-1"))
    order, kind = header["descr"][0], header["descr"][1:]
    pixels, size = bytearray(content[start:]), int(kind[1:])
    if order == ">":
        for place in range(size // 2):
            other = size - 1 - place
            pixels[place::size], pixels[other::size] = pixels[other::size], pixels[place::size]
    text = f"{'x'.join(map(str, header['shape']))} {_NAMES[kind]} "
    return hashlib.sha256(text.encode() + pixels).hexdigest()


def decoded(run: list[str], name: str, k: str, folder: Path) -> str:
    """Return the digest of a golden file's pixels from k components, or what the program said."""
    array = folder / f"{name}-{k}.npy"
    models = lenders() if name.startswith("lent-") else [None]
    said = ""
    for model in models:
        options = ["--k", k, *(["--model", str(model)] if model else [])]
        answer = subprocess.run(
            [*run, "decode", str(GOLDEN / f"{name}.pcai"), str(array), *options],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if answer.returncode == 0:
            return digest_of(array)
        said = answer.stderr.strip()
    return said


def lenders() -> list[Path]:
    """Return the golden files whose basis others may use, those likeliest to be asked for first."""
    make = (GOLDEN / "make.py").read_text("utf-8")
    named = re.search(r"MODELS = (\{.*?\})", make, re.DOTALL)
    return (
        [GOLDEN / f"{name}.pcai" for name in dict.fromkeys(ast.literal_eval(named[1]).values())]
        if named
        else []
    )


def try_system(name: str) -> list[str]:
    """Return a sentence for each golden file that a system decodes to other pixels."""
    system, expected = SYSTEMS[name], json.loads((GOLDEN / "expected.json").read_text("utf-8"))
    program = make_command(system.platform, BUILD / "platforms" / name)
    run = [*available(system), str(program)]
    subprocess.run(run, check=False, capture_output=True)  # at its first start Wine makes a folder of its own
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(file, k, digest) for file, all_ in expected.items() for k, digest in all_["pixels"].items()]
        found = list(pool.map(lambda job: decoded(run, job[0], job[1], Path(folder)), jobs))
    faults = [
        f"{name}: {file}, k = {k}: {answer if ' ' in answer else 'other pixels'}"
        for (file, k, digest), answer in zip(jobs, found, strict=True)
        if answer != digest
    ]
    print(f"{name}: {len(jobs)} pictures of {len(expected)} golden files, {len(faults)} faults", flush=True)
    return faults


def main() -> None:
    """Try systems; stop with what is wrong."""
    names = sys.argv[1:] or list(SYSTEMS)
    if unknown := [name for name in names if name not in SYSTEMS]:
        sys.exit(f"{', '.join(unknown)} is none of {', '.join(SYSTEMS)}.")
    if compile_core.zig() is None:
        sys.exit(f'Zig is missing: `{sys.executable} -m pip install "{compile_core.ZIG}"`.')
    try:
        faults = [fault for name in names for fault in try_system(name)]
    except CompileError as error:
        sys.exit(str(error))
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()

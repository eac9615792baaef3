"""Runs the core under AddressSanitizer and UndefinedBehaviorSanitizer: ``sanitize.py [--mutations 50000]``.

Golden files are decoded, random images of all kinds are encoded and decoded, and damaged files of all methods
and versions are opened; the first report ends the process that caused it. gcc or clang compiles the core for
it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import compile_core

ROOT = compile_core.ROOT
sys.path.insert(0, str(ROOT))

from fuzzing import trials  # noqa: E402 - they stand beside this script, what they import above it
from fuzzing.running import Run  # noqa: E402

LIBRARY = compile_core.BUILD / "sanitized" / compile_core.this_platform().file

FLAGS = (
    "-O1",
    "-g",
    "-fno-omit-frame-pointer",
    "-fsanitize=address,undefined,float-cast-overflow",
    "-fno-sanitize-recover=all",
)

_RUNTIMES = ("libasan.so", "libclang_rt.asan-x86_64.so", "libclang_rt.asan-aarch64.so", "libclang_rt.asan.so")


def runtime() -> str:
    """Return AddressSanitizer's library, which must be loaded before Python."""
    command = compile_core.compiler() or ()
    for name in _RUNTIMES if command else ():
        asked = [*command, f"-print-file-name={name}"]
        found = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
        if Path(found).is_absolute() and Path(found).exists():
            return found
    sys.exit("The sanitizers need gcc or clang with their run-time libraries (`sudo apt-get install gcc`).")


def compiled() -> None:
    """Compile the core with the sanitizers."""
    shared = ("-shared-libasan",) if "clang" in Path(runtime()).name else ()
    if (
        not LIBRARY.exists()
        or compile_core.digest(compile_core.this_platform(), (*FLAGS, *shared)) not in _noted()
    ):
        print("Compiling the core with sanitizers", flush=True)
        try:
            compile_core.compile_core(LIBRARY, flags=(*FLAGS, *shared))
        except compile_core.CompileError as error:
            sys.exit(str(error))


def _noted() -> str:
    return LIBRARY.read_bytes().decode("latin-1")


def main() -> None:
    """Run all trials; stop with a nonzero exit code if there was a report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutations", type=int, default=50_000, help="how many damaged files are opened")
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="how long each kind of trial may take"
    )
    parser.add_argument("--round-trips", type=int, default=1000, help="how many images are encoded")
    parser.add_argument("--seed", type=int, default=1, help="the same give the same files")
    wanted = parser.parse_args()
    if sys.platform != "linux":
        sys.exit("The sanitizers are used on Linux only.")
    environment = {
        "LD_PRELOAD": runtime(),
        # Python never frees some of its memory, so leaks are ignored; the quarantine size limits memory.
        "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=32:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        # Every Python object gets an allocation of its own, with guarded borders.
        "PYTHONMALLOC": "malloc",
    }
    compiled()
    with tempfile.TemporaryDirectory() as folder:
        trials.make_seeds(Path(folder))
        found = 0
        counts = {
            "golden": len(trials.golden_files()),
            "round-trips": wanted.round_trips,
            "mutations": wanted.mutations,
        }
        for kind, count in counts.items():
            deadline = time.monotonic() + 60 * wanted.minutes
            run = Run(kind, count, wanted.seed, Path(folder), environment, str(LIBRARY), deadline)
            run.make()
            print(f"{kind}: {run.done:,} tried, {len(run.findings)} reports", flush=True)
            found += len(run.findings)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

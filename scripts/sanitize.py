"""Runs the core under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer: ``sanitize.py``.

Golden files are decoded, random images of all kinds are encoded and decoded, and damaged files of all methods
and versions are opened; the first report ends the process that caused it. Then processes whose threads all
begin at the same moment run under ThreadSanitizer. gcc or clang compiles the core for both.
"""

from __future__ import annotations

import argparse
import os
import shutil
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
THREADED = compile_core.BUILD / "sanitized-threads" / compile_core.this_platform().file

COLD = Path(__file__).with_name("fuzzing") / "cold.py"
COLD_SECONDS = 10
"""How long one process with threads runs, without its start."""

THREAD_FLAGS = ("-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=thread")

FLAGS = (
    "-O1",
    "-g",
    "-fno-omit-frame-pointer",
    "-fsanitize=address,undefined,float-cast-overflow",
    "-fno-sanitize-recover=all",
)

_RUNTIMES = ("lib{}.so", "libclang_rt.{}-x86_64.so", "libclang_rt.{}-aarch64.so", "libclang_rt.{}.so")


def runtime(sanitizer: str = "asan") -> str:
    """Return a sanitizer's library, which must be loaded before Python."""
    command = compile_core.compiler() or ()
    for name in [each.format(sanitizer) for each in _RUNTIMES] if command else ():
        asked = [*command, f"-print-file-name={name}"]
        found = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
        if Path(found).is_absolute() and Path(found).exists():
            return found
    sys.exit(
        f"The sanitizers need gcc or clang with their run-time libraries, and lib{sanitizer} is missing; "
        "`sudo apt-get install gcc` brings it on Debian, `sudo dnf install libasan libtsan` on Fedora."
    )


def compiled(library: Path = LIBRARY, flags: tuple[str, ...] = FLAGS) -> None:
    """Compile the core with sanitizers."""
    shared = ("-shared-libsan",) if "clang" in Path(runtime()).name else ()
    flags = (*flags, *shared)
    if not library.exists() or compile_core.digest(compile_core.this_platform(), flags) not in _noted(
        library
    ):
        print("Compiling the core with sanitizers", flush=True)
        try:
            compile_core.compile_core(library, flags=flags)
        except compile_core.CompileError as error:
            sys.exit(str(error))


def _noted(library: Path) -> str:
    return library.read_bytes().decode("latin-1")


def cold_threads(seconds: float, seed: int) -> int:
    """Run processes with threads under ThreadSanitizer for some seconds; return how many had a report."""
    environment = {
        **os.environ,
        "LD_PRELOAD": runtime("tsan"),
        # Only the core is compiled for it: of Python, NumPy and BLAS it does not see how they synchronise.
        "TSAN_OPTIONS": "ignore_noninstrumented_modules=1:exitcode=66",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
    }
    compiled(THREADED, THREAD_FLAGS)
    # Where addresses are chosen at random from too many, its shadow memory does not fit between them.
    steady = [shutil.which("setarch") or "", "--addr-no-randomize"]
    done, reports, end = 0, 0, time.monotonic() + seconds
    while not done or time.monotonic() < end:
        left = str(max(min(COLD_SECONDS, end - time.monotonic()), 1))
        asked = [sys.executable, str(COLD), str(seed), left, str(THREADED)]
        asked = [*steady, *asked] if steady[0] else asked
        ended = subprocess.run(asked, env=environment, capture_output=True, text=True, check=False)
        seed += 1
        if ended.returncode:
            print(ended.stderr[-6000:], flush=True)
            reports += 1
            break
        done += int(ended.stdout)
    print(f"threads: {done:,} tried, {reports} reports", flush=True)
    return reports


def main() -> None:
    """Run all trials; stop with a nonzero exit code if there was a report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutations", type=int, default=50_000, help="how many damaged files are opened")
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="how long each kind of trial may take"
    )
    parser.add_argument("--round-trips", type=int, default=1000, help="how many images are encoded")
    parser.add_argument("--threads", type=float, default=60, help="seconds under ThreadSanitizer; 0 for none")
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
    if wanted.threads:
        found += cold_threads(wanted.threads, wanted.seed)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

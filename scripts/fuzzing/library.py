"""Fuzzing of libpcai without Python: ``lib/fuzz.c`` by libFuzzer, under sanitizers.

The corpus, which grows by what reaches new code, is kept in ``build/fuzz/corpus``; what made a report is in
``build/fuzz``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import compile_core
from compile_core import BUILD, ROOT, SOURCES
from make_lib import INFLATER

TARGET = BUILD / "fuzz" / "target"
CORPUS = BUILD / "fuzz" / "corpus"
GOLDEN = ROOT / "tests" / "golden"

_SANITIZERS = "-fsanitize=address,undefined"
_COVERAGE = (
    "-fsanitize-coverage=inline-8bit-counters,pc-table",
)  # following comparisons takes five times as long
_FLAGS = ("-O1", "-g", _SANITIZERS, "-fno-sanitize-recover=undefined", *_COVERAGE)

MOST_BYTES, MOST_SECONDS, MOST_MEGABYTES = 1 << 16, 20, 2000
"""Of a file; for a file, and of memory: more is reported."""


def compiled() -> Path:
    """Return the target, compiled if its sources have changed."""
    clang = shutil.which("clang")
    if clang is None:
        sys.exit("libFuzzer needs clang: `sudo apt-get install clang libclang-rt-dev` brings it on Debian.")
    words, parts = compile_core.compile_objects(flags=_FLAGS, command=(clang,))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    own = [f"-I{SOURCES}", str(ROOT / "lib" / "fuzz.c"), str(INFLATER), *map(str, parts)]
    compile_core.run([*words, *own, "-fsanitize=fuzzer", "-lm"], TARGET)
    return TARGET


def fuzz(minutes: float, seed: int) -> int:
    """Open damaged files for some minutes, on all cores; return how many processes had a report."""
    target = compiled()
    CORPUS.mkdir(parents=True, exist_ok=True)
    for golden in GOLDEN.glob("*.pcai"):
        shutil.copy(golden, CORPUS)
    environment = {
        **os.environ,
        "PCAI_TABLES": str(ROOT / "resources" / "photo-1"),
        "PCAI_MODELS": str(GOLDEN),
    }
    limits = [
        *(f"-max_total_time={round(60 * minutes)}", f"-max_len={MOST_BYTES}", f"-timeout={MOST_SECONDS}"),
        *(f"-rss_limit_mb={MOST_MEGABYTES}", "-print_final_stats=1", f"-artifact_prefix={TARGET.parent}/"),
        "-entropic_scale_per_exec_time=1",  # files that take long are changed seldom
    ]
    processes = [
        subprocess.Popen(
            [str(target), *limits, f"-seed={seed + number}", str(CORPUS)],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        for number in range(os.cpu_count() or 1)
    ]
    said = [process.communicate()[1] for process in processes]
    reports = [words for process, words in zip(processes, said, strict=True) if process.returncode]
    files = sum(_stated("number_of_executed_units", words) for words in said)
    slowest = max(_stated("slowest_unit_time_sec", words) for words in said)
    memory = max(_stated("peak_rss_mb", words) for words in said)
    speed = files / max(60 * minutes, 1)
    print(
        f"{files:,} files were opened by the library, {speed:,.0f} a second; the slowest took {slowest} s, "
        f"and none more than {memory} MB; {len(reports)} reports."
    )
    for words in reports:
        print(words[-4000:])
    return len(reports)


def _stated(name: str, words: str) -> int:
    """Return a figure of libFuzzer's last words, 0 if it has said none."""
    found = re.search(rf"stat::{name}:\s*(\d+)", words)
    return int(found[1]) if found else 0

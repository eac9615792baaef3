"""Runs trials in processes, and keeps the files that crashed or hung one, or gave wrong results."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from fuzzing import trials

WORKER = Path(__file__).with_name("worker.py")
ROOT = WORKER.parents[2]
KEPT = ROOT / "build" / "fuzz"

SILENCE = 120
"""Timeout of a trial, in seconds."""

MOST_FINDINGS = 50
"""Number of findings after which the search stops."""


@dataclass(frozen=True)
class Finding:
    """A failed trial, with its number and its failure."""

    kind: str
    number: int
    words: str


@dataclass
class Run:
    """Trials of a kind.

    Parameters
    ----------
    kind : str
        One of :data:`trials.TRIALS`.
    count : int
        Number of trials.
    seed : int
        Seed, which determines the trials.
    folder : Path
        Folder of the initial files.
    environment : mapping
        Additional environment variables of the processes.
    library : str
        Path of a library that replaces the core; empty for none.
    deadline : float
        Time of the latest end, as of time.monotonic.
    """

    kind: str
    count: int
    seed: int
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    library: str = ""
    deadline: float = float("inf")
    findings: list[Finding] = field(default_factory=list)
    done: int = 0

    def make(self) -> None:
        """Run the trials; failures are added to `findings`, and their files are kept."""
        processes = min(os.cpu_count() or 1, self.count)
        threads = [
            threading.Thread(target=self._share, args=(first, processes)) for first in range(processes)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    @property
    def over(self) -> bool:
        """Whether time is up, or there are enough findings."""
        return time.monotonic() > self.deadline or len(self.findings) >= MOST_FINDINGS

    def _share(self, first: int, step: int) -> None:
        """Run every `step`-th trial; a process that crashes or hangs is replaced."""
        start: int | None = first
        while start is not None and start < self.count and not self.over:
            start = self._process(start, step)

    def _process(self, start: int, step: int) -> int | None:
        """Let a process run trials; return the next trial if it did not finish."""
        words = [self.kind, self.seed, start, step, self.count, self.folder, 0 if self.library else 1]
        command = [sys.executable, str(WORKER), *map(str, words), *([self.library] if self.library else [])]
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "OPENBLAS_NUM_THREADS": "1",
            "TMPDIR": str(self.folder),  # removes what a crashed or killed process leaves behind
            **self.environment,
        }
        with (
            tempfile.TemporaryFile() as errors,
            subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, env=environment, encoding="utf-8"
            ) as process,
        ):
            assert process.stdout is not None  # noqa: S101 - it is a pipe
            last, hangs = self._follow(process.stdout)
            if hangs or last is None:
                process.kill()
            code = process.wait()
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace")
        if last is None:
            return None
        reason = "It hangs." if hangs else f"The process ended with {code}: {_gist(said)}"
        self.keep(max(last, start), reason, said)
        return max(last, start) + step

    def _follow(self, stream: IO[str]) -> tuple[int | None, bool]:
        """Read the output of a process; return its last trial, None if it finished, and whether it hangs."""
        lines = queue.Queue[str]()
        threading.Thread(target=_pour, args=(stream, lines), daemon=True).start()
        last, silent_since = -1, time.monotonic()
        while not self.over:
            try:
                line = lines.get(timeout=1)
            except queue.Empty:
                if time.monotonic() - silent_since > SILENCE:
                    return last, True
                continue
            silent_since = time.monotonic()
            if not line:
                return last, False
            if line.startswith("end"):
                return None, False
            if line.startswith("!"):
                _, number, words = line.split(maxsplit=2)
                self.keep(int(number), words.strip(), words)
            else:
                last = int(line)
                self.done += 1
        return None, False

    def keep(self, number: int, words: str, said: str) -> None:
        """Record a finding, and keep the file that caused it."""
        self.findings.append(Finding(self.kind, number, words))
        KEPT.mkdir(parents=True, exist_ok=True)
        path = KEPT / f"{self.kind}-{self.seed}-{number}.txt"
        files, whole = trials.files_of(self.kind, number, self.seed, trials.seeds(self.folder))
        if self.kind == "mutations":
            path.with_suffix(".pcai").write_bytes(next(iter(files.values())))
        else:
            for name, data in files.items():
                place = path.with_suffix("") / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        words = f"{words} It was {whole}." if whole else words
        path.write_text(f"{words}\n\n{said}", "utf-8")
        print(f"{self.kind} {number}: {words} ({path.relative_to(ROOT)})", flush=True)


def _pour(stream: IO[str], lines: queue.Queue[str]) -> None:
    with suppress(ValueError):  # it has been closed, as time is up
        for line in stream:
            lines.put(line)
    lines.put("")


def _gist(said: str) -> str:
    """Return the most informative line about the end of a process."""
    told = [
        line for line in said.splitlines() if "ERROR:" in line or "runtime error:" in line or "Error" in line
    ]
    return (told or said.strip().splitlines()[-1:] or ["it said nothing"])[0].strip()

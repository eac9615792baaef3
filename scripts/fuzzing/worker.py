"""A process that runs trials one after another, and announces each on standard output.

``worker.py KIND SEED START STEP STOP SEEDS MEMORY [LIBRARY]`` runs the trials START, START + STEP … before
STOP of a kind, with the files in the folder SEEDS; with MEMORY 0, memory and time are not checked. It prints
the number of each trial before it starts, ``! NUMBER SENTENCE`` for each finding, and ``end``. LIBRARY
replaces the core.
"""

from __future__ import annotations

import faulthandler
import re
import sys
import time
import traceback
import warnings
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

MEMORY_SPARE, MEMORY_PER_BYTE = 96 << 20, 64
"""Memory allowed for a trial in bytes: a constant, plus a multiple of each byte of a file."""

SECONDS = 20
"""Processor seconds allowed for a trial; valid files stay far below one second due to limits on pixels."""

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def _peak() -> int:
    """Return the peak memory of this process since it was last reset."""
    found = re.search(r"VmHWM:\s+(\d+) kB", _STATUS.read_text("ascii"))
    return 1024 * int(found[1]) if found else 0


def main() -> None:
    """Run the trials."""
    kind, seed, start, step, stop, folder, memory, *library = sys.argv[1:]
    faulthandler.enable()
    warnings.simplefilter("ignore")  # overflows in pictures of damaged files are expected
    if library:
        from pcaimage.core import library as core  # noqa: PLC0415

        core.path_of_library = lambda: Path(library[0])
    from fuzzing import trials  # noqa: PLC0415 - the codec declares its functions when it is loaded

    every, trial = trials.seeds(Path(folder)), trials.TRIALS[kind]
    measures = memory != "0" and _RESET.exists()
    for number in range(int(start), int(stop), int(step)):
        print(number, flush=True)
        if measures:
            _RESET.write_text("5", "ascii")
            before = _peak()
        started = time.process_time()
        try:
            data = trial(number, int(seed), every)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
            place = traceback.extract_tb(error.__traceback__)[-1]
            words = f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
            print("!", number, " ".join(words.split()), flush=True)
            continue
        if measures and (seconds := time.process_time() - started) > SECONDS:
            print("!", number, f"It took {seconds:.0f} seconds.", flush=True)
        if measures and (taken := _peak() - before) > MEMORY_SPARE + MEMORY_PER_BYTE * len(data):
            print("!", number, f"It took {taken >> 20} MB for a file of {len(data)} bytes.", flush=True)
    print("end", flush=True)


if __name__ == "__main__":
    main()

"""A process that makes trials, one after another, and says on standard output which is next.

``worker.py KIND SEED START STEP STOP SEEDS MEMORY [LIBRARY]`` makes the trials START, START + STEP … before
STOP of a kind, with the files in the folder SEEDS; MEMORY is 0 where memory and time are not looked at. It
prints the number of each trial before it begins, ``! NUMBER SENTENCE`` for each finding, and ``end``. LIBRARY
takes the place of the core.
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
"""How much memory a trial may take, besides that of the pixels that a file may hold."""

SECONDS = 20
"""How much time of the processor a trial may take; limits on pixels keep whole ones far below a second."""

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def _peak() -> int:
    """Return the most memory that this process has had since it was last reset."""
    found = re.search(r"VmHWM:\s+(\d+) kB", _STATUS.read_text("ascii"))
    return 1024 * int(found[1]) if found else 0


def main() -> None:
    """Make the trials."""
    kind, seed, start, step, stop, folder, memory, *library = sys.argv[1:]
    faulthandler.enable()
    warnings.simplefilter("ignore")  # of what overflows in pictures of damaged files
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

"""Runs a command in a process of its own, and reports its cost.

``python -I -S benchmarks/launcher.py COMMAND…`` prints the command's output, and then three numbers: elapsed
seconds, processor seconds of all cores, and peak bytes of memory. It imports almost nothing, as Linux
includes the memory of its parent at the start in a process's peak.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time


def main() -> int:
    """Run the command, and return its exit code."""
    start = time.perf_counter()
    process = subprocess.Popen(sys.argv[1:])
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    unit = 1 if sys.platform == "darwin" else 1024
    print(f"{seconds!r} {used.ru_utime + used.ru_stime!r} {used.ru_maxrss * unit}")
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())

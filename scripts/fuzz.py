"""Looks for files that crash, hang, or overtax the program: ``fuzz.py [--minutes 10] [--seed N]``.

Files of all methods and versions are damaged by :mod:`fuzzing.mutation` and opened in every way. What is
found is kept in ``build/fuzz/``, and belongs into the tests once it is mended.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from fuzzing import trials  # noqa: E402 - they stand beside this script, what they import above it
from fuzzing.running import Run  # noqa: E402

ENDLESS = 1 << 60


def main() -> None:
    """Make trials for some minutes; stop with an exit code other than 0 if something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the same give the same files")
    wanted = parser.parse_args()
    print(f"Damaging files for {wanted.minutes:g} minutes (seed {wanted.seed})", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        trials.make_seeds(Path(folder))
        deadline = time.monotonic() + 60 * wanted.minutes
        run = Run("mutations", ENDLESS, wanted.seed, Path(folder), deadline=deadline)
        run.make()
    print(f"{run.done:,} files were tried; {len(run.findings)} findings.")
    sys.exit(bool(run.findings))


if __name__ == "__main__":
    main()

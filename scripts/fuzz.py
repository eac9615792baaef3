"""Searches for files that crash, hang, or overtax the program: ``fuzz.py [--minutes 10] [--seed N]``.

Compressed files of all methods and versions are damaged by :mod:`fuzzing.mutation`, images of all formats by
:mod:`fuzzing.inputs`, and opened in every way. Findings are kept in ``build/fuzz/``; once fixed, they belong
in the tests.
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
KINDS = {"mutations": "compressed files", "images": "images"}


def main() -> None:
    """Run trials for some minutes; stop with a nonzero exit code if there were findings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the same give the same files")
    parser.add_argument("--only", choices=KINDS, help="damage nothing else")
    wanted = parser.parse_args()
    print(f"Damaging files for {wanted.minutes:g} minutes (seed {wanted.seed})", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        trials.make_seeds(Path(folder))
        kinds = [wanted.only] if wanted.only else list(KINDS)
        found = 0
        for kind in kinds:
            deadline = time.monotonic() + 60 * wanted.minutes / len(kinds)
            run = Run(kind, ENDLESS, wanted.seed, Path(folder), deadline=deadline)
            run.make()
            found += len(run.findings)
            print(f"{run.done:,} {KINDS[kind]} were tried; {len(run.findings)} findings.", flush=True)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

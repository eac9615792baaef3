"""Searches for files that crash, hang, or overtax the program: ``fuzz.py [--minutes 10] [--seed N]``.

A half of the time is :mod:`fuzzing.library`'s, which opens compressed files without Python. In the other,
compressed files of all methods are damaged by :mod:`fuzzing.mutation` and opened in every way, in node by
:mod:`fuzzing.node`, and images of all formats by :mod:`fuzzing.inputs`. Findings are kept in ``build/fuzz/``;
once fixed, they belong in the tests.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from fuzzing import library, node, trials  # noqa: E402 - they stand beside this script, what they import above it
from fuzzing.running import Run  # noqa: E402

ENDLESS = 1 << 60
KINDS = {"mutations": "compressed files", "images": "images"}
LIBRARY, NODE = "library", "node"


def main() -> None:
    """Run trials for some minutes; stop with a nonzero exit code if there were findings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the same give the same files")
    parser.add_argument("--only", choices=(LIBRARY, NODE, *KINDS), help="damage nothing else")
    wanted = parser.parse_args()
    print(f"Damaging files for {wanted.minutes:g} minutes (seed {wanted.seed})", flush=True)
    kinds = [wanted.only] if wanted.only else [LIBRARY, NODE, *KINDS]
    found = 0
    if LIBRARY in kinds:
        kinds.remove(LIBRARY)
        found += library.fuzz(wanted.minutes / 2 if kinds else wanted.minutes, wanted.seed)
    with tempfile.TemporaryDirectory() as folder:
        if kinds:
            trials.make_seeds(Path(folder))
        for kind in kinds:
            share = wanted.minutes / (1 if wanted.only else 2 * len(kinds))
            if kind == NODE:
                found += node.fuzz(share, wanted.seed, Path(folder))
            else:
                run = Run(kind, ENDLESS, wanted.seed, Path(folder), deadline=time.monotonic() + 60 * share)
                run.make()
                found += len(run.findings)
                print(f"{run.done:,} {KINDS[kind]} were tried; {len(run.findings)} findings.", flush=True)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

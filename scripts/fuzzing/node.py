"""Opens damaged files by the decoder of web pages, in node: one instance opens all, as one page may many.

The module may neither trap nor take more memory than it is allowed, and gives back what it took.
"""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO, cast

import make_web
from compile_core import BUILD, ROOT
from make_lib import TABLES

from fuzzing import trials

KEPT = BUILD / "fuzz" / "node"
MOST = 1 << 26
"""Bytes that decoding a file may take."""
ROOM = 4 << 20
"""What the module takes beside them: tables, its stack, and the file."""


def fuzz(minutes: float, seed: int, folder: Path) -> int:
    """Open damaged files for some minutes; return how many findings there were."""
    if not (shutil.which("node") and make_web.LIBRARY.exists()):
        print("The decoder for web pages was not tried: `make web` makes it, and node runs it.")
        return 0
    every, findings, done, highest = trials.seeds(folder), 0, 0, 0
    command = ["node", str(ROOT / "lib" / "decode.mjs"), str(make_web.LIBRARY), str(TABLES)]
    deadline = time.monotonic() + 60 * minutes
    with (
        tempfile.TemporaryDirectory() as work,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node,
    ):
        to, said = cast(IO[str], node.stdin), cast(IO[str], node.stdout)
        path, lender = Path(work) / "damaged.pcai", Path(work) / "model.pcai"
        for number in itertools.count():
            data, place = trials.mutation_of(number, seed, every)
            path.write_bytes(data)
            lender.write_bytes(every[place].model or b"")
            to.write(json.dumps({"file": str(path), "models": [str(lender)], "most": MOST}) + "\n")
            to.flush()
            answer = json.loads(said.readline() or '{"trap": "node ended"}')
            done, highest = done + 1, max(highest, answer.get("memory", 0))
            if "trap" in answer or answer["memory"] > MOST + ROOM:
                findings += 1
                KEPT.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, KEPT / f"{seed}-{number}.pcai")
                print(f"{seed}-{number}: {answer}", flush=True)
            if node.poll() is not None or time.monotonic() > deadline:
                break
    print(
        f"{done:,} damaged files were opened in node, in {highest / 2**20:.0f} MiB; {findings} findings.",
    )
    return findings

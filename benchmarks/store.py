"""Keeps what a benchmark found, with its command and date; ``scripts/check_docs.py`` compares tables with it.

``python -m benchmarks.store FOUND.json NAME COMMAND`` writes ``benchmarks/results/NAME.json``, of the results
that ``benchmarks.rate_distortion --json`` wrote.
"""

from __future__ import annotations

import datetime as dt
import json
import platform
import sys
from pathlib import Path
from typing import Any

import pcaimage

RESULTS = Path(__file__).with_name("results")
NAMES = {"AVIF (psnr)": "AVIF, PSNR"}
"""What tables call a codec."""


def figures(found: dict[str, Any]) -> dict[str, Any]:
    """Return mean changes of bytes as tables show them, by measure, codec and other codec."""
    shown: dict[str, Any] = {}
    for codec, others in found["changes"].items():
        for anchor, measures in others.items():
            for measure, change in measures.items():
                if change["mean"] is not None and codec != anchor:
                    rows = shown.setdefault(measure, {}).setdefault(NAMES.get(codec, codec), {})
                    rows[NAMES.get(anchor, anchor)] = percent(change["mean"])
    return shown


def percent(change: float) -> str:
    """Return a relative change as text, such as ``"−12.3 %"``."""
    return f"{'−' if change < 0 else '+'}{abs(100 * change):.1f} %"


def main() -> None:
    """Write a result."""
    path, name, command = sys.argv[1:]
    found = json.loads(Path(path).read_text("utf-8"))
    result = {
        "command": command,
        "date": f"{dt.datetime.now(dt.UTC):%Y-%m-%d}",
        "pcaimage": pcaimage.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
        "images": found["images"],
        "figures": figures(found),
    }
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()

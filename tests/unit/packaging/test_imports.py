"""What a program that only wants the library does not pay for; ``tests/unit/test_api.py`` says the rest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_nothing_is_compiled_for_what_is_no_photo() -> None:
    program = """import sys, pathlib, numpy as np, pcaimage
golden = pathlib.Path("tests/golden/blocks-8.pcai")
print("numba" in sys.modules)
pcaimage.decode(golden.read_bytes())
print("numba" in sys.modules)
pcaimage.open(golden).decode()
print("numba" in sys.modules)
pcaimage.encode(np.zeros((9, 9), np.uint8), pcaimage.Settings(pcaimage.Blocks(8), k=1))
print("numba" in sys.modules)"""
    command = [sys.executable, "-c", program]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    assert answer.stdout.split() == ["False"] * 4

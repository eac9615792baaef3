"""What ``import pcaimage`` costs a program that only wants the library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("heavy", ["PySide6", "pyqtgraph", "PIL", "skimage", "numba"])
def test_importing_the_library_does_not_load(heavy: str) -> None:
    program = f"import sys, pcaimage; print({heavy!r} in sys.modules)"
    command = [sys.executable, "-c", program]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"


@pytest.mark.parametrize(
    "act",
    [
        "pcaimage.encode(np.zeros((9, 9), np.uint8), pcaimage.Settings(pcaimage.Blocks(8), k=1))",
        "pcaimage.decode(GOLDEN.read_bytes())",
        "pcaimage.open(GOLDEN).decode()",
    ],
)
def test_nothing_is_compiled_for_what_is_no_photo(act: str) -> None:
    program = f"""import sys, pathlib, numpy as np, pcaimage
GOLDEN = pathlib.Path("tests/golden/blocks-8.pcai")
{act}
print("numba" in sys.modules)"""
    command = [sys.executable, "-c", program]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"

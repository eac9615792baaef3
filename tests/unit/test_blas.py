import os
import subprocess
import sys

import pytest

from pcaimage.machine import parallel


def test_linear_algebra_takes_one_thread_unless_told_otherwise(monkeypatch):
    for name in parallel.BLAS_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    parallel.use_one_thread()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert os.environ["OMP_NUM_THREADS"] == "3"


@pytest.mark.slow
def test_the_program_decides_before_numpy_is_imported():
    code = "import sys, pcaimage.cli.main; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], timeout=120, check=True)

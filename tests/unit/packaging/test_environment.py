"""The environment that `make` brings up to date, whoever made it."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("stamp", ["run", "test"])
def test_pip_is_brought_up_to_date_before_it_installs_anything(tmp_path, stamp):
    if shutil.which("make") is None:
        pytest.skip("There is no make.")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").touch()
    asked = ["make", "--dry-run", f"VENV={tmp_path}", f"{tmp_path}/{stamp}.stamp"]
    told = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert told.index('install --quiet "pip>=25.1"') < told.index("--editable .")

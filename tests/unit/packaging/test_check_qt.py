"""Packages that a fresh machine is told to install for Qt."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from lower_bounds import lower_bounds

from pcaimage.cli import qt_libraries

ROOT = Path(__file__).resolve().parents[3]


def test_debian_packages_are_named_after_their_libraries():
    sonames = "libEGL.so.1 libxkbcommon-x11.so.0 libdbus-1.so.3 libxcb-cursor.so.0 libglib-2.0.so.0"
    packages = "libegl1 libxkbcommon-x11-0 libdbus-1-3 libxcb-cursor0 libglib2.0-0"
    assert " ".join(map(qt_libraries.debian_package, sonames.split())) == packages


def test_debian_refreshes_its_lists_and_installs_each_package_once_if_any_is_missing():
    update, install = qt_libraries.install_commands(["libglib-2.0.so.0", "libgthread-2.0.so.0"], {"apt-get"})
    assert update == ["apt-get", "update"]
    assert install.count("libglib2.0-0") == 1
    assert qt_libraries.missing_libraries([]) == []


@pytest.mark.parametrize("stamp", ["run", "test"])
def test_pip_is_brought_up_to_date_before_it_installs_anything(tmp_path, stamp):
    if shutil.which("make") is None:
        pytest.skip("There is no make.")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").touch()
    asked = ["make", "--dry-run", f"VENV={tmp_path}", f"{tmp_path}/{stamp}.stamp"]
    told = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert told.index('install --quiet "pip>=25.1"') < told.index("--editable .")


def test_each_requirement_becomes_its_oldest_version_and_must_have_one():
    qt = "PySide6-Essentials>=6.7,<6.12; python_version < '3.12'"
    oldest = "PySide6-Essentials==6.7; python_version < '3.12'"
    assert lower_bounds(["numpy>=2.0", "ruff>=0.17,<0.18", qt]) == ["numpy==2.0", "ruff==0.17", oldest]
    with pytest.raises(ValueError, match=r"rich<14 has no lower bound\."):
        lower_bounds(["numpy>=2.0", "rich<14"])


def test_files_of_tests_that_continuous_integration_names_are_there():
    named = re.findall(r"tests/[\w/]+\.py", (ROOT / ".ci/run").read_text())
    assert named
    assert all((ROOT / name).is_file() for name in named)

"""Packages that a fresh machine is told to install for Qt."""

import runpy
from pathlib import Path

import pytest

CHECK = runpy.run_path(str(Path(__file__).resolve().parents[3] / "scripts" / "check_qt.py"))


@pytest.mark.parametrize(
    ("soname", "package"),
    [
        ("libEGL.so.1", "libegl1"),
        ("libGL.so.1", "libgl1"),
        ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
        ("libdbus-1.so.3", "libdbus-1-3"),
        ("libxcb-cursor.so.0", "libxcb-cursor0"),
        ("libglib-2.0.so.0", "libglib2.0-0"),
    ],
)
def test_debian_packages_are_named_after_their_libraries(soname, package):
    assert CHECK["debian_package"](soname) == package


def test_debian_refreshes_its_lists_and_installs_each_package_once():
    update, install = CHECK["install_commands"](["libglib-2.0.so.0", "libgthread-2.0.so.0"], {"apt-get"})
    assert update == ["apt-get", "update"]
    assert install.count("libglib2.0-0") == 1


def test_a_library_that_has_all_it_needs_misses_nothing():
    assert CHECK["missing_libraries"]([]) == []

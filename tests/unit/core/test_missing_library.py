"""A library that is missing or foreign is refused in a sentence."""

import ctypes.util
from pathlib import Path
from typing import NamedTuple

import pytest

from pcaimage.core import library
from pcaimage.errors import CoreError, PcaImageError


class RangeCoder(NamedTuple):
    low: int


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """Return where the library is looked for; nothing is there."""
    path = tmp_path / "core.so"
    monkeypatch.setattr(library, "path_of_library", lambda: path)
    library.loaded.cache_clear()
    yield path
    library.loaded.cache_clear()


def test_a_missing_library_is_told(elsewhere):
    with pytest.raises(
        CoreError, match=rf"^The compiled core {elsewhere} is missing: `make run` or "
    ) as caught:
        library.check()
    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value, PcaImageError)


def test_a_damaged_library_is_told_with_the_systems_words(elsewhere):
    elsewhere.write_bytes(b"what is no library at all" * 9)
    with pytest.raises(CoreError, match=rf"^The compiled core {elsewhere} is not usable \(") as caught:
        library.check()
    assert str(caught.value).count(str(elsewhere)) == 1


def test_another_library_is_told(monkeypatch, elsewhere):
    monkeypatch.setattr(library, "path_of_library", lambda: Path(ctypes.util.find_library("m") or "core.so"))
    with pytest.raises(CoreError, match="is of another version of the program"):
        library.check()
    assert not elsewhere.exists()


def test_a_library_of_another_version_is_told(monkeypatch):
    library.check()
    with pytest.raises(CoreError, match="is of another version of the program"):
        library.function("pcai_of_the_future", None)
    library.loaded.cache_clear()
    monkeypatch.setattr(library, "ABI", library.ABI + 1)
    with pytest.raises(CoreError, match="is of another version of the program"):
        library.check()


def test_a_struct_of_another_size_is_of_another_version():
    with pytest.raises(CoreError, match="is of another version of the program"):
        library.held(RangeCoder(0))

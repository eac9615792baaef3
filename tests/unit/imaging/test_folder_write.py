"""Bands as files of their own, in a folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pcaimage.errors import ImageError
from pcaimage.imaging import BandInfo, Image, inspect, read_image, write_bands
from pcaimage.imaging.bands import Tag

SCALE = Tag(33550, 12, 3, np.array([10.0, 10.0, 0.0], "<f8").tobytes())
KNOWN = BandInfo(
    names=tuple(f"b {letter}" for letter in "abcdefghijkl"),
    wavelengths=tuple(400.5 + 10 * band for band in range(12)),
    widths=(9.5,) * 12,
    unit="nm",
    nodata=-5.0,
    tags=(SCALE,),
    fields=(("sensor type", "unknown"),),
)


def cube(kind: str = "int16", bands: int = 12) -> NDArray[Any]:
    return np.random.default_rng(0).integers(-9, 9, (5, 8, bands)).astype(kind)


@pytest.mark.parametrize("kind", ["int16", "float32", "uint8", "uint16"])
def test_a_folder_of_bands_is_read_as_it_was_written(tmp_path: Path, kind: str) -> None:
    array = np.abs(cube(kind)) if kind.startswith("u") else cube(kind)
    files = write_bands(tmp_path / "bands", Image(array, bands=KNOWN))
    assert [file.name for file in files] == [f"band_{number:03d}.tif" for number in range(1, 13)]
    found = inspect(tmp_path / "bands")
    assert (found.default.kind, found.ambiguous) == ("bands", False)
    image = read_image(tmp_path / "bands")
    assert image.pixels.dtype == kind
    assert np.array_equal(image.pixels, array)
    assert replace(image.bands, tags=()) == replace(KNOWN, tags=())
    assert SCALE in image.bands.tags
    assert read_image(files[3]).bands.names == KNOWN.names[3:4]


def test_bands_of_which_nothing_is_known_are_called_like_their_files(tmp_path: Path) -> None:
    write_bands(tmp_path / "bands", Image(cube(bands=3)))
    assert read_image(tmp_path / "bands").bands == BandInfo(names=("001", "002", "003"))


def test_files_are_replaced_only_when_asked(tmp_path: Path) -> None:
    image = Image(cube())
    (tmp_path / "bands").mkdir()
    write_bands(tmp_path / "bands", image)
    with pytest.raises(ImageError, match=r"band_001\.tif already exists"):
        write_bands(tmp_path / "bands", image)
    write_bands(tmp_path / "bands", Image(cube() + 1), overwrite=True)
    assert np.array_equal(read_image(tmp_path / "bands").pixels, cube() + 1)


def test_other_images_would_be_taken_for_bands(tmp_path: Path) -> None:
    write_bands(tmp_path / "bands", Image(cube()))
    with pytest.raises(ImageError, match=r"has band_004\.tif in it, which would be taken for a band"):
        write_bands(tmp_path / "bands", Image(cube(bands=3)), overwrite=True)


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="cannot hold a stack"):
        write_bands(tmp_path / "a", Image(np.zeros((2, 3, 4, 1), np.uint8)))
    with pytest.raises(ImageError, match="cannot hold transparency"):
        write_bands(tmp_path / "a", Image(np.zeros((3, 4, 1), np.uint8), np.zeros((3, 4), np.uint8)))
    (tmp_path / "file").touch()
    with pytest.raises(ImageError, match="is a file"):
        write_bands(tmp_path / "file", Image(cube()))
    with pytest.raises(ImageError, match="cannot be written"):
        write_bands(tmp_path / "none" / "bands", Image(cube()))


def test_what_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pcaimage.imaging import folder_write

    def fail(path: Path, *_: object, **__: object) -> None:
        raise ImageError(f"{path.name} cannot be saved: there is not enough space on the disk.")

    monkeypatch.setattr(folder_write, "write_image", fail)
    with pytest.raises(ImageError, match="not enough space"):
        write_bands(tmp_path / "bands", Image(cube()))
    assert not list(tmp_path.iterdir())

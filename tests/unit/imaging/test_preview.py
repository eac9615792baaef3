from __future__ import annotations

import struct
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import ExifTags
from PIL import Image as PillowImage

from pcaimage.imaging import Limits
from pcaimage.imaging.preview import preview_of

if TYPE_CHECKING:
    from pathlib import Path

SIDE = 128


def scene(width: int = 800, height: int = 600) -> PillowImage.Image:
    """Red above, blue below."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[: height // 2, :, 0] = pixels[height // 2 :, :, 2] = 200
    return PillowImage.fromarray(pixels)


def with_thumbnail(path: Path, thumbnail: PillowImage.Image) -> Path:
    """Write an image with a thumbnail in its Exif data, as cameras do."""
    piece = BytesIO()
    thumbnail.save(piece, "JPEG")
    data = piece.getvalue()

    start = 14 + 2 + 2 * 12 + 4
    empty = struct.pack("<HI", 0, 14)
    entries = struct.pack("<HHHIIHHIII", 2, 0x0201, 4, 1, start, 0x0202, 4, 1, len(data), 0)
    exif = b"Exif\0\0II*\0" + struct.pack("<I", 8) + empty + entries + data
    scene().save(path, exif=exif)
    return path


def test_the_picture_that_a_camera_embedded_is_taken(tmp_path: Path) -> None:
    green = PillowImage.new("RGB", (160, 120), (0, 200, 0))
    found = preview_of(with_thumbnail(tmp_path / "a.jpg", green), SIDE)
    assert found is not None
    assert found.shape == (120, 160, 3)
    assert np.abs(found.mean(axis=(0, 1)) - (0, 200, 0)).max() < 4


@pytest.mark.parametrize("size", [(40, 30), (160, 100)])
def test_one_that_is_too_small_or_of_another_shape_is_not(tmp_path: Path, size: tuple[int, int]) -> None:
    found = preview_of(with_thumbnail(tmp_path / "a.jpg", PillowImage.new("RGB", size, (0, 200, 0))), SIDE)
    assert found is not None
    assert found[0, 0, 0] > 150


def test_without_one_the_image_is_decoded_coarsely(tmp_path: Path) -> None:
    scene().save(tmp_path / "a.jpg")
    found = preview_of(tmp_path / "a.jpg", SIDE)
    assert found is not None
    assert SIDE <= max(found.shape) <= 4 * SIDE
    assert found[0, 0, 0] > 150
    assert found[-1, 0, 2] > 150
    scene().convert("L").save(tmp_path / "grey.jpg")
    grey = preview_of(tmp_path / "grey.jpg", SIDE)
    assert grey is not None
    assert grey.shape[2] == 1


def test_it_is_upright(tmp_path: Path) -> None:
    exif = PillowImage.Exif()
    exif[ExifTags.Base.Orientation] = 6
    scene().save(tmp_path / "a.jpg", exif=exif)
    found = preview_of(tmp_path / "a.jpg", SIDE)
    assert found is not None
    assert found.shape[0] > found.shape[1]
    assert found[0, -1, 0] > 150
    assert found[0, 0, 2] > 150


def test_what_is_no_jpeg_or_damaged_has_none(tmp_path: Path) -> None:
    scene().save(tmp_path / "a.png")
    scene().save(tmp_path / "whole.jpg")
    scene().convert("CMYK").save(tmp_path / "cmyk.jpg")
    (tmp_path / "cut.jpg").write_bytes((tmp_path / "whole.jpg").read_bytes()[:900])
    (tmp_path / "nothing.jpg").write_bytes(b"")
    for name in ("a.png", "cmyk.jpg", "cut.jpg", "nothing.jpg", "missing.jpg"):
        assert preview_of(tmp_path / name, SIDE) is None
    assert preview_of(tmp_path / "whole.jpg", SIDE, Limits(max_pixels=1000)) is None

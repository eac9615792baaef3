from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pcaimage
from benchmarks.cross_validation import folds, main, photo_with, tables_from
from benchmarks.photographs import made_photograph
from pcaimage import Settings
from pcaimage.assets import asset
from pcaimage.codec import Tune
from pcaimage.codec.photo.tables import Tables
from pcaimage.sampling import Lapped


@pytest.fixture
def other_tables(tmp_path: Path) -> Path:
    """Return tables that were taught nothing."""
    with np.load(asset("resources", "photo-3.npz")) as archive:
        arrays = {name: np.array(array) for name, array in archive.items()}
    for name in ("scores", "signs", "means", "quiet"):
        arrays[f"{name}_counts"][:] = 0
    path = tmp_path / "other.npz"
    np.savez(path, **arrays)
    return path


def test_folds_share_no_image_and_miss_none() -> None:
    images = [Path(f"{number}.png") for number in range(7)]
    parts = folds(images)
    assert sorted(path for part in parts for path in part) == images
    assert abs(len(parts[0]) - len(parts[1])) <= 1


@pytest.mark.slow
def test_files_are_made_and_decoded_with_the_given_tables(other_tables: Path) -> None:
    image = made_photograph(40, 48)
    codec = photo_with(other_tables)
    data = codec.encode(image, 12.0)
    with tables_from(other_tables):
        tuned = Settings(sampling=Lapped(), step=12.0, tune=Tune.PSNR)
        assert data == pcaimage.encode(image, tuned)
        expected = pcaimage.decode(data)
        assert Tables.of(3).path == other_tables
        assert Tables.of(1).path == asset("resources", "photo-1.npz")
    assert np.array_equal(codec.decode(data), expected)
    # Afterwards the program's own tables are back.
    assert not np.array_equal(pcaimage.decode(data), expected)
    assert Tables.of(3).path == asset("resources", "photo-3.npz")


def test_a_folder_without_two_images_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--images", str(tmp_path)])
    assert "fewer than 2 images" in capsys.readouterr().err

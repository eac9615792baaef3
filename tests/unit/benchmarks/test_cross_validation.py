from pathlib import Path

import numpy as np
import pytest

import pcaimage
from benchmarks.cross_validation import folds, main, photo_with, tables_from
from benchmarks.photographs import made_photograph
from pcaimage import Settings
from pcaimage.codec import Tune
from pcaimage.codec.photo.tables import NEWEST, Tables
from pcaimage.sampling import Lapped
from training.files import write_tables
from training.models import untrained


@pytest.fixture
def other_tables(tmp_path):
    """Return tables that were taught nothing."""
    nothing = {name: np.stack([array] * 3) for name, array in untrained().items()}
    write_tables(tmp_path / "other", Tables.of(NEWEST).arrays | nothing)
    return tmp_path / "other"


def test_folds_share_no_image_and_miss_none():
    images = [Path(f"{number}.png") for number in range(7)]
    parts = folds(images)
    assert sorted(path for part in parts for path in part) == images
    assert abs(len(parts[0]) - len(parts[1])) <= 1


@pytest.mark.slow
def test_files_are_made_and_decoded_with_the_given_tables(other_tables):
    image, own = made_photograph(40, 48), Tables.of(NEWEST)
    codec = photo_with(other_tables)
    data = codec.encode(image, 12.0)
    with tables_from(other_tables):
        tuned = Settings(sampling=Lapped(), step=12.0, tune=Tune.PSNR)
        assert data == pcaimage.encode(image, tuned)
        expected = pcaimage.decode(data)
        assert Tables.of(NEWEST) is not own
    assert np.array_equal(codec.decode(data), expected)
    # Afterwards the program's own tables are back.
    assert not np.array_equal(pcaimage.decode(data), expected)
    assert Tables.of(NEWEST) is own


def test_a_folder_without_two_images_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--images", str(tmp_path)])
    assert "fewer than 2 images" in capsys.readouterr().err

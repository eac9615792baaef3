import io

import numpy as np
import pytest
from PIL import Image

import pcaimage
from pcaimage import Blocks, Settings, Stack
from pcaimage.api import open_bytes
from pcaimage.progress import Stages

WAVES = (np.add.outer(np.arange(40), np.arange(60)) * 2 % 256).astype(np.uint8)


def test_a_compressed_image_is_an_array_to_numpy():
    data = pcaimage.encode(WAVES, Settings(Blocks(8), k=9))
    opened = open_bytes(data)
    assert np.array_equal(np.asarray(opened), pcaimage.decode(data))
    assert np.asarray(opened, dtype=np.float64).dtype == np.float64
    assert np.asarray(opened).dtype == np.uint8
    assert opened.__array__(copy=False).shape == (40, 60)
    with pytest.raises(ValueError, match="needs a copy"):
        opened.__array__(np.float32, copy=False)


@pytest.mark.parametrize(
    ("array", "settings", "expected"),
    [
        (WAVES, Settings(Blocks(8), k=9), "60 × 40, 1 channel, uint8, blocks, k = 9, "),
        (np.stack([WAVES] * 3), Settings(Stack(), k=1), "3 × 60 × 40, 1 channel, uint8, stack, k = 1, "),
        (np.dstack([WAVES] * 3), Settings(), "60 × 40, 3 channels, uint8, photo, k = "),
    ],
)
def test_its_representation_is_one_line(array, settings, expected):
    text = repr(open_bytes(pcaimage.encode(array, settings)))
    assert text.startswith(f"<CompressedImage {expected}")
    assert text.endswith(" bytes>")
    assert "\n" not in text


@pytest.mark.parametrize(
    ("array", "mode"),
    [
        (WAVES, "L"),
        (np.dstack([WAVES] * 3), "RGB"),
        (np.stack([WAVES] * 3), "L"),
        (np.dstack([WAVES] * 7), "RGB"),
        (np.dstack([WAVES, WAVES, np.where(WAVES < 9, np.nan, WAVES)]).astype(np.float32), "RGB"),
        (np.tile(WAVES, (1, 40)), "L"),
    ],
)
@pytest.mark.sweep(3)
def test_notebooks_show_a_picture(array, mode):
    stack = array.shape == (3, 40, 60)
    settings = Settings(Stack(), k=1) if stack else Settings()
    opened = open_bytes(pcaimage.encode(array, settings))
    with Image.open(io.BytesIO(opened._repr_png_() or b"")) as picture:
        assert picture.mode == mode
        assert max(picture.size) <= 1024
    found = opened._repr_html_()
    assert found.startswith("<figure")
    assert repr(opened)[17:-1] in found


def test_what_needs_a_model_has_no_picture(tmp_path):
    model = pcaimage.encode(WAVES, Settings(Blocks(8), k=9))
    (tmp_path / "model.pcai").write_bytes(model)
    opened = open_bytes(pcaimage.encode(WAVES[::-1].copy(), Settings(Blocks(8), k=4), model=model))
    assert opened._repr_png_() is None
    assert opened._repr_html_() is None
    assert repr(opened).startswith("<CompressedImage 60 × 40")
    assert opened.with_model(pcaimage.open(tmp_path / "model.pcai"))._repr_png_()


def test_stages_share_what_is_left_by_the_work_that_they_are():
    told = list[tuple[int, int]]()
    stages = Stages(lambda done, total: told.append((done, total)))
    stages.next(1.0, 3.0)(1, 2)
    stages.next(1.0, 2.0)(0, 1)
    stages.next(1.0, 1.0)(1, 1)
    assert told == [(125, 1000), (250, 1000), (750, 1000)]


def test_another_stage_than_expected_only_slows_progress_down():
    told = list[int]()
    stages = Stages(lambda done, _: told.append(done))
    for _ in range(3):
        stages.next(1.0, 1.0)(1, 1)
    stages.next(2.0)(1, 2)
    stages.end()
    assert told == [500, 750, 875, 938, 1000]

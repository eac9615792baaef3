import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PillowImage


def test_json_has_five_keys(figures, picture, png):
    other = picture.astype(int)
    other[3, 5] += 30
    PillowImage.fromarray(other.astype(np.uint8)).save("other.png")
    found = figures("compare", png, "other.png")
    assert list(found) == ["psnr", "ssim", "mse", "max_error", "peak"]
    mse = 3 * 30**2 / picture.size
    assert found["mse"] == pytest.approx(mse)
    assert found["psnr"] == pytest.approx(10 * math.log10(255**2 / mse))
    assert found["max_error"] == 30
    assert 0.9 < found["ssim"] < 1


def test_the_psnr_of_equal_images_is_null_and_the_first_bytes_tell_what_a_file_is(done, figures, pcai):
    pcai.rename("nameless")
    found = figures("compare", "nameless", "nameless")
    assert found == {"psnr": None, "ssim": 1, "mse": 0, "max_error": 0, "peak": 255}
    assert "infinite" in done("compare", "nameless", "nameless").stdout


@pytest.mark.slow
def test_stacks_are_compared_in_whatever_they_are_kept(done, figures, frames):
    done("encode", frames, "stack.pcai", "--method", "stack", "--k", 2)
    done("decode", "stack.pcai", "stack.tif")
    for pair in (("stack.pcai", "stack.tif"), ("stack.tif", "stack.pcai")):
        assert figures("compare", *pair)["psnr"] is None
    assert "dB" in done("compare", frames, "stack.tif").stdout


def test_images_that_are_not_alike_are_refused(refused, png, frames):
    PillowImage.new("RGB", (9, 9)).save("small.png")
    PillowImage.fromarray(np.zeros((72, 104), np.uint16)).save("deep.png")
    for other in ("small.png", "deep.png", frames):
        assert "cannot be compared" in refused("compare", png, other)
    assert refused("compare", png, "gone.png") == "gone.png does not exist."
    Path("bad.pcai").write_bytes(b"what")
    assert refused("compare", png, "bad.pcai") == "bad.pcai: This is not a .pcai file."

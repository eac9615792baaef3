import json

import numpy as np
import pytest
from PIL import Image

from benchmarks.codecs import jpeg
from benchmarks.measuring import Job, points
from benchmarks.methods import pca_blocks, pca_photo
from benchmarks.photographs import made_photograph, middles
from benchmarks.rate_distortion import chosen_methods, main, parser


@pytest.fixture
def folder(tmp_path):
    images = tmp_path / "images"
    images.mkdir()
    Image.fromarray(made_photograph(48, 64)).save(images / "photograph.png")
    return images


def test_complete_files_and_decoded_pixels_are_measured(folder):
    image = folder / "photograph.png"
    array = np.asarray(Image.open(image))
    found = points(Job(jpeg(), image, warm=True))
    assert [point.quality for point in found] == list(jpeg().qualities)
    for point in found:
        data = jpeg().encode(array, point.quality)
        assert point.n_bytes == len(data)
        assert point.bpp == 8 * len(data) / (48 * 64)
        error = np.square(jpeg().decode(data).astype(float) - array).mean()
        assert point.psnr == pytest.approx(10 * np.log10(255**2 / error))


@pytest.mark.slow
def test_settings_that_an_image_cannot_have_are_left_out(tmp_path):
    Image.fromarray(made_photograph(32, 32)[..., 0]).save(tmp_path / "grey.png")
    found = points(Job(pca_blocks(), tmp_path / "grey.png"))
    assert 0 < len(found) < len(pca_blocks().qualities)


@pytest.mark.slow
def test_a_second_run_encodes_the_projects_own_files_only(folder, tmp_path, capsys):
    files = {name: tmp_path / name for name in ("cache.json", "result.json", "curves.svg")}
    command = ["--images", str(folder), "--codecs", "jpeg", "jpeg2000", "--settings", "2,8,24"]
    command += ["--cache", str(files["cache.json"]), "--json", str(files["result.json"])]
    assert main([*command, "--each", "--picture", str(files["curves.svg"])]) == 0
    first, shown = json.loads(files["result.json"].read_text()), capsys.readouterr()
    assert "3/3 photograph.png: JPEG 2000" in shown.err
    assert "Bytes at equal SSIM" in shown.out
    assert "Times" not in shown.out
    assert "JPEG 2000" in files["curves.svg"].read_text()

    assert main(command) == 0
    assert capsys.readouterr().err == "1/1 photograph.png: PCA photo\n"
    assert json.loads(files["result.json"].read_text()) == first


def test_a_run_is_made_quicker_by_fewer_settings_and_smaller_images(folder, tmp_path):
    options = parser().parse_args(["--images", ".", "--every", "3"])
    assert [codec.qualities for codec in chosen_methods(options)] == [pca_photo().qualities[2::3]]
    (cut,) = middles([folder / "photograph.png"], 32, tmp_path)
    assert np.array_equal(np.asarray(Image.open(cut)), made_photograph(48, 64)[8:40, 16:48])

import json

import numpy as np
import pytest
from PIL import Image

from benchmarks.codecs import RIVALS, jpeg, rivals
from benchmarks.flat_colours import Point, ratios
from benchmarks.levers import without
from benchmarks.measuring import Job, points
from benchmarks.methods import pca_photo
from benchmarks.perceptual import WEIGHTS, ms_ssim
from benchmarks.photographs import made_photograph, middles
from benchmarks.rate_distortion import chosen_methods, main, parser
from pcaimage.api import open_bytes
from pcaimage.codec.compressed import SHRUNK


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


def test_each_point_is_compared_with_the_smallest_file_that_is_not_worse():
    theirs = [Point(50, 25.0), Point(100, 35.0), Point(200, 45.0), Point(400, 54.0), Point(900, 70.0)]
    ours = [Point(60, 40.0), Point(70, 36.0), Point(90, 100.0)]
    assert ratios(theirs, ours) == pytest.approx([60 / 100, 90 / 200, 90 / 400])
    assert ratios(theirs, [Point(60, 40.0)]) == pytest.approx([0.6])


STEP = 20.0


@pytest.fixture(scope="module")
def image():
    """Return noisy stripes of two strong colours, of which every part of the method makes something."""
    random = np.random.default_rng(3)
    rows, columns = np.mgrid[:256, :264]
    stripes = np.where(((rows + 2 * columns) // 24 % 2)[..., None], (200, 60, 20), (40, 90, 180))
    return np.clip(stripes + random.normal(0, 6, stripes.shape), 0, 255).astype(np.uint8)


def header_without(lever, image):
    """Return what a file says of how it was made."""
    codec = pca_photo() if lever is None else without(pca_photo(), [lever])
    header = open_bytes(codec.encode(image, STEP)).compressed.header
    return {
        "trellis": header.dependent,
        "shrinkage": bool(header.tools & SHRUNK),
        "order": bool(header.slopes),
    }


@pytest.mark.parametrize("lever", ["trellis", "shrinkage", "order"])
def test_a_file_lacks_only_what_is_left_out(lever, image):
    assert all(header_without(None, image).values())
    found = header_without(lever, image)
    assert [name for name, present in found.items() if not present] == [lever]


@pytest.mark.parametrize(("shape", "weight"), [((180, 180), WEIGHTS[-1]), ((20, 30), sum(WEIGHTS))])
def test_a_brighter_image_differs_by_the_luminance_of_its_coarsest_scale(shape, weight):
    dark, bright = np.full(shape, 50, np.uint8), np.full(shape, 100, np.uint8)
    constant = (0.01 * 255) ** 2
    light = (2 * 50 * 100 + constant) / (50**2 + 100**2 + constant)
    assert ms_ssim(dark, bright) == pytest.approx(light**weight)
    with pytest.raises(ValueError, match="at least 11 pixels"):
        ms_ssim(dark[:10], bright[:10])


def test_every_codec_to_compare_with_is_there_or_its_absence_is_said():
    found, missing = rivals()
    assert len(found) + len(missing) == len(RIVALS)
    assert [codec.name for codec in rivals(["webp", "jpeg"])[0]] == ["WebP", "JPEG 4:2:0"]

import io
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image, UnidentifiedImageError
from skimage import data

import pcaimage.api
from pcaimage.plugins import pillow


@pytest.fixture(autouse=True)
def registered():
    pillow.register()


def photograph():
    return Image.fromarray(data.astronaut()[:96, :120])


def saved(image, **options):
    file = io.BytesIO()
    image.save(file, "PCAI", **options)
    file.seek(0)
    return file


@pytest.mark.slow
def test_an_image_saved_by_its_ending_opens_again(tmp_path):
    path = tmp_path / "photo.pcai"
    photograph().save(path, psnr=38.0)
    with Image.open(path) as image:
        assert (image.format, image.mode, image.size) == ("PCAI", "RGB", (120, 96))
        difference = np.asarray(image).astype(float) - np.asarray(photograph())
    assert 38 <= 10 * np.log10(255**2 / np.square(difference).mean()) <= 38.1


def test_pillow_shows_the_pixels_that_the_library_decodes_and_channels_can_be_chosen():
    file = saved(photograph(), k=12, block=4)
    expected = pcaimage.decode(file.getvalue())
    with Image.open(file) as image:
        assert np.array_equal(np.asarray(image), expected)
        assert image.info["components"] == 12
    opened = pcaimage.api.open_bytes(saved(photograph(), method="channels", k=2).getvalue())
    assert opened.compressed.header.sampling == pcaimage.Bands()


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA", "I;16"])
@pytest.mark.sweep(3)
def test_modes_come_back(mode):
    image = photograph().convert("L" if mode == "I;16" else mode)
    if mode == "I;16":
        image = Image.fromarray(np.asarray(image).astype(np.uint16) * 257)
    with Image.open(saved(image, variance=0.999)) as again:
        assert again.mode == mode
        again.load()
        assert again.size == image.size


@pytest.mark.parametrize("mode", ["1", "P", "PA", "CMYK", "YCbCr", "HSV", "LAB", "RGBX"])
def test_modes_that_would_change_are_refused(mode):
    image = Image.new(mode, (20, 10))
    with pytest.raises(OSError, match=f"mode {mode} cannot be written as PCAI; convert them to RGB"):
        saved(image)


@pytest.mark.parametrize("mode", ["I", "F"])
def test_for_numbers_that_colours_would_clip_the_library_is_named(mode):
    image = Image.new(mode, (20, 10), 1000)
    with pytest.raises(OSError, match=r"encode\(numpy.asarray\(image, 'float32'\)\) takes such numbers"):
        saved(image)
    assert np.abs(pcaimage.decode(pcaimage.encode(np.asarray(image, "float32"))) - 1000).max() < 1


def psnr(image, **options):
    with Image.open(saved(image, **options)) as again:
        error = np.square(np.asarray(again).astype(float) - np.asarray(image)).mean()
    return float(10 * np.log10(255**2 / error)) if error else float("inf")


@pytest.mark.slow
def test_quality_says_how_much_is_kept():
    found = [psnr(photograph(), quality=quality) for quality in (10, 50, 75, 90, 95, 100)]
    assert found == sorted(found)
    assert found[-1] == float("inf")
    assert 33 < found[2] < 40
    default, ninety = saved(photograph()).getvalue(), saved(photograph(), quality=90).getvalue()
    assert default == ninety
    deep = Image.fromarray(np.asarray(photograph().convert("L")).astype(np.uint16) * 257)
    assert len(saved(deep, quality=90).getvalue()) < 1.5 * len(saved(photograph().convert("L")).getvalue())


@pytest.mark.parametrize("method", ["blocks", "channels"])
@pytest.mark.slow
def test_quality_is_of_use_for_every_method(method):
    coarse, fine = (psnr(photograph(), method=method, quality=quality) for quality in (30, 90))
    assert coarse + 3 < fine
    assert fine == pytest.approx(38.9, abs=0.1)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"quality": 0}, "from 1 to 100, not 0"),
        ({"quality": 101}, "from 1 to 100"),
        ({"quality": "high"}, "from 1 to 100"),
        ({"quality": 80, "psnr": 30.0}, "one of quality and psnr"),
        ({"k": 3, "psnr": 30.0}, "not both"),
        ({"method": "stack"}, "must be photo, blocks or channels"),
    ],
)
def test_options_that_mean_nothing_or_contradict_each_other_are_refused(options, sentence):
    with pytest.raises(OSError, match=sentence):
        saved(photograph(), **options)


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "I;16"])
@pytest.mark.sweep(2)
def test_all_images_of_a_sequence_are_saved_as_a_stack(mode):
    frames = list[Image.Image]()
    for number in range(3):
        part = photograph().crop((number, 0, number + 40, 30))
        deep = np.asarray(part.convert("L")).astype(np.uint16) * 257
        frames.append(Image.fromarray(deep) if mode == "I;16" else part.convert(mode))
    file = saved(frames[0], save_all=True, append_images=frames[1:], variance=1.0)
    with Image.open(file) as image:
        assert (image.n_frames, image.is_animated, image.mode, image.size) == (3, True, mode, (40, 30))
        for number in (2, 0, 1):
            image.seek(number)
            assert image.tell() == number
            error = np.asarray(image).astype(float) - np.asarray(frames[number])
            assert np.abs(error).mean() < (1 if mode != "I;16" else 257)
        with pytest.raises(EOFError):
            image.seek(3)
    again = saved(frames[0], save_all=True)
    with Image.open(again) as image:
        assert (image.n_frames, image.is_animated) == (1, False)
    with pytest.raises(OSError, match="one size and mode"):
        saved(frames[0], save_all=True, append_images=[frames[1].resize((7, 7))])


@pytest.mark.parametrize("options", [{}, {"block": 8, "k": 20}, {"method": "channels", "k": 2}])
@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L"])
@pytest.mark.sweep(5)
def test_a_draft_is_a_preview_for_thumbnails(options, mode):
    if mode == "L" and options.get("method"):
        options = {"method": "channels"}
    image = Image.fromarray(data.astronaut()[:203, :301]).convert(mode)
    file = saved(image, **options)
    with Image.open(file) as draft:
        box = draft.draft(None, (70, 50))
        assert box == (mode, (0, 0, 301 / 4, 203 / 4))
        assert draft.size == (76, 51)
        assert draft.draft(None, (10, 10)) is None
        found = np.asarray(draft).astype(float)
    with Image.open(file) as whole:
        expected = np.asarray(whole.reduce(4)).astype(float)
        assert whole.draft(None, (10, 10)) is None  # it is decoded already
    assert found.shape == expected.shape
    assert np.sqrt(np.square(found - expected).mean()) < 4
    with Image.open(file) as small:
        small.thumbnail((40, 40))
        assert small.size == (40, 27)
        small.load()


@pytest.mark.slow
def test_what_has_no_draft_is_decoded_as_a_whole():
    deep = Image.fromarray(np.zeros((64, 64), np.uint16))
    cases = ((deep, (8, 8), {}), (photograph(), (119, 96), {}), (photograph(), None, {}))
    for image, size, options in (*cases, (photograph(), (8, 8), {"lossless": True})):
        with Image.open(saved(image, **options)) as opened:
            assert opened.draft("L", size) is None


def test_opacity_profile_and_exif_travel():
    image, exif = photograph().convert("RGBA"), Image.Exif()
    image.putalpha(Image.linear_gradient("L").resize(image.size))
    exif[0x010E] = "a description"
    with Image.open(saved(image, k=3, icc_profile=b"profile", exif=exif)) as again:
        assert np.array_equal(np.asarray(again)[..., 3], np.asarray(image)[..., 3])
        assert again.info["icc_profile"] == b"profile"
        assert again.getexif()[0x010E] == "a description"


def test_damaged_files_and_many_bands_are_refused_in_the_library_s_sentence():
    whole = saved(photograph(), k=3).getvalue()
    damaged = bytearray(whole)
    damaged[40] ^= 0xFF
    cube = np.random.default_rng(0).integers(0, 255, (16, 16, 7), dtype=np.uint8)
    for content, sentence in (
        (damaged, r"^The file is damaged: a checksum does not match\. \(at byte"),
        (whole[: len(whole) // 2], r"^The file is cut short"),
        (pcaimage.encode(cube, pcaimage.Settings(pcaimage.Channels(), k=2)), "no mode for 7 channels of"),
    ):
        with pytest.raises(OSError, match=sentence):
            Image.open(io.BytesIO(content))
    with pytest.raises(UnidentifiedImageError):
        Image.open(io.BytesIO(b"something else"))


def test_the_media_type_is_known_and_registering_twice_or_importing_changes_nothing():
    assert Image.MIME["PCAI"] == "image/x-pcaimage"
    with Image.open(saved(photograph(), k=3)) as image:
        assert image.get_format_mimetype() == "image/x-pcaimage"
    before = dict(Image.OPEN), list(Image.ID), dict(Image.EXTENSION)
    pillow.register()
    assert (dict(Image.OPEN), list(Image.ID), dict(Image.EXTENSION)) == before
    code = "import PIL.Image, pcaimage.plugins.pillow; assert 'PCAI' not in PIL.Image.OPEN"
    subprocess.run([sys.executable, "-c", code], timeout=120, check=True)

import math
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PillowImage
from PIL import ImageCms

from pcaimage import container
from pcaimage.codec import Metadata


def rewrite(path, **changes):
    path.write_bytes(container.write(replace(container.read(path.read_bytes()), **changes)))


def test_json_has_the_same_keys_for_ever(figures, pcai):
    assert list(figures("info", pcai)) == [
        *("format_version", "width", "height", "channels", "frames", "dtype", "array", "peak", "alpha"),
        *("icc_profile", "exif", "xmp", "iptc", "durations", "plays", "method", "block", "tools"),
        *("standardized", "mnf", "k", "k_max", "step"),
        *("file_bytes", "raw_bytes", "original_bytes", "original_name", "bits_per_pixel", "ratio"),
        *("variance_kept", "bytes", "lossless", "max_error", "band_names", "wavelengths"),
        *("wavelength_unit", "nodata", "georeferenced"),
        *("value_unit", "scales", "offsets", "value_range", "basis", "spectrum"),
    ]


def test_the_figures_are_the_files_and_a_table_tells_people_the_same(figures, done, pcai, png):
    found, size = figures("info", pcai), pcai.stat().st_size
    same = {"width": 104, "height": 72, "channels": 3, "frames": 1, "dtype": "uint8", "block": 8, "k": 20}
    wanted = same | {
        "format_version": "1.0",
        "method": "blocks",
        "k_max": len(found["spectrum"]),
        "file_bytes": size,
        "original_bytes": png.stat().st_size,
        "original_name": "in.png",
    }
    assert {name: found[name] for name in wanted} == wanted
    assert found["bits_per_pixel"] == pytest.approx(8 * size / (72 * 104))
    assert found["ratio"] == pytest.approx(72 * 104 * 3 / size)
    assert 0.9 < found["variance_kept"] < 1
    text = done("info", pcai).stdout
    for words in (
        *("in.pcai", "in.png", "104 × 72 pixels, 3 channels, uint8", "blocks of 8 × 8 pixels", "20 of 117"),
        *("bits per pixel", "version 1.0", "scores", "% of the variance"),
    ):
        assert words in text
    assert "\x1b" not in text


@pytest.mark.slow
def test_the_parts_add_up_to_the_file(figures, done, picture):
    alpha = np.full(picture.shape[:2], 9, np.uint8)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    PillowImage.fromarray(np.dstack([picture, alpha])).save("rgba.png", icc_profile=profile)
    done("encode", "rgba.png", "out.pcai", "--standardize", "--block", 4, "--variance", 1)
    rewrite(Path("out.pcai"), preview=picture[:4, :5])
    found = figures("info", "out.pcai")
    assert list(found["bytes"]) == [
        *("header", "mean", "basis", "scores", "tiles"),
        *("residual", "spectrum", "metadata", "alpha", "preview"),
    ]
    assert sum(found["bytes"].values()) == Path("out.pcai").stat().st_size
    assert all(size for name, size in found["bytes"].items() if name not in {"tiles", "residual"})
    assert found["alpha"]
    assert found["icc_profile"]
    assert not found["exif"]


def test_parts_of_a_later_version_count_as_metadata(figures, pcai):
    before, data = figures("info", pcai), pcai.read_bytes()
    end = [chunk.start for chunk in container.scan(data)][-1]
    body = b"z\x03new"
    pcai.write_bytes(data[:end] + body + zlib.crc32(body).to_bytes(4, "little") + data[end:])
    after = figures("info", pcai)
    assert after["bytes"]["metadata"] == before["bytes"]["metadata"] + len(body) + 4
    assert sum(after["bytes"].values()) == pcai.stat().st_size


def test_a_photo_is_told_as_one(figures, done, photo):
    found = figures("info", photo)
    assert (found["method"], found["block"], found["k_max"], found["lossless"]) == ("photo", None, 192, False)
    assert (found["variance_kept"], found["spectrum"]) == (None, [])
    assert sum(found["bytes"].values()) == photo.stat().st_size
    assert found["bytes"]["scores"] > 0.8 * photo.stat().st_size
    text = done("info", photo).stdout
    assert f"{found['k']} of 192" in text
    assert "Variance" not in text  # which no file of a photo tells


@pytest.mark.slow
def test_a_stack_is_told_by_its_images(done, frames):
    done("encode", frames, "out.pcai", "--method", "stack", "--standardize", "--k", 2)
    text = done("info", "out.pcai").stdout
    assert "6 images of 104 × 72 pixels" in text
    assert "stack, standardised" in text


def test_what_a_file_does_not_tell_is_left_open(figures, done, pcai):
    rewrite(pcai, spectrum=np.zeros(0), metadata=Metadata())
    found = figures("info", pcai)
    assert (found["variance_kept"], found["original_name"], found["original_bytes"]) == (None, None, None)
    assert (found["k_max"], found["spectrum"]) == (20, [])
    text = done("info", pcai).stdout
    assert "not recorded" in text
    assert "unnamed" in text


def test_an_image_of_one_colour_keeps_all_of_no_variance_and_tiles_are_a_part(figures, done):
    PillowImage.new("L", (20, 20), 7).save("flat.png")
    done("encode", "flat.png", "out.pcai", "--method", "blocks")
    assert figures("info", "out.pcai")["variance_kept"] == 1
    assert "1 channel, uint8" in done("info", "out.pcai").stdout
    found = figures("info", Path(__file__).parents[2] / "golden" / "tiles-lossless.pcai")
    assert found["bytes"]["tiles"] > found["file_bytes"] / 2


def test_a_strangers_name_cannot_write_on_the_terminal(done, pcai):
    rewrite(pcai, metadata=Metadata(name="\x1b]0;owned\x07[bold]x[/bold].png"))
    text = done("info", pcai).stdout
    assert "\x1b" not in text
    assert "?]0;owned?[bold]x[/bold].png" in text


def test_what_cannot_be_read_is_named(refused, pcai, png):
    Path("cut.pcai").write_bytes(pcai.read_bytes()[:-5])
    Path("long.pcai").write_bytes(pcai.read_bytes() + b"x")
    Path("empty.pcai").touch()
    assert refused("info", "cut.pcai").startswith("cut.pcai: The file is cut short")
    assert refused("info", "long.pcai").startswith("long.pcai: There are bytes after the end")
    assert refused("info", "empty.pcai") == "empty.pcai: This is not a .pcai file."
    png.rename("in.txt").write_bytes(b"neither")
    assert refused("info", "in.txt").startswith("in.txt is not an image")
    assert "no such file" in refused("info", "gone.pcai")


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

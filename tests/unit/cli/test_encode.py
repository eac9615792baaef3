import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PillowImage
from PIL import ImageCms

import pcaimage
from pcaimage.imaging import Image, Timing, psnr, read_image, write_image
from tests.flat import logo


def opened(path):
    return pcaimage.open(path)


def test_one_line_tells_sizes_ratio_k_and_quality(done, png):
    result = done("encode", png, "out.pcai", "--method", "blocks", "--k", 12)
    assert result.stdout.count("\n") == 1
    assert result.stdout.startswith("out.pcai: ")
    assert "of PNG" in result.stdout
    assert "k = 12 of 117" in result.stdout
    assert "dB" in result.stdout
    assert not result.stderr


def test_json_has_the_same_keys_for_ever_and_the_input_is_never_touched(figures, png, picture):
    before = png.read_bytes(), png.stat().st_mtime_ns
    found = figures("encode", png, "out.pcai", "--k", 9)
    assert list(found) == [
        *("input", "output", "file_bytes", "raw_bytes", "original_bytes", "ratio", "bits_per_pixel"),
        *("k", "k_max", "step", "psnr", "peak", "model", "max_error", "nodata", "psnr_unrounded"),
    ]
    assert found["file_bytes"] == Path("out.pcai").stat().st_size
    assert found["raw_bytes"] == 72 * 104 * 3
    assert found["original_bytes"] == png.stat().st_size
    assert found["psnr"] == pytest.approx(psnr(picture, opened(Path("out.pcai")).decode()), abs=1e-9)
    assert (png.read_bytes(), png.stat().st_mtime_ns) == before


@pytest.mark.slow
def test_what_pca_loses_is_told_apart_from_what_rounding_adds(done, figures, png, picture):
    samples = pcaimage.Blocks(8).to_samples(picture).astype(float)
    model = pcaimage.PCA(9).fit(samples)
    exact = float(np.square(model.inverse_transform(model.transform(samples)) - samples).mean())
    words = ("encode", png, "out.pcai", "--method", "blocks", "--k", 9, "--step", 40)
    found = figures(*words)
    assert found["psnr_unrounded"] == pytest.approx(10 * math.log10(255**2 / exact), abs=0.01)
    assert found["psnr_unrounded"] > found["psnr"] + 0.1
    assert f"({found['psnr_unrounded']:.2f} dB before rounding)" in done(*words, "--overwrite").stdout
    less = figures(*words, "--leave-out", "2", "--overwrite")
    assert less["psnr_unrounded"] < found["psnr_unrounded"]
    for method in ("photo", "blocks"):
        scaled = ["--standardize"] if method == "blocks" else []
        other = figures("encode", png, "out.pcai", "--method", method, *scaled, "--overwrite")
        assert other["psnr_unrounded"] is None


@pytest.mark.slow
def test_a_size_counts_profile_exif_and_opacity(done, picture):
    alpha = np.random.default_rng(1).integers(0, 256, picture.shape[:2], np.uint8)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    exif = PillowImage.Exif()
    exif[0x010E] = "a description that takes some bytes of the file"
    image = PillowImage.fromarray(np.dstack([picture, alpha]))
    image.save("rgba.png", icc_profile=profile, exif=exif.tobytes())
    done("encode", "rgba.png", "out.pcai", "--size", 12_000)
    assert Path("out.pcai").stat().st_size <= 12_000
    file = opened(Path("out.pcai")).image()
    assert np.array_equal(file.alpha, alpha)
    assert file.icc_profile == profile
    assert file.exif is not None


def test_block_size_step_and_standardising_reach_the_file(done, figures, png):
    done("encode", png, "out.pcai", "--block", 4, "--k", 6, "--step", 0.5, "--standardize")
    found = figures("info", "out.pcai")
    assert (found["block"], found["k"], found["step"], found["standardized"]) == (4, 6, 0.5, True)


@pytest.mark.slow
def test_a_file_larger_than_the_original_is_called_that(done, png):
    PillowImage.new("L", (64, 64), 7).save("flat.png")
    assert "larger than" in done("encode", "flat.png", "out.pcai", "--method", "blocks").stdout
    assert "lossless" in done("encode", "flat.png", "out.pcai", "--overwrite").stdout
    assert "from" in done("encode", png, "small.pcai", "--k", 3).stdout


def test_an_existing_file_is_replaced_only_on_request(done, refused, png):
    Path("out.pcai").write_bytes(b"precious")
    assert refused("encode", png, "out.pcai") == "out.pcai already exists; --overwrite replaces it."
    assert Path("out.pcai").read_bytes() == b"precious"
    done("encode", png, "out.pcai", "--overwrite")
    assert opened(Path("out.pcai")).k > 0


def test_what_cannot_be_kept_is_refused_before_a_file_appears(refused, png):
    unfit = json.loads((Path(__file__).parent / "not_kept.json").read_text("utf-8"))
    for words, reason in unfit.items():
        assert reason in refused("encode", png, "out.pcai", *words.split())
        assert not Path("out.pcai").exists()


@pytest.mark.parametrize(
    ("source", "words", "reason"),
    [
        ("missing.png", (), "missing.png does not exist."),
        ("missing.pcai", (), "missing.pcai does not exist."),
        ("broken.png", (), "broken.png is damaged, cut short, or not an image."),
        ("empty.png", (), "empty.png is empty."),
        ("frames", (), "--method stack"),
        ("in.pcai", (), "already compressed"),
        ("in.pcai", ("--method", "stack"), "already compressed"),
        ("nothing", ("--method", "stack"), "no images"),
    ],
)
@pytest.mark.sweep(3)
def test_an_unsuitable_input_is_named(refused, pcai, frames, source, words, reason):
    Path("broken.png").write_bytes(frames.joinpath("0.png").read_bytes()[:200])
    Path("empty.png").touch()
    Path("nothing").mkdir()
    assert reason in refused("encode", source, "out.pcai", *words)
    assert pcai.exists()


def test_an_unsuitable_output_is_refused_before_work_begins(refused, png, monkeypatch):
    Path("folder.pcai").mkdir()
    for target, reason in {
        "out.png": "must end in .pcai",
        "no/such/out.pcai": "there is no folder",
        "folder.pcai": "is a folder",
    }.items():
        assert reason in refused("encode", png, target)
    # Permissions stop everybody but root, whom tests may run as.
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "is not permitted" in refused("encode", png, "out.pcai")


def test_an_exact_file_that_was_not_asked_for_is_told_of(done):
    PillowImage.fromarray(logo()).save("logo.png")
    assert "nothing is lost" in done("encode", "logo.png", "out.pcai").stdout
    assert "nothing is lost" not in done("encode", "logo.png", "exact.pcai", "--lossless").stdout
    assert "logo.png: The exact file" in done("batch", "logo.png", "-o", "made").stderr
    assert Path("out.pcai").stat().st_size == Path("exact.pcai").stat().st_size


TIMING = Timing((40, 60, 100, 20), 2)


@pytest.fixture
def gif(tmp_path):
    y, x = np.mgrid[:20, :30]
    frames = [np.stack([20 * (x // 4), 10 * y, np.full_like(x, 80 * n)], -1) for n in range(4)]
    path = tmp_path / "moving.gif"
    write_image(path, Image(np.stack(frames).astype(np.uint8), timing=TIMING))
    return path


def test_an_animation_is_compressed_whole_and_restored_in_every_format(done, gif):
    assert "only" not in done("encode", gif, "moving.pcai", "--step", "0.5").stderr
    folder = gif.parent
    original = read_image(gif).pixels.astype(int)
    for name in ("out.gif", "out.png", "out.webp"):
        assert not done("decode", "moving.pcai", name).stderr
        found = read_image(folder / name)
        assert (found.timing, found.pixels.shape) == (TIMING, (4, 20, 30, 3))
        assert np.abs(found.pixels - original).mean() < 12
    told = done("decode", "moving.pcai", "out.tif").stderr
    assert "TIFF keeps the 4 frames, but not how long they are shown" in told
    assert not done("decode", "moving.pcai", "one.jpg", "--frame", "2").stderr


def test_info_tells_frames_durations_and_plays(done, figures, gif):
    assert "rounding" not in done("encode", gif, "moving.pcai").stdout
    for path in (gif, "moving.pcai"):
        assert "0.22 s, 20 to 100 ms a frame, played 2 times" in done("info", path).stdout
        found = figures("info", path)
        assert (found["durations"], found["plays"]) == ([40, 60, 100, 20], 2)
    assert figures("info", "moving.pcai")["format_version"] == "1.0"


def test_one_frame_is_taken_only_if_asked_for_and_said_to_be_one(done, refused, gif):
    result = done("encode", gif, "one.pcai", "--frame", "3", "--method", "photo", "--lossless")
    assert "of moving.gif, only image 3 is compressed" in result.stderr
    done("decode", "one.pcai", "one.png")
    np.testing.assert_array_equal(read_image(gif.parent / "one.png").pixels, read_image(gif).pixels[2])
    assert "there is no frame 5" in refused("encode", gif, "x.pcai", "--frame", "5")
    assert "--frame 1 compresses only the first" in refused("encode", gif, "x.pcai", "--method", "photo")
    assert "neither a stack" in refused("encode", gif, "x.pcai", "--frame", "1", "--method", "stack")


def test_the_pages_of_a_tiff_are_not_left_out_silently(done, tmp_path):
    write_image(tmp_path / "pages.tif", Image(np.arange(2 * 9 * 8 * 3, dtype=np.uint8).reshape(2, 9, 8, 3)))
    told = done("encode", "pages.tif", "first.pcai").stderr
    assert "pages.tif has 2 images, of which only the first is compressed" in told
    assert "--frame another" in told
    assert "only image 2" in done("encode", "pages.tif", "second.pcai", "--frame", "2").stderr


def test_an_animation_over_the_limit_may_give_a_frame(refused, done, gif):
    text = refused("encode", gif, "x.pcai", "--limit", "5000")
    assert "30 x 20 pixels x 4 images" in text
    assert text.endswith("or --frame to compress a single frame.")
    done("encode", gif, "x.pcai", "--limit", "5000", "--frame", "1")


def test_a_damaged_animation_is_compressed_as_far_as_it_is_intact(done, refused, gif):
    gif.write_bytes(gif.read_bytes()[:-40])
    text = refused("encode", gif, "cut.pcai")
    assert text.endswith("only its first 3 frames are intact; --salvage compresses what is.")
    assert "1 frame is damaged or missing" in done("info", gif).stdout
    told = done("encode", gif, "cut.pcai", "--salvage").stderr
    assert "moving.gif is damaged; its first 3 frames are intact, and are compressed." in told
    assert "3 images of 30 × 20 pixels" in done("info", "cut.pcai").stdout


def test_a_batch_keeps_animations(done, command, gif):
    done("batch", gif, "-o", "out")
    done("decode", "out/moving.pcai", "again.webp")
    assert read_image(gif.parent / "again.webp").timing == TIMING
    result = command("batch", gif, "-o", "jpegs", "--export", "jpeg")
    assert result.exit_code == 2
    assert "JPEG cannot hold an animation of 4 frames" in result.stderr
    assert not list((gif.parent / "jpegs").glob("*.jpg"))

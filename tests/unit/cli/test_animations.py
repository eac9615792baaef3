"""Animations on the command line: all frames with their durations, or one that is asked for."""

import numpy as np
import pytest

from pcaimage.imaging import Image, Timing, read_image, write_image

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
    assert not done("decode", "moving.pcai", "one.jpg", "--index", "2").stderr


def test_info_tells_frames_durations_and_plays(done, figures, gif):
    done("encode", gif, "moving.pcai")
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

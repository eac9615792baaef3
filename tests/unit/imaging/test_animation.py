"""Animated GIF, PNG and WebP: frames as a viewer shows them, durations, damage."""

import io
import struct
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image as PillowImage
from PIL import ImageSequence

from pcaimage.errors import DataError, ImageError, ImageTooLargeError
from pcaimage.imaging import Image, Limits, Timing, encode_image, inspect, probe, read_image, read_stack
from pcaimage.imaging.moving.animation import DamagedAnimationError, Layer, Part, composed
from pcaimage.imaging.still.png import SIGNATURE, chunk

TIMING = Timing((40, 60, 100, 20), 3)
KINDS = ("GIF", "PNG", "WEBP")


def moving(frames=4, *, alpha=False):
    """A bar of few colours that moves over a ground, with a hole if there is alpha; two frames are equal."""
    y, x = np.mgrid[:20, :30]
    places = [0, *range(frames - 1)]
    pixels = np.stack([np.stack([20 * (x // 4), 10 * y, 255 * (abs(x - 6 - 5 * n) < 3)], -1) for n in places])
    hole = np.where((x - 15) ** 2 + (y - 10) ** 2 < 30, 0, 255).astype(np.uint8)
    opacity = np.stack([np.roll(hole, n, axis=1) for n in places]) if alpha else None
    timing = Timing(TIMING.durations[:frames], TIMING.plays)
    return Image(pixels.astype(np.uint8), opacity, timing=timing)


def by_pillow(image, kind, **options):
    buffer = io.BytesIO()
    layers = (
        image.pixels if image.alpha is None else np.concatenate([image.pixels, image.alpha[..., None]], -1)
    )
    first, *others = map(PillowImage.fromarray, layers)
    durations = [] if image.timing is None else [round(each) for each in image.timing.durations]
    first.save(buffer, kind, save_all=True, append_images=others, duration=durations, loop=3, **options)
    return buffer.getvalue()


def assert_same(found, wanted):
    if wanted.alpha is None:
        assert found.alpha is None
        np.testing.assert_array_equal(found.pixels, wanted.pixels)
        return
    np.testing.assert_array_equal(found.alpha, wanted.alpha)
    seen = wanted.alpha > 0
    np.testing.assert_array_equal(found.pixels[seen], wanted.pixels[seen])


@pytest.mark.parametrize("alpha", [False, True])
@pytest.mark.parametrize("kind", ["GIF", "PNG"])
def test_an_animation_comes_back_with_its_timing(kind, *, alpha):
    image = moving(alpha=alpha)
    found = read_image(encode_image(image, kind))
    assert_same(found, image)
    assert (found.timing, found.format, found.frames) == (TIMING, kind, 4)


@pytest.mark.parametrize("alpha", [False, True])
def test_a_webp_comes_back_with_all_frames_though_two_are_equal(*, alpha):
    image = moving(alpha=alpha)
    found = read_image(encode_image(image, "WEBP", quality=100))
    assert found.timing == TIMING
    error = np.abs(found.pixels.astype(int) - image.pixels)
    assert error.mean() < 12  # colours are halved at hard edges
    if alpha:
        np.testing.assert_array_equal(found.alpha, image.alpha)


@pytest.mark.parametrize("kind", KINDS)
def test_other_programs_read_what_is_written(kind):
    image = moving()
    with PillowImage.open(io.BytesIO(encode_image(image, kind))) as found:
        frames = [(frame.convert("RGB"), frame.info["duration"]) for frame in ImageSequence.Iterator(found)]
    assert [duration for _, duration in frames] == [40, 60, 100, 20]
    if kind != "WEBP":
        np.testing.assert_array_equal(frames[3][0], image.pixels[3])


@pytest.mark.parametrize(
    ("kind", "options"),
    [("GIF", {}), ("GIF", {"disposal": 2}), ("PNG", {"blend": 0}), ("WEBP", {"lossless": True})],
)
def test_what_other_programs_write_is_read(kind, options):
    image = moving()
    pixels = image.pixels.copy()
    pixels[0, 0, 0] = 9  # Pillow leaves out a frame that is equal to the one before
    image = replace(image, pixels=pixels)
    found = read_image(by_pillow(image, kind, **options))
    assert_same(found, image)
    assert found.timing.durations == TIMING.durations
    assert found.timing.plays == (4 if kind == "GIF" else 3)


def test_sixteen_bits_and_grey_come_back_from_png(noise):
    for channels in (1, 3):
        pixels = np.stack([noise(9, 7, channels, seed=n).astype(np.uint16) * 257 - n for n in range(2)])
        image = Image(pixels, timing=Timing((1000 / 30, 1000 / 60)))
        found = read_image(encode_image(image, "PNG"))
        np.testing.assert_array_equal(found.pixels, pixels)
        assert found.timing == image.timing


def drawn(*parts):
    """Return value and opacity of the pixels of a 1 × 3 grey image, of each frame."""
    layers = dict(parts)
    frames = list(composed(layers, lambda part: layers[part], 3, 1))
    opacities = [np.full((1, 3), 255) if frame.alpha is None else frame.alpha for frame in frames]
    return [
        [
            (int(value), int(opacity))
            for value, opacity in zip(frame.pixels.ravel(), alpha.ravel(), strict=True)
        ]
        for frame, alpha in zip(frames, opacities, strict=True)
    ]


def layer(values, alpha=None):
    pixels = np.array(values, np.uint8)[None, :, None]
    return Layer(pixels, None if alpha is None else np.array(alpha, np.uint8)[None])


def test_frames_are_drawn_over_those_before_and_disposed_of():
    frames = drawn(
        (Part(0, 0, 3, 1, 10.0), layer([10, 20, 30])),
        (Part(1, 0, 1, 1, 20.0, "clear"), layer([99])),
        (Part(0, 0, 2, 1, 30.0, "restore"), layer([50, 60], [255, 255])),
        (Part(2, 0, 1, 1, 40.0), layer([70], [128])),
    )
    assert frames == [
        [(10, 255), (20, 255), (30, 255)],
        [(10, 255), (99, 255), (30, 255)],
        [(50, 255), (60, 255), (30, 255)],
        [(10, 255), (0, 0), (50, 255)],
    ]


def test_a_frame_that_does_not_blend_replaces_what_is_there():
    frames = drawn(
        (Part(0, 0, 3, 1, 1.0), layer([10, 20, 30])),
        (Part(0, 0, 2, 1, 2.0, "keep", blends=False), layer([1, 2], [0, 100])),
        (Part(1, 0, 1, 1, 3.0), layer([202], [128])),
    )
    assert frames[1] == [(1, 0), (2, 100), (30, 255)]
    # 128/255 of the new one over what is left of 100/255 of the old one.
    share = 128 * 255 + 127 * 100
    value = (202 * 128 * 255 + 2 * 127 * 100 + share // 2) // share
    assert frames[2][1] == (value, (share + 127) // 255)


def test_a_gif_is_transparent_where_nothing_was_drawn():
    # A first frame of 2 × 1 pixels in an image of 3 × 1, though the background colour is another.
    data = bytearray(encode_image(moving(2), "GIF"))
    place = data.index(b",") + 1
    assert struct.unpack_from("<4H", data, place) == (0, 0, 30, 20)
    data[6:10] = struct.pack("<2H", 32, 21)
    found = read_image(bytes(data))
    assert found.pixels.shape == (2, 21, 32, 3)
    assert found.alpha[:, :20, :30].all()
    assert not found.alpha[:, 20:].any()


def test_the_still_image_of_a_png_is_not_a_frame():
    data = encode_image(moving(2), "PNG")
    end = data.index(b"acTL") - 4
    start, rest = data[:end], data[end:]
    control = rest.index(b"fcTL") - 4
    still = encode_image(Image(np.zeros((20, 30, 3), np.uint8)), "PNG")
    pixels = still[still.index(b"IDAT") - 4 : still.index(b"IEND") - 4]
    first = rest.index(b"IDAT") - 4
    length = struct.unpack_from(">I", rest, first)[0]
    coded = rest[first + 8 : first + 8 + length]
    frame = chunk(b"fdAT", struct.pack(">I", 0) + coded)
    changed = start + rest[:control] + pixels + rest[control:first] + frame + rest[first + 12 + length :]
    assert changed.startswith(SIGNATURE)
    assert_same(read_image(changed), moving(2))


@pytest.mark.parametrize("kind", KINDS)
def test_a_single_frame_is_taken_if_asked_for(kind):
    data = encode_image(moving(), kind, quality=100 if kind == "WEBP" else None)
    whole = read_image(data)
    for index in (0, 3):
        one = read_image(data, frame=index)
        np.testing.assert_array_equal(one.pixels, whole.pixels[index])
        assert (one.timing, one.is_stack) == (None, False)
    np.testing.assert_array_equal(read_image(data, as_="image").pixels, whole.pixels[0])
    with pytest.raises(ImageError, match="has 4 frames; there is no frame 5"):
        read_image(data, frame=4)


def test_one_image_of_an_array_is_taken(noise):
    buffer = io.BytesIO()
    np.save(buffer, np.stack([noise(5, 6, 3, seed=n) for n in range(3)]))
    np.testing.assert_array_equal(read_image(buffer.getvalue(), frame=2).pixels, noise(5, 6, 3, seed=2))
    with pytest.raises(ImageError, match="has 3 images; there is no image 4"):
        read_image(buffer.getvalue(), frame=3)


@pytest.mark.parametrize("kind", KINDS)
def test_contents_tell_frames_and_timing_without_decoding(kind):
    data = encode_image(moving(), kind)
    contents = inspect(data)
    assert (contents.default.kind, contents.default.shape) == ("stack", (4, 20, 30, 3))
    assert (contents.timing, contents.frames_missing) == (TIMING, 0)
    assert probe(data).frames == 4
    still = inspect(encode_image(Image(moving().pixels[0]), "PNG" if kind == "GIF" else kind))
    assert (still.timing, still.kinds) == (None, ("image",))


@pytest.mark.parametrize("kind", KINDS)
def test_of_a_damaged_animation_the_frames_before_are_read_if_asked_for(kind):
    image = moving()
    data = encode_image(image, kind)
    cut = data[: len(data) - 40]
    with pytest.raises(DamagedAnimationError, match=r"only its first 3 frames are intact\.$") as error:
        read_image(cut)
    assert error.value.intact == 3
    found = read_image(cut, salvage=True)
    np.testing.assert_array_equal(found.pixels, read_image(data).pixels[:3])
    assert found.timing == Timing(TIMING.durations[:3], 3)
    assert inspect(cut).frames_missing == 1


@pytest.mark.parametrize("kind", KINDS)
def test_an_animation_cut_anywhere_or_beyond_limits_is_refused(kind):
    data = encode_image(moving(), kind)
    for cut in range(0, len(data), max(1, len(data) // 60)):
        with suppress(ImageError):
            assert read_image(data[:cut], salvage=True).pixels.shape[-3:] == (20, 30, 3)
    with pytest.raises(ImageTooLargeError, match="x 4 images"):
        read_image(data, Limits(max_bytes=20 * 30 * 3 * 4 - 1))
    assert read_image(data, Limits(max_bytes=20 * 30 * 3 * 4), frame=1).pixels.shape == (20, 30, 3)
    with pytest.raises(ImageError, match="holds several images itself"):
        read_stack([data, data])


def test_a_frame_whose_pixels_are_damaged_ends_what_is_intact():
    data = bytearray(encode_image(moving(), "GIF"))
    places = [at for at in range(len(data) - 1) if data[at : at + 2] == b"\0," and at > 20]
    block = places[2] + 2 + 9 + 768 + 1
    data[block + 1 : block + 1 + data[block]] = b"\xff" * data[block]
    with pytest.raises(DamagedAnimationError, match="first 2 frames"):
        read_image(bytes(data))


def test_formats_without_frames_say_so_and_gif_is_for_animations_only(noise):
    for kind in ("JPEG", "AVIF", "BMP", "JPEG2000"):
        with pytest.raises(
            ImageError, match=f"^{kind} cannot hold an animation of 4 frames; save it as GIF, WEBP or PNG.$"
        ):
            encode_image(moving(), kind)
    with pytest.raises(ImageError, match="only for animations"):
        encode_image(Image(noise(5, 6, 3)), "GIF")
    with pytest.raises(ImageError, match="GIF cannot hold a stack of 2 images"):
        encode_image(Image(noise(2, 5, 6)[..., None]), "GIF")


def test_many_colours_become_the_best_255_of_each_frame():
    y, x = np.mgrid[:40, :50]
    frames = np.stack([np.stack([5 * x, 6 * y, (x + y + 9 * n) % 256], -1) for n in range(2)]).astype(
        np.uint8
    )
    found = read_image(encode_image(Image(frames, timing=Timing((50, 50))), "GIF"))
    assert found.alpha is None
    assert np.abs(found.pixels.astype(int) - frames).mean() < 6


def test_timing_survives_bytes_and_damaged_bytes_are_none():
    for timing in (TIMING, Timing((1000 / 60,) * 500, 0), Timing((0.0, 12.3456, 12.3456), 1)):
        data, frames = timing.to_bytes(), len(timing.durations)
        assert Timing.from_bytes(data, frames) == timing
        assert Timing.from_bytes(data, frames + 1) is None
        assert Timing.from_bytes(data, frames - 1) is None
        assert Timing.from_bytes(data[:-1], frames) is None
        assert Timing.from_bytes(data + b"\0", frames) is None
    assert len(Timing((40.0,) * 10_000).to_bytes()) < 10
    assert Timing.from_bytes(b"\0" + b"\xff" * 5 + b"\x7f\1", 3) is None
    assert Timing.from_bytes(b"", 0) is None


def test_rounded_durations_last_as_long_together():
    assert Timing((1000 / 30,) * 6).rounded(10.0) == [3, 4, 3, 3, 4, 3]
    assert sum(Timing((16.667,) * 30).rounded(1.0)) == 500
    # Shorter ones than 20 ms are shown for 100 ms by browsers.
    assert set(Timing((1000 / 60,) * 10).rounded(10.0)) == {2}
    assert Timing((0, 10, 5)).rounded(10.0)[:2] == [0, 1]


def test_the_image_at_a_time_is_the_one_that_viewers_show():
    timing = Timing((40, 0, 60), 2)
    assert timing.at(0) == (0, 40)
    assert timing.at(39.5) == (0, 0.5)
    assert timing.at(40) == (1, 100)
    assert timing.at(199) == (2, 1)
    assert timing.at(200) == (0, 40)
    assert timing.at(400) is None
    assert Timing((40, 60)).at(1e9 + 50) == (1, 50)


def test_durations_belong_to_a_stack_of_as_many_images(noise):
    with pytest.raises(DataError, match="2 images, but the durations of 3"):
        Image(noise(2, 5, 6)[..., None], timing=Timing((1, 2, 3)))
    with pytest.raises(DataError, match="1 images, but"):
        Image(noise(5, 6, 3), timing=Timing((1,)))
    for durations in ((-1,), (float("nan"),), (1e12,)):
        with pytest.raises(DataError, match="not negative"):
            Timing(durations)
    with pytest.raises(DataError, match="played -1 times"):
        Timing((1,), -1)


def test_timing_in_words():
    assert Timing((80,) * 6).text == "0.48 s, 80 ms a frame, played for ever"
    assert TIMING.text == "0.22 s, 20 to 100 ms a frame, played 3 times"
    assert Timing((1500,), 1).text == "1.5 s, 1500 ms a frame, played once"

"""Whatever happens to a file, reading it gives an image or one sentence."""

import io
import struct
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as PillowImage

from pcaimage.errors import ImageError
from pcaimage.imaging import Image, encode_image, probe, read_image, read_stack

rng = np.random.default_rng(5)
_colour = rng.integers(0, 256, (12, 14, 3), np.uint8)
_deep = rng.integers(0, 65536, (6, 7, 3), np.uint16)


def _saved(kind, **options):
    buffer = io.BytesIO()
    PillowImage.fromarray(_colour).quantize(9).save(buffer, kind, **options)
    return buffer.getvalue()


FILES = {
    **{
        name: encode_image(Image(_colour), name)
        for name in ("PNG", "JPEG", "WEBP", "TIFF", "BMP", "AVIF", "JP2")
    },
    "GIF": _saved("GIF", transparency=1),
    "palette PNG": _saved("PNG", transparency=bytes(9)),
    "palette TIFF": _saved("TIFF", compression="tiff_lzw"),
    "16-bit PNG": encode_image(Image(_deep), "PNG"),
    "16-bit TIFF": encode_image(Image(_deep, _deep[..., 0]), "TIFF"),
}


def assert_image_or_sentence(data):
    for read in (read_image, probe, read_stack):
        with warnings.catch_warnings():
            # Pillow warns of damage in what surrounds the pixels; see the module `pillow`.
            warnings.simplefilter("ignore")
            try:
                read(data)
            except ImageError as error:
                message = str(error)
                assert message.endswith(".")
                assert "\n" not in message
                assert "PIL" not in message
                assert "tifffile" not in message


@pytest.mark.parametrize("name", FILES)
@pytest.mark.sweep(6)
def test_a_file_cut_short_anywhere(name):
    data = FILES[name]
    step = max(1, len(data) // 60)
    for cut in [*range(24), *range(24, len(data), step), len(data) - 1]:
        assert_image_or_sentence(data[:cut])


@pytest.mark.parametrize("name", ["PNG", "JPEG", "WEBP", "TIFF", "BMP", "GIF", "16-bit PNG", "16-bit TIFF"])
def test_a_file_cut_in_half_is_refused(name):
    data = FILES[name]
    with pytest.raises(ImageError):
        read_image(data[: len(data) // 2])


@given(st.sampled_from(sorted(FILES)), st.data())
@settings(max_examples=26, deadline=None)
@pytest.mark.slow
def test_changed_bytes(name, data):
    damaged = bytearray(FILES[name])
    position = st.integers(0, len(damaged) - 1) | st.integers(0, min(99, len(damaged) - 1))
    for place, value in data.draw(st.lists(st.tuples(position, st.integers(0, 255)), min_size=1, max_size=6)):
        damaged[place] = value
    assert_image_or_sentence(bytes(damaged))


@given(st.binary(max_size=200), st.sampled_from([b"", *[data[:16] for data in FILES.values()]]))
@settings(max_examples=20, deadline=None)
def test_bytes_that_were_never_an_image(data, start):
    assert_image_or_sentence(start + data)


@pytest.mark.parametrize("corner", [(15, 12), (65535, 1), (1, 65535), (40000, 40000)])
def test_a_frame_beyond_its_animation_is_refused_before_room_is_made_for_it(corner):
    frames = [PillowImage.fromarray(_colour), PillowImage.fromarray(255 - _colour)]
    buffer = io.BytesIO()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], disposal=2)
    data = bytearray(buffer.getvalue())
    assert read_stack(bytes(data)).pixels.shape == (2, 12, 14, 3)
    place = data.rindex(b",\0\0\0\0" + struct.pack("<2H", 14, 12)) + 5
    data[place : place + 4] = struct.pack("<2H", *corner)
    with pytest.raises(ImageError, match=r"^The image is damaged .*: only its first frame is intact\.$"):
        read_stack(bytes(data))
    assert read_image(bytes(data), frame=0).pixels.shape == (12, 14, 3)

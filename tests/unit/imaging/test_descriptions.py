"""XMP and IPTC: descriptions that files carry beside EXIF."""

import io
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image as Pillow

import pcaimage
from pcaimage import api, container
from pcaimage.imaging import Image, encode_image, read_image
from pcaimage.imaging.still.deep import stored_bits
from pcaimage.imaging.writing.adapt import strip_metadata

XMP = b'<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/">title</x:xmpmeta><?xpacket end="w"?>'
IPTC = b"\x1c\x02\x05\x00\x05title\x1c\x02\x50\x00\x02me"


def picture(**fields):
    y, x = np.mgrid[:24, :32]
    pixels = np.stack([8 * x, 10 * y, 255 - 8 * x], axis=-1).astype(np.uint8)
    return Image(pixels, **fields)


@pytest.mark.parametrize("name", ["JPEG", "WEBP", "AVIF", "PNG", "TIFF"])
@pytest.mark.parametrize("iptc", [IPTC, IPTC + b"!", None])
def test_formats_keep_them(name, iptc):
    back = read_image(encode_image(picture(xmp=XMP, iptc=iptc), name))
    assert back.xmp == XMP
    assert back.iptc == (iptc if name in {"JPEG", "TIFF"} else None)


@pytest.mark.parametrize("name", ["JPEG", "WEBP", "PNG", "TIFF"])
def test_without_them_files_are_what_they_were(name):
    data = encode_image(picture(), name)
    assert data == encode_image(picture(xmp=None, iptc=b""), name)
    back = read_image(data)
    assert (back.xmp, back.iptc) == (None, None)


def test_other_programs_find_them_and_what_does_not_fit_into_a_jpeg_is_left_out():
    described = picture(xmp=XMP, iptc=IPTC)
    for name in ("PNG", "TIFF", "WEBP", "JPEG"):
        with Pillow.open(io.BytesIO(encode_image(described, name))) as file:
            assert file.info["xmp"] == XMP
            assert name != "JPEG" or file.info["photoshop"][0x0404] == IPTC
    back = read_image(encode_image(picture(xmp=bytes(70_000), iptc=bytes(70_000)), "JPEG"))
    assert (back.xmp, back.iptc) == (None, None)


@pytest.mark.parametrize(
    "settings",
    [pcaimage.Settings(), pcaimage.Settings(sampling=pcaimage.Blocks(4)), pcaimage.Settings(max_error=2.0)],
)
def test_compressed_files_keep_them(settings):
    described = picture(xmp=XMP, iptc=IPTC)
    data = pcaimage.encode(described.pixels, settings, metadata=api.metadata_of(described))
    found = container.read(data)
    back = api.image_of(found, pcaimage.decode(data))
    assert (back.xmp, back.iptc) == (found.metadata.xmp, found.metadata.iptc) == (XMP, IPTC)
    np.testing.assert_array_equal(pcaimage.decode(pcaimage.encode(described.pixels, settings)), back.pixels)
    assert container.read(container.trim(data, 1)).metadata.xmp == XMP
    for what, kept in (("nothing", (XMP, IPTC)), ("place", (None, None)), ("all", (None, None))):
        left = strip_metadata(back, what)  # they may tell the place, too
        assert (left.xmp, left.iptc) == kept


@pytest.mark.parametrize(("flags", "bits"), [(0x00, 8), (0x20, 8), (0x40, 10), (0x60, 12)])
def test_an_avif_says_how_many_bits_it_has(flags, bits):
    data = bytearray(encode_image(picture(), "AVIF"))
    image = SimpleNamespace(format="AVIF")

    def found(file):
        return stored_bits(image, io.BytesIO(file))

    assert found(data) == 8
    place = data.index(b"av1C") + 6
    data[place] = data[place] & 0x9F | flags
    assert found(data) == bits
    assert found(data[:place]) == found(b"") == 8

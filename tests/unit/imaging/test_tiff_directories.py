"""A TIFF whose directories lead nowhere, or that claims more than a file can hold, is refused at once."""

import io
import json
import struct

import numpy as np
import pytest
import tifffile

from pcaimage.errors import ImageError
from pcaimage.imaging import inspect, probe, read_image, read_stack
from pcaimage.imaging.tiff.directories import MAX_PAGES, check_directories

READERS = (probe, inspect, read_image, read_stack)


def entry(tag, value, kind=4, count=1):
    return struct.pack("<HHII", tag, kind, count, value)


HEIGHT = entry(257, 2)


def page(following, *extra, height=HEIGHT):
    """A directory of a page of 2 x 2 pixels, whose values are the first four bytes of the file."""
    entries = [entry(256, 2), height, entry(258, 8), entry(259, 1), entry(262, 1)]
    entries += [entry(273, 0), entry(277, 1), entry(278, 2), entry(279, 4), *extra]
    return struct.pack("<H", len(entries)) + b"".join(entries) + struct.pack("<I", following)


def tiff(*pages):
    return b"II*\0" + struct.pack("<I", 8) + b"".join(pages)


def big(array, byteorder):
    """A BigTIFF whose only page points to itself."""
    buffer = io.BytesIO()
    tifffile.imwrite(buffer, array, bigtiff=True, byteorder=byteorder, metadata=None)
    data = bytearray(buffer.getvalue())
    (offset,) = struct.unpack_from(f"{byteorder}Q", data, 8)
    (count,) = struct.unpack_from(f"{byteorder}Q", data, offset)
    struct.pack_into(f"{byteorder}Q", data, offset + 8 + 20 * count, offset)
    return bytes(data)


SIZE = len(page(0))
LOOPS = {
    "itself": tiff(page(8)),
    "the first": tiff(page(8 + SIZE), page(8)),
    "the last": tiff(page(8 + SIZE), page(8 + SIZE)),
    "after many": tiff(*(page(8 + SIZE * (index + 1)) for index in range(150)), page(8 + SIZE * 120)),
    "big": big(np.zeros((2, 2), np.uint8), "<"),
    "big-endian": big(np.zeros((2, 2), np.uint8), ">"),
}


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("name", LOOPS)
def test_a_chain_of_pages_that_leads_back_is_refused(name, read):
    with pytest.raises(ImageError, match="is damaged"):
        read(LOOPS[name])


def test_directories_within_each_other_are_refused():
    # Each has 300 entries of 12 bytes, and begins 6 bytes behind the one before.
    fields = [struct.pack("<HI", 300, 8 + 6 * max(index - 599, 0)) for index in range(2_000)]
    with pytest.raises(ValueError, match="room"):
        check_directories(io.BytesIO(tiff(*fields)))


@pytest.mark.parametrize("read", READERS)
def test_pages_that_share_many_directories_below_them_are_refused(read):
    pages, below = 40, 100
    size = len(page(0, entry(330, 0)))
    table = 8 + pages * size
    chain = [
        page(8 + size * (index + 1) if index + 1 < pages else 0, entry(330, table, count=below))
        for index in range(pages)
    ]
    with pytest.raises(ImageError, match="is damaged"):
        read(tiff(*chain, struct.pack("<I", 8) * below))


@pytest.mark.parametrize("read", READERS)
def test_a_height_of_more_than_32_bits_is_refused(read):
    height = entry(257, 8 + SIZE, kind=16)
    with pytest.raises(ImageError, match="is damaged"):
        read(tiff(page(0, height=height), struct.pack("<Q", 6_700_000_000_000_000)))


def described(description):
    buffer = io.BytesIO()
    tifffile.imwrite(buffer, np.zeros((4, 6), np.uint8), metadata=None, description=description)
    return buffer.getvalue()


OME = (
    '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0">'
    '<Pixels ID="Pixels:0" DimensionOrder="XYCZT" Type="uint8" SizeX="6" SizeY="4" SizeC="1" SizeZ="1" '
    'SizeT="{}"><TiffData/></Pixels></Image></OME>'
)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("images", [MAX_PAGES + 1, 10**9, "9" * 5000])
def test_metadata_that_claim_more_than_a_file_can_have_are_refused(images, read):
    with pytest.raises(ImageError, match="is damaged"):
        read(described(OME.format(images)))


def test_the_description_of_a_cube_that_a_page_was_cut_out_of_is_not_believed():
    assert read_image(described(json.dumps({"shape": [10**12, 4, 6]}))).shape == (4, 6, 1)


def test_pages_with_directories_below_them_are_read():
    buffer = io.BytesIO()
    with tifffile.TiffWriter(buffer) as tif:
        tif.write(np.zeros((64, 64), np.uint8), subifds=2)
        tif.write(np.zeros((32, 32), np.uint8), subfiletype=1)
        tif.write(np.zeros((16, 16), np.uint8), subfiletype=1)
    assert read_image(buffer.getvalue()).pixels.shape == (64, 64, 1)

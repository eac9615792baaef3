import struct

import numpy as np
from PIL import ExifTags
from PIL import Image as PillowImage

from pcaimage.imaging import BandInfo, Image
from pcaimage.imaging.image.bands import Tag
from pcaimage.imaging.writing.adapt import strip_metadata, without_place

LATITUDE = (48.0, 8.0, 31.0)
NOTE = b"the maker's own words"


def exif_block(order="<"):
    """An EXIF block with camera, time, maker note, place and a thumbnail's directory."""
    exif = PillowImage.Exif()
    exif.endian = order
    exif[ExifTags.Base.Make] = "Maker"
    exif[ExifTags.Base.Orientation] = 1
    exif[700] = b"<x:xmpmeta exif:GPSLatitude='48,8N'/>"
    details = exif.get_ifd(ExifTags.IFD.Exif)
    details[ExifTags.Base.DateTimeOriginal] = "2024:05:06 07:08:09"
    details[ExifTags.Base.MakerNote] = NOTE
    place = exif.get_ifd(ExifTags.IFD.GPSInfo)
    place[ExifTags.GPS.GPSLatitudeRef] = "N"
    place[ExifTags.GPS.GPSLatitude] = LATITUDE
    place[ExifTags.GPS.GPSMapDatum] = "WGS-84 as everywhere"
    return exif.tobytes().removeprefix(b"Exif\0\0")


def read(block):
    exif = PillowImage.Exif()
    exif.load(block)
    return exif


def test_the_place_goes_with_its_bytes_and_all_else_stays():
    block = exif_block()
    assert read(block).get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitude] == LATITUDE
    stripped = without_place(block)
    assert stripped is not None
    left = read(stripped)
    assert not left.get_ifd(ExifTags.IFD.GPSInfo)
    assert left[ExifTags.Base.Make] == "Maker"
    details = left.get_ifd(ExifTags.IFD.Exif)
    assert details[ExifTags.Base.DateTimeOriginal] == "2024:05:06 07:08:09"
    assert details[ExifTags.Base.MakerNote] == NOTE
    for secret in (b"WGS-84", b"GPSLatitude", struct.pack("<IIII", 48, 1, 8, 1)):
        assert secret in block
        assert secret not in stripped
    assert len(stripped) == len(block)
    assert stripped.find(NOTE) == block.find(NOTE)  # maker notes refer to offsets


def test_a_block_without_a_place_is_unchanged_and_directories_in_a_circle_end():
    exif = PillowImage.Exif()
    exif[ExifTags.Base.Make] = "Maker"
    circle = struct.pack("<4sIHHHIII", b"II*\0", 8, 1, 271, 2, 4, 0x00434241, 8)
    for block in (exif.tobytes().removeprefix(b"Exif\0\0"), circle):
        assert without_place(block) == block


def test_what_cannot_be_read_or_points_behind_the_block_is_dropped():
    block = bytearray(exif_block())
    for cut in (0, 5, 9, 30, 100):
        assert without_place(bytes(block[:cut])) is None
    place = block.find(struct.pack("<HHI", 0x8825, 4, 1))
    struct.pack_into("<I", block, place + 8, len(block) + 100)
    assert without_place(bytes(block)) is None


def test_georeferencing_goes_and_what_bands_mean_stays():
    info = BandInfo(
        names=("red", "green"),
        wavelengths=(650.0, 550.0),
        unit="nm",
        nodata=0.0,
        tags=(Tag(33550, 12, 3, bytes(24)),),
        fields=(("map info", "{UTM, 1, 1, 500000, 4000000}"), ("sensor type", "AVIRIS")),
    )
    image = Image(np.zeros((2, 2, 2), np.uint16), exif=exif_block(), bands=info)
    assert strip_metadata(image, "nothing") is image
    placeless, bare = strip_metadata(image, "place"), strip_metadata(image, "all")
    assert placeless.bands.fields == (("sensor type", "AVIRIS"),)
    assert placeless.bands.tags == bare.bands.tags == bare.bands.fields == ()
    assert placeless.exif is not None
    assert bare.exif is None
    assert bare.bands.wavelengths == info.wavelengths
    assert bare.bands.nodata == 0.0

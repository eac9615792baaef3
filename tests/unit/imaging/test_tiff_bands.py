"""TIFFs of bands and stacks: what their pages are, what they say of bands, signed and real numbers."""

import io
import math
import struct
from dataclasses import replace

import numpy as np
import pytest
import tifffile
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as PillowImage

from pcaimage.errors import ImageError
from pcaimage.imaging import BandInfo, Image, encode_image, inspect, probe, read_image, read_stack
from pcaimage.imaging.image.bands import Tag
from pcaimage.imaging.tiff.bands import tiff_tags
from tests.unit.imaging.test_tiff import tiff

GEO = {
    33550: (12, (30.0, 30.0, 0.0)),
    33922: (12, (0.0, 0.0, 0.0, 5e5, 4e6, 0.0)),
    34735: (3, (1, 1, 0, 1, 1024, 0, 1, 1)),
    34736: (12, (6378137.0, 298.25)),
    34737: (2, "WGS 84|"),
}
METADATA = (
    '<GDALMetadata>\n  <Item name="DESCRIPTION" sample="1" role="description">green &amp; so on</Item>\n'
    '  <Item name="DESCRIPTION" sample="0" role="description">blue</Item>\n'
    '  <Item name="wavelength" sample="0">0.49</Item><Item name="wavelength" sample="1">0.56</Item>\n'
    '  <Item name="wavelength_units">Micrometers</Item>\n</GDALMetadata>'
)


def numbers(*shape, dtype):
    values = np.random.default_rng(3).normal(0, 9000, shape)
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", ["int16", "float32"])
@pytest.mark.parametrize("byteorder", ["<", ">"])
@pytest.mark.parametrize("planar", ["contig", "separate"])
@pytest.mark.parametrize(
    "options", [{}, {"bigtiff": True}, {"tile": (16, 16)}, {"compression": "zlib"}, {"rowsperstrip": 4}]
)
@pytest.mark.sweep(18)
def test_signed_and_real_bands_are_read(dtype, byteorder, planar, options):
    array = numbers(11, 13, 6, dtype=dtype)
    stored = array if planar == "contig" else np.ascontiguousarray(np.moveaxis(array, -1, 0))
    data = tiff(stored, photometric="minisblack", planarconfig=planar, byteorder=byteorder, **options)
    image = read_image(data)
    np.testing.assert_array_equal(image.pixels, array)
    assert image.pixels.dtype == dtype
    assert (probe(data).dtype, probe(data).channels) == (dtype, 6)
    assert inspect(data).dtype == dtype


@pytest.mark.parametrize("dtype", ["int16", "float32"])
@pytest.mark.parametrize("shape", [(9, 8, 1), (9, 8, 3), (9, 8, 7), (4, 9, 8, 1), (4, 9, 8, 5)])
def test_signed_and_real_images_are_written_and_read_again(dtype, shape):
    image = Image(numbers(*shape, dtype=dtype))
    again = read_image(encode_image(image, "TIFF"), as_="stack" if len(shape) == 4 else None)
    np.testing.assert_array_equal(again.pixels, image.pixels)
    assert again.pixels.dtype == dtype


def test_a_fourth_signed_sample_is_a_band():
    array = numbers(5, 6, 4, dtype="int16")
    image = read_image(tiff(array, photometric="rgb", extrasamples="unassalpha"))
    np.testing.assert_array_equal(image.pixels, array)
    assert image.alpha is None


@pytest.mark.parametrize(
    ("axes", "shape", "default", "expected"),
    [
        ("CYX", (3, 7, 9), "bands", (7, 9, 3)),
        ("ZYX", (6, 7, 9), "stack", (6, 7, 9, 1)),
        ("TYX", (2, 7, 9), "stack", (2, 7, 9, 1)),
        ("TZCYX", (2, 3, 2, 7, 9), "stack", (6, 7, 9, 2)),
    ],
)
@pytest.mark.parametrize("kind", ["imagej", "ome"])
def test_axes_that_are_named_are_believed(noise, kind, axes, shape, default, expected):
    array = noise(*shape, dtype="uint16")
    data = tiff(array, photometric="minisblack", metadata={"axes": axes}, **{kind: True})
    found = inspect(data)
    assert (found.default.kind, found.default.shape, found.ambiguous) == (default, expected, False)
    image = read_image(data)
    moved = np.moveaxis(array, -3, -1) if "C" in axes else array[..., None]
    np.testing.assert_array_equal(image.pixels, moved.reshape(expected))
    assert probe(data).frames == (expected[0] if default == "stack" else 1)
    bands = read_image(data, as_="bands").pixels
    np.testing.assert_array_equal(bands, np.moveaxis(array.reshape(-1, 7, 9), 0, -1))


@pytest.mark.parametrize(
    ("pages", "dtype", "ambiguous", "kinds"),
    [
        (5, "uint8", True, ["bands", "stack"]),
        (198, "uint16", True, ["bands", "stack"]),
        (4, "uint8", False, ["image", "bands", "stack"]),
        (4, "uint16", True, ["image", "bands", "stack"]),
        (2, "float32", True, ["image", "bands", "stack"]),
    ],
)
@pytest.mark.sweep(3)
def test_pages_that_are_not_named_are_in_doubt(pages, dtype, kinds, *, ambiguous):
    array = np.arange(pages * 12).reshape(pages, 3, 4).astype(dtype)
    for metadata in (None, {}):
        data = tiff(array, photometric="minisblack", metadata=metadata)
        found = inspect(data)
        assert (found.ambiguous, [each.kind for each in found.readings]) == (ambiguous, kinds)
        np.testing.assert_array_equal(read_image(data, as_="bands").pixels, np.moveaxis(array, 0, -1))
        np.testing.assert_array_equal(read_image(data, as_="stack").pixels[..., 0], array)


def test_a_single_image_is_no_question_and_pages_with_colours_are_no_bands(noise):
    data = encode_image(Image(noise(4, 5, 3)), "PNG")
    found = inspect(data)
    assert (found.ambiguous, [each.kind for each in found.readings]) == (False, ["image"])
    np.testing.assert_array_equal(read_image(data, as_="bands").pixels, noise(4, 5, 3))
    np.testing.assert_array_equal(read_image(data, as_="stack").pixels, noise(1, 4, 5, 3))
    data = tiff(noise(3, 5, 6, 3), photometric="rgb")
    with pytest.raises(ImageError, match=r"cannot be read as bands; it holds one image .* or 3 images"):
        read_image(data, as_="bands")
    np.testing.assert_array_equal(read_image(data, as_="stack").pixels, noise(3, 5, 6, 3))


@pytest.mark.parametrize("compression", ["packbits", "tiff_lzw"])
def test_bands_that_only_libtiff_decompresses_are_all_read(noise, compression):
    pages, buffer = [noise(20, 30, seed=seed) for seed in range(6)], io.BytesIO()
    first, *others = map(PillowImage.fromarray, pages)
    first.save(buffer, "TIFF", compression=compression, save_all=True, append_images=others)
    np.testing.assert_array_equal(read_image(buffer.getvalue()).pixels, np.stack(pages, axis=-1))
    np.testing.assert_array_equal(read_stack(buffer.getvalue()).pixels[..., 0], pages)


def geotiff(byteorder="<", **more):
    tags = [(code, kind, len(value) if kind != 2 else 0, value, True) for code, (kind, value) in GEO.items()]
    tags += [(42112, 2, 0, METADATA, True), (42113, 2, 0, "-9999", True)]
    array = np.arange(24).reshape(3, 4, 2).astype(np.int16)
    return tiff(
        array, photometric="minisblack", planarconfig="contig", byteorder=byteorder, extratags=tags, **more
    )


@pytest.mark.parametrize("bigtiff", [False, True])
@pytest.mark.parametrize("byteorder", ["<", ">"])
def test_what_gdal_says_is_read_and_kept_verbatim(byteorder, *, bigtiff):
    image = read_image(geotiff(byteorder, bigtiff=bigtiff))
    info = image.bands
    assert (info.names, info.wavelengths, info.unit) == (("blue", "green & so on"), (0.49, 0.56), "µm")
    assert info.nodata == -9999
    assert {tag.code for tag in info.tags} == {*GEO, 42112, 42113}
    values = {tag.code: tag.value for tag in info.tags}
    assert struct.unpack("<3d", values[33550]) == (30.0, 30.0, 0.0)
    assert struct.unpack("<8H", values[34735]) == GEO[34735][1]
    carried = Image(image.pixels, bands=BandInfo.from_bytes(info.to_bytes()))
    written = encode_image(carried, "TIFF")
    assert read_image(written).bands == info
    with tifffile.TiffFile(io.BytesIO(written)) as tif:
        page = tif.pages.first
        for code, (_, value) in GEO.items():
            assert page.tags[code].value == value
        assert page.tags[42112].value == METADATA
        assert tif.is_geotiff


def test_exif_and_georeferencing_stand_together(make_exif):
    bands = read_image(geotiff()).bands
    data = encode_image(Image(np.zeros((3, 4, 2), np.uint8), exif=make_exif(1), bands=bands), "TIFF")
    again = read_image(data)
    assert again.bands == bands
    assert again.exif is not None


def test_what_other_formats_say_is_written_for_gdal():
    info = BandInfo(
        names=("a <b>", "c"),
        wavelengths=(1.5, 2.25),
        widths=(0.1, 0.2),
        unit="nm",
        nodata=-math.inf,
        fields=(("map info", "{UTM}"),),
    )
    again = read_image(encode_image(Image(np.zeros((2, 3, 2), np.float32), bands=info), "TIFF")).bands
    assert replace(again, tags=()) == info
    twice = read_image(encode_image(Image(np.zeros((2, 3, 2), np.float32), bands=again), "TIFF")).bands
    assert twice.tags == again.tags
    nan = replace(info, nodata=math.nan)
    again = read_image(encode_image(Image(np.zeros((2, 3, 2), np.float32), bands=nan), "TIFF")).bands
    assert math.isnan(again.nodata)
    wrong = (Tag(33550, 12, 3, bytes(23)), Tag(33922, 99, 1, b"x"), Tag(1, 3, 1, b"xx"))
    assert tiff_tags(BandInfo(tags=wrong), 7) == []  # their length lies


def test_channels_of_ome_and_imagej_have_names(noise):
    channels = {
        "Name": ["DAPI", "GFP"],
        "EmissionWavelength": [461, 509],
        "EmissionWavelengthUnit": ["nm"] * 2,
    }
    data = tiff(
        noise(2, 5, 6), ome=True, photometric="minisblack", metadata={"axes": "CYX", "Channel": channels}
    )
    info = read_image(data).bands
    assert (info.names, info.wavelengths, info.unit) == (("DAPI", "GFP"), (461.0, 509.0), "nm")
    data = tiff(noise(2, 5, 6), imagej=True, metadata={"axes": "CYX", "Labels": ["red", "blue"]})
    assert read_image(data).bands.names == ("red", "blue")


@given(st.binary(max_size=80) | st.just(METADATA.encode()), st.binary(max_size=8), st.binary(max_size=30))
@settings(max_examples=20)
def test_any_metadata_is_tolerated(metadata, nodata, geo):
    tags = [(42113, 2, 0, nodata, True), (42112, 2, 0, metadata, True)]
    tags.append((34735, 7, len(geo) + 1, geo + b"\0", True))
    array = np.zeros((2, 3, 2), np.uint8)
    info = read_image(tiff(array, photometric="minisblack", planarconfig="contig", extratags=tags)).bands
    info.check(2)
    encode_image(Image(array, bands=info), "TIFF")


def test_orientation_turns_every_image_of_a_stack(noise):
    array = noise(6, 4, 5, dtype="uint16")
    data = tiff(array, photometric="minisblack", metadata=None, extratags=[(274, 3, 1, 6, True)])
    turned = np.rot90(array, -1, (1, 2))
    np.testing.assert_array_equal(read_image(data, as_="bands").pixels, np.moveaxis(turned, 0, -1))
    np.testing.assert_array_equal(read_image(data, as_="stack").pixels[..., 0], turned)

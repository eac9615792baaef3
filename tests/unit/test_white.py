"""Data of 10, 12 and 14 bits in 16: steps, qualities and files are relative to the white."""

import io
import math

import numpy as np
import pytest
import tifffile
from PIL import Image as PillowImage

import pcaimage
import pcaimage.plugins.pillow
from pcaimage import Bands, Blocks, Channels, Settings, Stack, api, container
from pcaimage.errors import FormatError, SettingsError
from pcaimage.imaging import Image, encode_image, read_image, ssim, write_image
from pcaimage.plugins.chunks import ChunkCodec
from pcaimage.quality import believed, white_of
from tests.unit.container.files import header_in

BITS = (10, 12, 14, 16)


def picture(bits, channels=1, side=48):
    """Return the same picture, with a little noise, in some bits."""
    y, x, c = np.indices((side, side, channels))
    smooth = 0.5 + 0.28 * np.sin(x / 9 + c) + 0.2 * np.cos(y / 7 + x * y / 900)
    noisy = smooth + np.random.default_rng(3).normal(0, 0.01, smooth.shape)
    white = (1 << bits) - 1
    return np.clip(np.rint(noisy * white), 0, white).astype(np.uint16)


def decibels(before, after, white):
    return 10 * math.log10(white**2 / np.square(before.astype(float) - after).mean())


def test_the_white_is_the_next_power_of_two_less_one():
    for most, white in (
        *((0, 1), (1, 1), (2, 3), (255, 255), (256, 511), (3000, 4095), (4096, 8191), (65535, 65535)),
    ):
        assert white_of(np.array([[0, most]], np.uint16)) == white
    assert white_of(np.array([[0, 3]], np.uint8)) == 255
    assert white_of(np.array([[0, 3000, 65535]], np.uint16), nodata=65535) == 4095
    assert white_of(np.array([[280.0, 300.0, np.nan, -9999.0]], np.float32), nodata=-9999.0) == 20
    assert white_of(np.array([[-5, 20]], np.int16), white=4095) == 25


def test_a_given_white_below_a_value_is_an_error_and_a_declared_one_is_not_believed():
    array = np.array([[0, 3000]], np.uint16)
    assert white_of(array, 3000) == 3000
    with pytest.raises(SettingsError, match="from the largest value, 3000, to 65535; 2999 is not"):
        white_of(array, 2999)
    assert (believed(array, 2999), believed(array, 3500), believed(array.astype(np.uint8), 255)) == (
        None,
        3500,
        None,
    )
    assert Image(array[..., None], white=2999).peak == 4095
    assert Image(array[..., None], white=3500).peak == 3500


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("sampling", [None, Blocks(8), Channels(), Bands()])
@pytest.mark.parametrize("channels", [3, 1, 4])
@pytest.mark.sweep(6)
def test_decibels_are_of_what_is_in_the_image(bits, sampling, channels):
    array = picture(bits, channels, 96 if sampling == Blocks(8) else 48)  # few blocks have few qualities
    found = pcaimage.decode(pcaimage.encode(array, Settings(sampling, psnr=32)))
    assert 32 <= decibels(array, found, (1 << bits) - 1) <= 32.7


def test_similarity_and_size_are_reached_from_above_and_below_and_stacks_know_their_white():
    array = picture(12, 3)
    found = pcaimage.decode(pcaimage.encode(array, Settings(ssim=0.9)))
    assert 0.9 <= ssim(array, found, peak=4095) <= 0.91  # of small images there are few
    assert len(pcaimage.encode(array, Settings(size=4000))) <= 4000
    stack = np.stack([picture(12, 3, 24) >> shift for shift in range(3)])
    found = pcaimage.decode(pcaimage.encode(stack, Settings(Stack(), psnr=32)))
    assert 32 <= decibels(stack, found, 4095) < 50


@pytest.mark.parametrize("bits", [12, 10, 14])
@pytest.mark.sweep(2)
def test_the_default_gives_the_quality_and_size_that_it_gives_with_8_bits(bits):
    array, eight, white = picture(bits, 3), (picture(16, 3) >> 8).astype(np.uint8), (1 << bits) - 1
    data, other = pcaimage.encode(array), pcaimage.encode(eight)
    assert len(data) == pytest.approx(len(other), rel=0.04)
    assert decibels(array, pcaimage.decode(data), white) == pytest.approx(
        decibels(eight, pcaimage.decode(other), 255), abs=0.2
    )


def test_presets_zarr_and_pillow_are_relative_to_the_white():
    array = picture(12)
    preset = api.preset_of("balanced").applied(Settings(), array.shape, array.dtype, Image(array).peak)
    assert preset.step == pytest.approx(25.5 * 4095 / 255, rel=0.2)
    for values, white in ((array, None), (array // 4, 4095)):
        coded = ChunkCodec(psnr=40.0, white=white)
        found = np.asarray(coded.decode(coded.encode(values[..., 0])))
        assert 40 <= decibels(values, found.reshape(values.shape), 4095) <= 40.1
    pcaimage.plugins.pillow.register()
    qualities = list[float]()
    for grey in (
        PillowImage.fromarray(array[..., 0]),
        PillowImage.fromarray((array[..., 0] >> 4).astype(np.uint8)),
    ):
        file = io.BytesIO()
        grey.save(file, "PCAI", quality=90)
        pixels = np.asarray(grey)
        white = 4095 if pixels.dtype == np.uint16 else 255
        qualities.append(decibels(pixels, np.asarray(PillowImage.open(file)), white))
    assert qualities[0] == pytest.approx(qualities[1], abs=0.3)


def test_a_file_tells_its_white_and_decodes_to_nothing_above():
    array = np.where(picture(12, 3, 40) > 2500, 4095, 0).astype(np.uint16)
    for sampling in (None, Blocks(8), Channels()):
        data = pcaimage.encode(array, Settings(sampling, psnr=25))
        header = container.peek(data)
        assert (header.peak, header.white) == (4095, 4095)
        assert pcaimage.decode(data).max() == 4095
    assert container.peek(pcaimage.encode(array, Settings(white=9000))).white == 9000
    assert container.peek(pcaimage.encode(picture(16), Settings())).white is None
    assert container.peek(pcaimage.encode(picture(12), Settings(white=65535))).white is None


def test_a_file_whose_white_is_out_of_range_is_refused():
    header = container.peek(pcaimage.encode(picture(12, 1, 16), Settings(Blocks(8), k=1)))
    payload = container.records.write_header(header)
    place = payload.index(b"\xff\x1f")
    for wrong in (b"\0", b"\xff\xff\x03", b"\x80\x80\x04"):
        with pytest.raises(FormatError, match="white is out of range"):
            header_in(payload[:place] + wrong + payload[place + 2 :])
    eight = bytearray(payload)
    eight[2] = 1
    with pytest.raises(FormatError, match="white is out of range"):
        header_in(bytes(eight))


@pytest.mark.parametrize("suffix", ["png", "tif"])
def test_the_white_survives_other_formats(tmp_path, suffix):
    array, path = picture(12, 3, 24) // 9, tmp_path / f"a.{suffix}"
    image = api.open_bytes(pcaimage.encode(array, Settings(white=4095))).image()
    write_image(path, image)
    assert read_image(path).white == 4095
    assert read_image(path).peak == 4095
    again = api.compress_image(read_image(path), Settings())
    assert again.compressed.header.white == 4095


def test_a_declared_white_is_read():
    file, array = io.BytesIO(), picture(10, 1, 16)
    tifffile.imwrite(file, array[..., 0], extratags=[(281, 3, 1, 16383, True)])
    assert read_image(file.getvalue()).peak == 16383
    assert Image(array).peak == 1023
    bright = encode_image(Image(picture(16, 1, 16), white=4095), "png")
    assert read_image(bright).peak == 65535  # as if scaled to all bits, which the standard wants

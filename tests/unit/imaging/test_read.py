import io
import struct
import warnings
import zlib

import numpy as np
import pytest
import tifffile
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import ExifTags, ImageCms, ImageOps
from PIL import Image as PillowImage

from pcaimage.errors import ImageError, ImageTooLargeError
from pcaimage.imaging import Image, Limits, encode_image, probe, psnr, read_image, read_stack
from tests.deep_avif import PICTURES


def saved(image, kind, **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def png(depth, colour_type, size, rows, *, trns=b"", interlace=0):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", *size, depth, colour_type, 0, 0, interlace)
    middle = chunk(b"tRNS", trns) if trns else b""
    end = chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + middle + end


@pytest.mark.parametrize(("added", "bits"), [(0.0, None), (0.1, 64)])
def test_real_numbers_that_32_bits_do_not_hold_are_told_of(tmp_path, added, bits):
    for write, name in ((np.save, "a.npy"), (tifffile.imwrite, "a.tif")):
        write(tmp_path / name, np.arange(60).reshape(5, 12) + added)
        assert read_image(tmp_path / name).stored_bits == bits


def test_an_image_is_read_from_bytes_paths_files_and_pipes(smooth, tmp_path):
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

        def seek(self, *_):
            raise OSError("a pipe cannot seek")

    path, data = tmp_path / "picture.png", encode_image(Image(smooth), "PNG")
    path.write_bytes(data)
    with path.open("rb") as file:
        for source in (path, str(path), file):
            image = read_image(source)
            assert (image.name, image.file_size) == ("picture.png", path.stat().st_size)
        assert not file.closed
    for wrap in (bytes, bytearray, memoryview, io.BytesIO, Pipe):
        image = read_image(wrap(data))
        np.testing.assert_array_equal(image.pixels, smooth)
        assert (image.name, image.format, image.alpha) == ("", "PNG", None)


HEIC = (PICTURES / "one.heic").read_bytes()
"""Red above blue, 24 x 16 pixels, as libheif and x265 write them: what is installed only reads HEIC."""


def test_a_heic_is_read():
    found = read_image(HEIC)
    assert (found.format, found.pixels.shape) == ("HEIF", (16, 24, 3))
    for rows, colour in ((slice(0, 6), (220, 40, 40)), (slice(10, 16), (20, 60, 200))):
        np.testing.assert_allclose(found.pixels[rows].mean(axis=(0, 1)), colour, atol=6)


@pytest.mark.parametrize("alpha", [None, np.arange(1200, dtype=np.uint8).reshape(30, 40)])
def test_a_jpeg_xl_is_read_as_it_was_written(smooth, alpha):
    image = Image(np.ascontiguousarray(smooth[:30, :40]), alpha)
    found = read_image(encode_image(image, "JXL-LOSSLESS"))
    np.testing.assert_array_equal(found.pixels, image.pixels)
    np.testing.assert_array_equal(found.alpha, alpha)


@pytest.mark.parametrize(("name", "start"), [("a.pdf", b"%PDF-1.7"), ("b.svg", b"<svg xmlns=")])
def test_of_a_document_it_is_said_what_to_do(tmp_path, name, start):
    (tmp_path / name).write_bytes(start + bytes(40))
    with pytest.raises(ImageError, match=r"export what is to be seen as PNG"):
        read_image(tmp_path / name)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF", "JPEG", "TIFF-LZW"])
@pytest.mark.sweep(18)
def test_orientation_is_applied_once(noise, make_exif, orientation, kind):
    picture = PillowImage.fromarray(noise(16, 24, 3))
    options = {"exif": b"Exif\0\0" + make_exif(orientation), "lossless": True, "quality": 95}
    if kind.startswith("TIFF"):
        options = {"tiffinfo": {274: orientation}, "compression": "tiff_lzw" if "LZW" in kind else None}
    data = saved(picture, kind.removesuffix("-LZW"), **options)
    stored = PillowImage.open(io.BytesIO(data))
    expected = np.asarray(ImageOps.exif_transpose(stored) if not kind.startswith("TIFF") else stored)
    image = read_image(data)
    np.testing.assert_array_equal(image.pixels, expected)
    header = probe(data)
    assert (header.width, header.height) == (image.width, image.height)
    assert (image.width, image.height) == ((24, 16) if orientation < 5 else (16, 24))
    # Exported with its EXIF block and read again, it is not turned again.
    again = read_image(encode_image(image, "PNG"))
    np.testing.assert_array_equal(again.pixels, image.pixels)
    if image.exif:
        kept = PillowImage.Exif()
        kept.load(image.exif)
        assert kept[ExifTags.Base.Orientation] == 1
        assert kept[ExifTags.Base.Make] == "Camera works"


def test_alpha_is_turned_with_the_pixels_and_grey_with_alpha_stays_grey(noise, make_exif):
    colour, grey = noise(4, 6, 4), noise(9, 9, 2)
    image = read_image(saved(PillowImage.fromarray(colour), "PNG", exif=make_exif(6)))
    np.testing.assert_array_equal(image.alpha, np.rot90(colour[..., 3], -1))
    image = read_image(saved(PillowImage.fromarray(grey, "LA"), "PNG"))
    np.testing.assert_array_equal(image.pixels, grey[..., :1])
    np.testing.assert_array_equal(image.alpha, grey[..., 1])


@pytest.mark.parametrize("exif", [b"", b"II*\0", b"XX*\0\x08\0\0\0", b"MM\0*\0\0\0\x08\xff\xff", b"junk"])
def test_a_damaged_exif_block_does_no_harm_and_an_orientation_that_does_not_exist_is_upright(smooth, exif):
    picture = PillowImage.fromarray(smooth)
    image = read_image(saved(picture, "JPEG", exif=b"Exif\0\0" + exif, quality=95))
    assert image.pixels.shape == smooth.shape
    exif = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x0112, 3, 1, 77, 0, 0)
    image = read_image(saved(picture, "PNG", exif=exif))
    np.testing.assert_array_equal(image.pixels, smooth)
    assert image.exif == exif.replace(struct.pack(">H", 77), struct.pack(">H", 1))


@pytest.mark.parametrize(
    ("kind", "transparency"), [("PNG", 3), ("PNG", bytes(range(0, 160, 10))), ("GIF", 3)]
)
def test_a_palette_with_transparency_becomes_colour_and_alpha(noise, kind, transparency):
    picture = PillowImage.fromarray(noise(9, 9, 3)).quantize(16)
    data = saved(picture, kind, transparency=transparency)
    expected = np.asarray(PillowImage.open(io.BytesIO(data)).convert("RGBA"))
    image = read_image(data)
    np.testing.assert_array_equal(image.pixels, expected[..., :3])
    np.testing.assert_array_equal(image.alpha, expected[..., 3])
    assert probe(data).has_alpha


def test_one_bit_becomes_grey_of_eight():
    bits = np.random.default_rng(0).integers(0, 2, (9, 11)).astype(bool)
    for kind in ("PNG", "TIFF", "BMP"):
        image = read_image(saved(PillowImage.fromarray(bits), kind))
        if kind != "BMP":
            np.testing.assert_array_equal(image.pixels[..., 0], bits * np.uint8(255))
        np.testing.assert_array_equal(image.pixels[..., 0] > 0, bits)


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA", "CMYK", "1"])
def test_an_image_is_the_same_in_strips(mode, smooth, monkeypatch):
    file = saved(PillowImage.fromarray(smooth).convert(mode), "JPEG" if mode == "CMYK" else "PNG")
    whole = read_image(file)
    monkeypatch.setattr("pcaimage.imaging.still.pillow.STRIP", 5 * smooth.shape[1])
    strips = read_image(file)
    assert np.array_equal(strips.pixels, whole.pixels)
    assert strips.alpha is whole.alpha is None or np.array_equal(strips.alpha, whole.alpha)


@pytest.mark.parametrize(("depth", "scale"), [(1, 255), (2, 85), (4, 17), (8, 1), (16, 1)])
def test_a_transparent_grey_becomes_alpha(depth, scale):
    key = 1
    values = np.arange(2 ** min(depth, 3)).astype(np.uint16)
    row = int("".join(f"{v:0{depth}b}" for v in values).ljust(8 * ((len(values) * depth + 7) // 8), "0"), 2)
    data = b"\0" + row.to_bytes((len(values) * depth + 7) // 8, "big")
    image = read_image(png(depth, 0, (len(values), 1), data, trns=struct.pack(">H", key)))
    np.testing.assert_array_equal(image.pixels[0, :, 0], values * scale)
    np.testing.assert_array_equal(image.alpha[0], np.where(values == key, 0, np.iinfo(image.alpha.dtype).max))


@pytest.mark.parametrize("depth", [8, 16])
def test_a_transparent_colour_becomes_alpha_and_interlaced_colour_stays(noise, depth):
    array = noise(5, 6, 3, dtype=f"uint{depth}")
    array[2, 3] = key = (7, 8, 200)
    rows = array.astype(f">u{depth // 8}")
    data = b"".join(b"\0" + row.tobytes() for row in rows)
    source = png(depth, 2, (6, 5), data, trns=struct.pack(">3H", *key))
    image = read_image(source)
    np.testing.assert_array_equal(image.pixels, array)
    assert np.argwhere(image.alpha == 0).tolist() == [[2, 3]]
    assert probe(source).has_alpha
    # One pixel is the first pass alone.
    data = png(depth, 2, (1, 1), b"\0" + rows[0, 0].tobytes(), interlace=1)
    np.testing.assert_array_equal(read_image(data).pixels, array[:1, :1])


def test_cmyk_becomes_rgb_without_its_profile(smooth, srgb):
    cmyk = PillowImage.fromarray(smooth).convert("CMYK")
    for kind in ("JPEG", "TIFF"):
        # An RGB profile does not fit CMYK, so the plain formula is taken, and the profile dropped.
        image = read_image(saved(cmyk, kind, icc_profile=srgb, **({"quality": 95} if kind == "JPEG" else {})))
        assert psnr(image.pixels, np.asarray(cmyk.convert("RGB"))) > 30
        assert image.icc_profile is None


def test_cmyk_goes_through_its_profile(smooth, srgb, monkeypatch):
    cmyk = PillowImage.fromarray(smooth).convert("CMYK")
    seen = []

    def convert(image, *_, **options):
        seen.append((image.mode, options["outputMode"]))
        return PillowImage.new("RGB", image.size, (1, 2, 3))

    monkeypatch.setattr(ImageCms, "profileToProfile", convert)
    image = read_image(saved(cmyk, "TIFF", compression="tiff_lzw", icc_profile=srgb))
    assert seen == [("CMYK", "RGB")]
    assert (image.pixels == [1, 2, 3]).all()


def test_lab_becomes_rgb(smooth):
    transform = ImageCms.buildTransform(
        ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"), "RGB", "LAB"
    )
    lab = ImageCms.applyTransform(PillowImage.fromarray(smooth), transform)
    image = read_image(saved(lab, "TIFF"))
    assert psnr(image.pixels, smooth) > 25


@pytest.mark.parametrize("maximum", [255, 65535])
def test_pnm_is_read(maximum, noise):
    array = noise(4, 5, dtype="uint8" if maximum == 255 else "uint16")
    data = b"P5 5 4 %d\n" % maximum + array.astype(array.dtype.newbyteorder(">")).tobytes()
    image = read_image(data)
    np.testing.assert_array_equal(image.pixels[..., 0], array)
    assert image.pixels.dtype == array.dtype


def test_depth_that_would_be_lost_is_refused(smooth):
    with pytest.raises(ImageError, match=r"16 bits a channel.*cut to eight"):
        read_image(b"P6 1 1 65535\n" + bytes(6))
    deep = saved(PillowImage.fromarray(smooth), "JPEG2000")
    at = deep.index(b"\xff\x4f\xff\x51") + 42
    with pytest.raises(ImageError, match="12 bits a channel"):
        read_image(deep[:at] + b"\x0b" + deep[at + 1 :])
    assert read_image(deep).pixels.dtype == np.uint8


def test_whole_numbers_are_kept_when_they_fit():
    numbers = np.array([[0, 300], [65535, 7]], np.int32)
    image = read_image(saved(PillowImage.fromarray(numbers), "TIFF"))
    assert image.pixels.dtype == np.uint16
    np.testing.assert_array_equal(image.pixels[..., 0], numbers)
    for wrong in (-1, 65536):
        with pytest.raises(ImageError, match="int32; only whole numbers"):
            read_image(saved(PillowImage.fromarray(numbers + np.int32(wrong) * (numbers == 0)), "TIFF"))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "GIF", "WEBP", "BMP", "AVIF"])
def test_limits_are_checked_before_decoding(smooth, kind, monkeypatch):
    data = saved(PillowImage.fromarray(smooth), kind)

    def load(*_):
        raise AssertionError

    monkeypatch.setattr(PillowImage.Image, "load", load)
    for limits in (Limits(max_pixels=40 * 56 - 1), Limits(max_bytes=40 * 56 * 3 - 1)):
        with pytest.raises(ImageTooLargeError, match="56 x 40"):
            read_image(data, limits)
    with pytest.raises(ImageTooLargeError, match=r"100,000 x 100,000.*PCAIMAGE_MAX_PIXELS=10000000000"):
        read_image(png(8, 0, (100_000, 100_000), b""))


def test_pillows_own_limit_neither_warns_nor_hinders_nor_changes(smooth, monkeypatch):
    monkeypatch.setattr(PillowImage, "MAX_IMAGE_PIXELS", 5)
    for kind in ("PNG", "JPEG", "TIFF", "BMP", "GIF", "AVIF"):
        assert read_image(saved(PillowImage.fromarray(smooth), kind)).pixels.shape == smooth.shape
    with pytest.raises(ImageTooLargeError):  # in one sentence
        read_image(saved(PillowImage.fromarray(smooth), "WEBP"))
    assert PillowImage.MAX_IMAGE_PIXELS == 5


def test_a_file_that_may_not_be_read_and_memory_that_runs_out_are_told_as_such(tmp_path, smooth, monkeypatch):
    def refuse(error):
        def act(*_, **__):
            raise error

        return act

    monkeypatch.setattr("pathlib.Path.open", refuse(PermissionError))
    with pytest.raises(ImageError, match=r"a\.png may not be read"):
        read_image(tmp_path / "a.png")
    data = encode_image(Image(smooth), "PNG")
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", refuse(MemoryError))
    with pytest.raises(ImageTooLargeError, match="too large"):
        read_image(data)


@pytest.mark.parametrize("data", [b"hello, world", b"\0" * 100, b"%!PS-Adobe-3.0 EPSF-3.0\n"])
def test_other_files_are_told_from_images(data):
    with pytest.raises(ImageError, match="not an image of a kind that can be read"):
        read_image(data)


rng = np.random.default_rng(5)
_colour = rng.integers(0, 256, (12, 14, 3), np.uint8)
_deep = rng.integers(0, 65536, (6, 7, 3), np.uint16)
_few = PillowImage.fromarray(_colour).quantize(9)


FILES = {
    **{
        name: encode_image(Image(_colour), name)
        for name in ("PNG", "JPEG", "WEBP", "TIFF", "BMP", "AVIF", "JP2")
    },
    "GIF": saved(_few, "GIF", transparency=1),
    "palette PNG": saved(_few, "PNG", transparency=bytes(9)),
    "palette TIFF": saved(_few, "TIFF", compression="tiff_lzw"),
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
@settings(max_examples=26)
@pytest.mark.slow
def test_changed_bytes(name, data):
    damaged = bytearray(FILES[name])
    position = st.integers(0, len(damaged) - 1) | st.integers(0, min(99, len(damaged) - 1))
    for place, value in data.draw(st.lists(st.tuples(position, st.integers(0, 255)), min_size=1, max_size=6)):
        damaged[place] = value
    assert_image_or_sentence(bytes(damaged))


@given(st.binary(max_size=200), st.sampled_from([b"", *[data[:16] for data in FILES.values()]]))
@settings(max_examples=20)
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

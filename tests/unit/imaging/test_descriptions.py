"""XMP and IPTC: descriptions that files carry beside EXIF."""

import io
from pathlib import Path
from types import SimpleNamespace

import make_samples
import numpy as np
import pytest
from PIL import Image as Pillow

import pcaimage
from pcaimage import api, container
from pcaimage.errors import ImageError
from pcaimage.imaging import Image, encode_image, read_image
from pcaimage.imaging.reading.samples import read_sample, sample_names
from pcaimage.imaging.still.deep import stored_bits
from pcaimage.imaging.writing.adapt import strip_metadata
from pcaimage.machine.folders import asset

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


NOTICE = Path(__file__).parents[3] / "NOTICE"
FOLDER = asset("resources", "samples")
PHOTOGRAPHS = ("astronaut", "cat", "coffee", "rocket", "galaxies", "retina", "camera")


@pytest.mark.slow
def test_the_files_are_those_that_are_offered_and_are_small():
    files = {path.name for path in FOLDER.iterdir()}
    assert files == {read_sample(name).name for name in sample_names()}
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 3_000_000


def test_the_notice_has_source_author_and_licence_of_each():
    entries = NOTICE.read_text("utf-8").split("\n\n")
    for path in FOLDER.iterdir():
        (entry,) = [entry for entry in entries if entry.startswith(f"{path.name}\n")]
        assert "Author" in entry
        assert "Source: " in entry or "computed by" in entry
        assert any(licence in entry for licence in ("CC0 1.0", "CC BY 4.0", "ublic domain", "MIT licence"))


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_photographs_are_grey_or_coloured_with_eight_bits(name):
    sample = read_sample(name)
    assert sample.pixels.dtype == np.uint8
    assert sample.pixels.ndim == 3
    assert sample.channels == (1 if name == "camera" else 3)
    assert sample.name.startswith(name)


def test_digits_are_a_labelled_stack_whose_means_are_unlike():
    digits = read_sample("digits")
    assert digits.pixels.shape == (1797, 8, 8, 1)
    assert digits.pixels.max() == 240
    assert np.bincount(digits.labels).min() > 170
    means = np.array([digits.pixels[digits.labels == digit].mean(axis=0).ravel() for digit in range(10)])
    nearest = ((digits.pixels.reshape(1797, 1, 64) - means) ** 2).sum(axis=-1).argmin(axis=1)
    assert (nearest == digits.labels).mean() > 0.85


def test_synthetic_bands_are_mixtures_of_few_spectra_and_noise_as_the_script_makes_them():
    scene, made = read_sample("synthetic bands"), make_samples.scene()
    assert scene.pixels.dtype == np.uint16
    assert scene.bands.nanometres[0] == 410
    assert scene.bands.nanometres[-1] == 1000
    red, green, blue = (scene.bands.nanometres[band] for band in scene.bands.shown)
    assert red > 600 > green > 500 > blue
    spectra = scene.pixels.reshape(-1, scene.channels).astype(np.float64)
    deviations = np.sqrt(np.linalg.eigvalsh(np.cov(spectra.T))[::-1])
    assert deviations[4] > 50
    assert deviations[5] < 10
    assert made.bands == scene.bands
    # Another version of NumPy may round otherwise, here and there.
    assert np.abs(made.pixels.astype(int) - scene.pixels).max() <= 1
    assert np.mean(made.pixels != scene.pixels) < 0.01


def test_what_is_no_sample_or_is_missing_is_said(monkeypatch):
    with pytest.raises(ImageError, match=r"no sample image named 'dog'; there are: astronaut, cat"):
        read_sample("dog")
    monkeypatch.setattr("pcaimage.imaging.reading.samples.asset", lambda *parts: asset(*parts, "nothing"))
    with pytest.raises(ImageError, match=r"installed without resources/samples/cat\.webp"):
        read_sample("cat")

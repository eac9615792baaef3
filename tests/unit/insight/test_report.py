import base64
import io
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image as PillowImage

import pcaimage
from pcaimage import api, codec, imaging, language
from pcaimage.codec import Settings
from pcaimage.codec.spectrum import OperatingPoints
from pcaimage.imaging import Image
from pcaimage.insight.curve import Curve
from pcaimage.insight.references import Reference
from pcaimage.insight.report import CROP, Pair, report_of
from pcaimage.insight.report_page import COMPONENTS, figures_of, report_html
from pcaimage.sampling import Blocks, Channels, Lapped, Stack
from tests.smooth import smooth

RNG = np.random.default_rng(8)


IMAGE = Image(smooth(60, 90, 3), name="<b>sea & sky</b>.png", format="PNG", file_size=14_000)
LARGE = Image(smooth(430, 1100, 1), name="large.png")
SETTINGS = Settings(sampling=Blocks(4), k=6)


def made(image=IMAGE, settings=SETTINGS, **more):
    return report_of(image, api.compress_image(image, settings), **more)


def tree(report):
    return ET.fromstring(report_html(report))  # noqa: S314


def text_of(element):
    return "".join(element.itertext()).replace("\u00a0", " ").replace("\u202f", " ")


def test_the_page_is_valid_and_needs_nothing_from_elsewhere():
    page = report_html(made(command="pcaimage encode sea.png sea.pcai --k 6"))
    assert page.startswith('<!DOCTYPE html>\n<html lang="en-GB">')
    root = ET.fromstring(page)  # noqa: S314
    assert not {"script", "link", "iframe"} & {element.tag for element in root.iter()}
    assert all(image.get("src", "").startswith("data:image/") for image in root.iter("img"))
    assert "http" not in page.replace("http-equiv", "")


def test_it_can_be_read_without_seeing_it_on_paper_and_on_dark_screens_too():
    root, page = tree(made()), report_html(made())
    assert all(image.get("alt") for image in root.iter("img"))
    assert all(plot.get("role") == "img" and plot.get("aria-label") for plot in root.iter("svg"))
    assert all(cell.get("scope") == "col" for cell in root.iter("th"))
    levels = [element.tag for element in root.iter() if element.tag in {"h1", "h2", "h3"}]
    assert levels[0] == "h1"
    assert set(levels[1:]) == {"h2"}
    assert "@media print" in page
    assert "prefers-color-scheme: dark" in page


def test_it_speaks_the_language_in_use_in_all_but_names():
    jpeg = Reference("jpeg", "JPEG", (20.0, 80.0), (800, 4000), (25.0, 34.0), sampled=False)
    with language.spoken("ja"):
        page = report_html(made(LARGE, left_out={2}, references=[jpeg]))
    root = ET.fromstring(page)  # noqa: S314
    assert root.get("lang") == "ja"
    said = [*root.find("body").itertext(), *(each.get("title", "") for each in root.iter("th"))]
    said += [each.get("alt", "") + each.get("aria-label", "") for each in root.find("body").iter()]
    words = set(re.findall("[A-Za-z]{2,}", " ".join(said).replace(LARGE.name, "")))
    assert words <= {"pcaimage", "PSNR", "SSIM", "KB", "MB", "dB", "JPEG", "XMP", "IPTC", "EXIF", "log"}


def test_what_comes_from_outside_is_text_and_nothing_else():
    report = made(command='pcaimage encode "<script>alert(1)</script>" \x00 & more')
    page = report_html(report)
    assert "<script" not in page
    assert "<b>" not in page
    root = ET.fromstring(page)  # noqa: S314
    assert root.findtext(".//h1") == "<b>sea & sky</b>.png"
    assert root.findtext(".//code") == 'pcaimage encode "<script>alert(1)</script>" \ufffd & more'
    assert pcaimage.__version__ in text_of(root)


def test_the_figures_are_those_of_the_file():
    encoding = api.compress_image(IMAGE, SETTINGS)
    report = report_of(IMAGE, encoding, left_out={2})
    figures = {name: text.replace("\u00a0", " ") for name, text in figures_of(report).items()}
    size, decoded = api.size_of(encoding.compressed), encoding.decoded()
    assert figures["Image"] == "90 × 60, 3 channels, 8 bits"
    assert figures["Method"] == "Blocks, 4 × 4"
    assert figures["Components k"] == "6 of 48"
    assert f"({size:,} bytes)" in figures["Size"]
    assert figures["PSNR"] == f"{imaging.psnr(IMAGE.pixels, decoded):.2f} dB"
    assert figures["SSIM"] == f"{imaging.ssim(IMAGE.pixels, decoded):.4f}"
    assert figures["Of the original"].endswith("(14.0 KB PNG)")
    assert figures["Left out by hand"] == "2"
    assert all(text in text_of(tree(report)) for text in ("6 of 48", figures["PSNR"]))
    # A file and what it decodes to will do.
    again = report_of(IMAGE, (encoding.compressed, decoded), similarity=0.5)
    assert (again.ssim, again.psnr) == (0.5, report.psnr)


def uris(report):
    found = re.findall(r'src="data:image/\w+;base64,([^"]+)"', report_html(report))
    return [np.asarray(PillowImage.open(io.BytesIO(base64.b64decode(data)))) for data in found]


def test_small_images_are_shown_exactly_as_they_are():
    report = made()
    original, reconstruction, heat = uris(report)
    decoded = api.compress_image(IMAGE, SETTINGS).decoded()
    assert np.array_equal(original, IMAGE.pixels)
    assert np.array_equal(reconstruction, decoded)
    assert heat.shape == (60, 90, 3)
    error = np.abs(decoded.astype(int) - IMAGE.pixels).sum(axis=2)
    assert heat.sum(axis=2)[error.argmax() // 90, error.argmax() % 90] > np.median(heat.sum(axis=2))


@pytest.mark.slow
def test_large_images_are_reduced_and_parts_of_them_exact():
    original = LARGE.pixels.copy()
    original[300:340, 700:760] = RNG.integers(0, 256, (40, 60, 1))
    image = Image(original, name="large.png")
    encoding = api.compress_image(image, SETTINGS)
    report = report_of(image, encoding)
    pictures = uris(report)
    assert pictures[0].shape[:2] == (215, 550)
    assert len(pictures) == 9
    name, (left, top), _ = report.pair.crops()[0]
    assert "largest" in name
    assert left <= 700 < left + CROP
    assert top <= 300 < top + CROP
    area = slice(top, top + CROP), slice(left, left + CROP)
    assert np.array_equal(pictures[3], original[area][..., 0])
    assert np.array_equal(pictures[4], encoding.decoded().reshape(original.shape)[area][..., 0])
    assert "reduced to fit" in text_of(tree(report))


@pytest.mark.parametrize(
    ("image", "settings"),
    [
        (Image(smooth(20, 24, 3).astype(np.uint16) * 256), Settings(sampling=Lapped(), k=5)),
        (Image(smooth(20, 24, 1)), Settings(sampling=Blocks(4), k=2)),
        (Image(smooth(20, 24, 7).astype(np.uint16) * 20), Settings(sampling=Channels(), standardize=True)),
        (Image(smooth(2, 9, 8, 3)), Settings(sampling=Stack(), k=1)),
        (Image(np.full((9, 9, 3), 7, np.uint8)), Settings(sampling=Blocks(4), k=1)),
        (Image(smooth(16, 16, 3), alpha=np.full((16, 16), 9, np.uint8)), Settings(lossless=True)),
        (Image(smooth(1, 1, 3)), Settings()),
    ],
)
@pytest.mark.sweep(4)
def test_every_kind_of_image_has_a_report(image, settings):
    report = made(image, settings, frame=image.frames - 1)
    root = tree(report)
    assert len(list(root.iter("img"))) == 3
    text = text_of(root)
    assert ("Image 2 of 2 is shown" in text) == image.is_stack
    assert ("Opacity" in text) == (image.alpha is not None)
    assert ("without loss" in text) == settings.lossless


def test_a_photos_spectrum_is_whole_if_it_is_at_hand():
    settings = Settings(sampling=Lapped(), k=9)
    analysis = codec.analyse(IMAGE.pixels, Lapped())
    known, unknown = made(settings=settings, spectrum=analysis), made(settings=settings)
    assert len(known.rows) == 192
    assert len(unknown.rows) == 9
    assert "Variance kept" in figures_of(known)
    assert "Variance kept" not in figures_of(unknown)
    assert figures_of(unknown)["Components k"] == "9 of 192"


def test_only_the_first_components_are_listed_and_all_parts_of_the_file():
    report = made()
    tables = list(tree(report).iter("table"))
    assert len(list(tables[0].iter("tr"))) == COMPONENTS + 1
    numbers = [text_of(row[1]).replace(" ", "") for row in tables[1].iter("tr")][1:]
    assert sum(map(int, numbers)) == report.parts.total


def test_the_curve_is_drawn_beside_those_of_other_codecs():
    curve = Curve(
        OperatingPoints.of_components(3), np.array([300.0, 900.0, 3000.0]), np.array([24.0, 29.0, 35.0])
    )
    jpeg = Reference("jpeg", "JPEG <1992>", (20.0, 80.0), (800, 4000), (25.0, 34.0), sampled=False)
    root = tree(made(curve=curve, references=(jpeg,)))
    plots = {plot.get("aria-label"): plot for plot in root.iter("svg")}
    label = next(label for label in plots if label and label.startswith("PSNR"))
    assert "JPEG <1992>" in label
    assert len(list(plots[label].iter("polyline"))) == 2
    assert len(list(plots[label].iter("circle"))) == 1
    assert not [label for label in (p.get("aria-label") for p in tree(made()).iter("svg")) if "PSNR" in label]


def test_the_colour_profile_goes_with_the_pictures_of_the_image_alone():
    profile = b"\0" * 12 + b"mntrRGB " + b"\0" * 200
    image = Image(IMAGE.pixels, icc_profile=profile)
    assert Pair.of(image, image.pixels).icc_profile == profile
    assert Pair.of(image, image.pixels, shown_as=lambda pixels: pixels[..., :1]).icc_profile is None


@pytest.mark.sweep(2)
@pytest.mark.parametrize("kind", ["int16", "float32"])
def test_cubes_of_any_type_are_reported_on(kind):
    cube = smooth(30, 40, 6).astype(kind)
    cube -= 120
    if kind == "float32":
        cube[3:6, 4:9] = np.nan
    report = made(Image(cube), Settings(psnr=40))
    assert 40 <= report.psnr <= 40.1  # what was asked for is a floor
    assert 0.9 < report.ssim < 1
    assert "6 bands" in text_of(tree(report))
    shown = report.pair.original
    assert (shown.min(), shown.max()) == (0, 255)
    assert 100 < np.median(shown) < 200

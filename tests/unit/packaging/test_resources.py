"""The files for the desktop agree with the program."""

import configparser
from xml.etree import ElementTree as ET

import pytest

import pcaimage
from pcaimage.machine.folders import asset
from pcaimage.signature import SIGNATURE

ID = "org.pcaimage.PcaImage"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"
ACTIONS = sorted(asset("icons").glob("*.svg"))


def xml(path):
    return ET.parse(path).getroot()  # noqa: S314 - the project's own file


def test_the_file_type_is_recognised_by_the_signature_that_files_begin_with():
    match = xml(asset("resources", f"{ID}.mime.xml")).find(f".//{MIME}match")
    assert match.get("offset") == "0"
    assert match.get("value", "").encode().decode("unicode_escape").encode("latin-1") == SIGNATURE


def test_the_desktop_entry_opens_the_programs_own_files():
    entry = configparser.RawConfigParser()
    entry.read(asset("resources", f"{ID}.desktop"), encoding="utf-8")
    assert entry["Desktop Entry"]["Icon"] == ID
    types = xml(asset("resources", f"{ID}.mime.xml")).iter(f"{MIME}mime-type")
    patterns = {each.get("type"): each.find(f"{MIME}glob").get("pattern") for each in types}
    assert patterns == {"image/x-pcaimage": "*.pcai", "application/x-pcalab+json": "*.pcalab"}
    assert set(patterns) <= set(entry["Desktop Entry"]["MimeType"].split(";"))


def test_software_centres_know_this_version_and_the_application_icon_has_every_size():
    releases = xml(asset("resources", f"{ID}.metainfo.xml")).iter("release")
    assert pcaimage.__version__ in [release.get("version") for release in releases]
    for size in (16, 32, 48, 64, 128, 256, 512):
        header = asset("icons", "app", f"pcaimage-{size}.png").read_bytes()[:24]
        assert int.from_bytes(header[16:20]) == int.from_bytes(header[20:24]) == size


@pytest.mark.parametrize("path", ACTIONS, ids=lambda path: path.stem)
@pytest.mark.sweep(7)
def test_an_action_is_drawn_in_black_strokes_on_the_common_grid(path):
    drawing = xml(path)
    assert drawing.get("viewBox") == "0 0 24 24"
    assert (drawing.get("stroke"), drawing.get("stroke-width")) == ("#000", "1.75")
    assert {element.get("fill", "none") for element in drawing.iter()} <= {"none", "#000"}

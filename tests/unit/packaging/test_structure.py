import configparser
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from structure.circles import circles, edges
from structure.private import private_names, reach_ins
from structure.rooms import room_of, rooms
from structure.source import Module

import pcaimage
from pcaimage.machine.folders import asset
from pcaimage.signature import SIGNATURE

FACADE = Module(Path("pcaimage/a/__init__.py"), "from pcaimage.a.one import first\n")
ONE = Module(Path("pcaimage/a/one.py"), "def first():\n    from .two import second\n")
TWO = Module(Path("pcaimage/a/two.py"), "from pcaimage.b import third\n")


def circle_of(*modules):
    return circles(edges(modules))


@pytest.mark.parametrize(
    "text",
    [
        "from pcaimage.a import first\n",
        "from pcaimage.a.one import first\n",
        "import pcaimage.a.one\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .a import first\n",
        "def third():\n    from .a import one\n",
    ],
)
def test_circles_are_found_wherever_the_import_stands(text):
    other = Module(Path("pcaimage/b.py"), text)
    assert circle_of(FACADE, ONE, TWO, other) == [["pcaimage.a.one", "pcaimage.a.two", "pcaimage.b"]]


HIDDEN = Module(
    Path("pcaimage/a/hidden.py"),
    "_TABLE = 1\n\nclass Box:\n    def __init__(self):\n        self._inside = 2\n\n"
    "def same(one, other):\n    return one._inside == other._inside\n",
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("box._inside", 1),
        ("self._inside, super()._inside, box.__class__, box._foreign", 0),
        ("getattr(box, '_inside')", 1),
        ("monkeypatch.setattr('pcaimage.a.hidden._TABLE', 3)", 1),
        ("from pcaimage.a.hidden import _TABLE", 1),
        ("from pcaimage.a._private import shown", 1),
        ("from elsewhere import _TABLE", 0),
    ],
)
def test_private_names_used_from_outside_are_counted(text, count):
    user = Module(Path("pcaimage/b.py"), text)
    assert len(reach_ins(user, private_names([HIDDEN]))) == count


def test_a_module_may_use_the_private_names_of_its_own_classes_and_package():
    names = private_names([HIDDEN])
    assert names == {"_TABLE", "_inside"}
    assert reach_ins(HIDDEN, names) == []
    assert reach_ins(Module(Path("pcaimage/a/b.py"), "from pcaimage.a._private import shown"), names) == []


def test_rooms_are_packages_and_know_who_uses_them():
    found = rooms(
        [
            Module(Path("pcaimage/__init__.py"), ""),
            Module(Path("pcaimage/errors.py"), "one = 1\n"),
            Module(Path("pcaimage/codec/__init__.py"), ""),
            Module(Path("pcaimage/codec/step.py"), "from pcaimage.errors import one\n"),
            Module(Path("pcaimage/codec/photo/__init__.py"), ""),
            Module(Path("pcaimage/codec/photo/tiles/__init__.py"), ""),
            Module(Path("pcaimage/codec/photo/tiles/tiles.py"), "from pcaimage.codec import step\ntwo = 2\n"),
        ],
        {"pcaimage": 1, "pcaimage.codec": 1, "pcaimage.codec.photo": 1},
    )
    assert [(room.name, room.lines, room.modules, room.users, room.is_met) for room in found] == [
        ("pcaimage", 1, 2, ("pcaimage.codec",), True),
        ("pcaimage.codec", 1, 2, ("pcaimage.codec.photo",), True),
        ("pcaimage.codec.photo", 2, 3, (), False),
    ]
    assert (
        room_of("pcaimage.gui.tabs.curve.plot", {"pcaimage.gui", "pcaimage.gui.tabs"}) == "pcaimage.gui.tabs"
    )


ROOT = Path(__file__).resolve().parents[3]
THIS = Path(__file__).resolve()

# Folders that exist on one machine only: a developer's home, the place of a checkout.
MACHINE_PATHS = (b"/work/", b"/root/", b"/home/", b"/Users/", b"C:\\Users")


def published_files():
    """Return the files that git tracks; in an unpacked archive, which git does not know, the sources."""
    listing = subprocess.run(  # an archive is as good a place for tests as a clone
        ["git", "ls-files", "-z"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if listing.returncode == 0 and listing.stdout:
        paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:
        paths = [*ROOT.joinpath("pcaimage").rglob("*.py"), *ROOT.joinpath("tests").rglob("*.py")]
    return [path for path in paths if path.is_file() and path != THIS]


def test_no_published_file_names_a_folder_of_somebodys_machine():
    offenders = [
        f"{path.relative_to(ROOT)}: {place.decode()}"
        for path in published_files()
        for place in MACHINE_PATHS
        if place in path.read_bytes()
    ]
    assert offenders == []


def test_every_text_file_ends_with_one_newline():
    endings = {".py", ".md", ".toml", ".svg", ".xml", ".sh", ".desktop"}
    offenders = [
        str(path.relative_to(ROOT))
        for path in published_files()
        if path.suffix in endings
        and path.stat().st_size
        and (not path.read_bytes().endswith(b"\n") or path.read_bytes().endswith(b"\n\n"))
    ]
    assert offenders == []


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

"""The program in a user's desktop."""

import json
import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PIL import Image

from pcaimage import container
from pcaimage.cli.desktops import windows
from pcaimage.cli.desktops.freedesktop import with_delegates
from tests.typed import typed


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name, folder in (("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_thumbnailer_makes_a_picture_and_what_is_installed_is_removed(home, done, request, tmp_path):
    done("desktop", "--install")
    installed = files_in(home)
    ends = ".desktop .thumbnailer image-x-pcaimage.svg delegates.xml .metainfo.xml /_pcaimage"
    for end in ends.split():
        assert any(path.endswith(end) for path in installed), end
    entry = (home / "data/thumbnailers/org.pcaimage.PcaImage.thumbnailer").read_text("utf-8")
    (command,) = (line.removeprefix("Exec=") for line in entry.splitlines() if line.startswith("Exec="))
    golden = request.config.rootpath / "tests/golden/photo.pcai"
    values = {"%i": str(golden), "%o": str(tmp_path / "out.png"), "%s": "32"}
    subprocess.run([values.get(word, word) for word in shlex.split(command)], check=True)
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    done("desktop", "--remove")
    left = [path for path in files_in(home) if "pcai" in path.lower() or path.endswith("delegates.xml")]
    assert left == []
    assert not any("completion" in path for path in files_in(home))


def test_entries_name_the_program_that_was_started(home, done):
    done("desktop", "--install")
    entry = (home / "data/applications/org.pcaimage.PcaImage.desktop").read_text("utf-8")
    (program,) = set(re.findall(r'^Exec="(.*?)" gui', entry, re.MULTILINE))
    assert os.access(program, os.X_OK)
    assert f"TryExec={program}" in entry.splitlines()


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_the_manual_has_every_option(home, done):
    done("desktop", "--install")
    pages = {path.stem: path for path in (home / "data/man/man1").iterdir()}
    assert {"pcaimage", "pcaimage-encode", "pcaimage-decode"} <= set(pages)
    groff = [shutil.which("groff"), "-Kutf8", "-man", "-ww", "-Tutf8", "-P-bcou"]
    made = subprocess.run([*groff, str(pages["pcaimage-encode"])], capture_output=True, text=True, check=True)
    assert not made.stderr
    assert "pcaimage-encode - " in made.stdout
    for option in re.findall(r"--[a-z-]+", typed("encode", "--help").output):
        assert option in made.stdout


@pytest.mark.skipif(not shutil.which("exiftool"), reason="exiftool is not installed")
@pytest.mark.parametrize(
    ("name", "sides"),
    [
        ("photo-alpha-metadata", (1, 45, 38, 3, "photo", "ünïcode name.png")),
        ("bands", (1, 22, 19, 24, "bands", None)),
        ("stack", (12, 11, 10, 1, "stack", None)),
    ],
)
def test_exiftool_reads_what_a_file_is(request, name, sides):
    root = request.config.rootpath
    settings = root / "resources/pcaimage.ExifTool_config"
    command = [shutil.which("exiftool"), "-config", settings, "-json", root / f"tests/golden/{name}.pcai"]
    (found,) = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    names = ("Images", "ImageHeight", "ImageWidth", "Channels", "Method", "OriginalFileName")
    assert found["MIMEType"] == "image/x-pcaimage"
    assert tuple(found.get(each) for each in names) == sides


@pytest.mark.skipif(not shutil.which("identify"), reason="ImageMagick is not installed")
@pytest.mark.usefixtures("home")
def test_imagemagick_reads_and_writes_files(done, request, tmp_path):
    done("desktop", "--install")
    golden, made = request.config.rootpath / "tests/golden/photo.pcai", tmp_path / "made.pcai"
    convert = Path(shutil.which("identify")).with_name("convert")  # others have commands of that name, too
    subprocess.run([convert, golden, "-rotate", "90", made], check=True)
    assert container.peek(made.read_bytes()).shape[:2] == (38, 45)


def test_other_delegates_stay_and_ours_are_there_once():
    others = '<delegatemap>\n  <delegate decode="dng" command="x"/>\n</delegatemap>\n'
    text = with_delegates(with_delegates(others, Path("first")), Path("a & b"))
    delegates = [dict(each.items()) for each in ET.fromstring(text)]  # noqa: S314
    assert [each.get("encode", each["decode"]) for each in delegates] == ["dng", "pcai", "pcai"]
    assert delegates[2]["command"] == '"a & b" encode "%i" - --quiet > "%o"'


def test_one_of_both_must_be_given(refused):
    for words in ((), ("--install", "--remove")):
        assert refused("desktop", *words) == "Give one of --install and --remove."


def test_macos_gets_a_bundle_that_starts_the_program(home, done, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    done("desktop", "--install")
    contents = home / "Applications/pcaimage.app/Contents"
    info = plistlib.loads((contents / "Info.plist").read_bytes())
    exported = {each["UTTypeIdentifier"] for each in info["UTExportedTypeDeclarations"]}
    opened = {kind for each in info["CFBundleDocumentTypes"] for kind in each["LSItemContentTypes"]}
    assert opened == exported | {"public.image"}
    with Image.open(contents / "Resources" / f"{info['CFBundleIconFile']}.icns") as icon:
        assert icon.size == (512, 512)
    start = contents / "MacOS" / info["CFBundleExecutable"]
    said = subprocess.run([start, "--help"], capture_output=True, text=True, check=True)
    assert "pcaimage gui" in said.stdout
    done("desktop", "--remove")
    assert files_in(home) == []


def test_windows_registers_types_of_files(home, done, monkeypatch):
    taken = []
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(windows, "enter", taken.append)
    monkeypatch.setenv("LOCALAPPDATA", str(home))
    done("desktop", "--install")
    (icon,) = home.rglob("*.ico")
    with Image.open(icon) as image:
        assert image.size == (256, 256)
    assert f'@="{icon}"' in taken[0]
    done("desktop", "--remove")
    assert files_in(home) == []
    keys = [
        set(re.findall(r"^\[-?(.*\\\.?(?:pcai\w*(?:\.\w+)?|png))[\\\]]", text, re.MULTILINE))
        for text in taken
    ]
    assert keys[0] == keys[1]


@pytest.mark.skipif(not shutil.which("wine"), reason="Wine is not installed")
@pytest.mark.slow
def test_the_registry_takes_the_entries_and_loses_them(tmp_path):
    environment = os.environ | {"WINEPREFIX": str(tmp_path / "wine"), "WINEDEBUG": "-all"}

    def run(*words):
        command = [shutil.which("wine"), "reg", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    kept = r"HKCU\Software\Classes\.png\OpenWithProgids"
    run("add", kept, "/v", "other.Program", "/d", "")
    start = r'"C:\Program Files\Python\pcaimage-gui.exe"'
    for text, there in ((windows.added(start, tmp_path / "pcaimage.ico"), True), (windows.removed(), False)):
        file = tmp_path / "entries.reg"
        file.write_text(text, "utf-16", newline="\r\n")
        assert run("import", str(file)).returncode == 0
        said = run("query", r"HKCU\Software\Classes\pcaimage.Image\shell\open\command", "/ve")
        assert (f'{start} "%1"' in said.stdout) == there
        others = run("query", kept).stdout
        assert "other.Program" in others
        assert ("pcaimage.Image" in others) == there

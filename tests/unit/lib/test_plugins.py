"""Plug-ins of other programs, compiled against what this system has of them."""

import os
import shutil
import subprocess

import make_plugins
import numpy as np
import pytest
from compile_core import ROOT
from PIL import Image

import pcaimage

pytestmark = pytest.mark.slow

READER = """
#include <QCoreApplication>
#include <QImageReader>
int main(int count, char **words) {
  QCoreApplication program(count, words);
  QImageReader reader(words[1]);
  if (reader.imageCount() > 1) reader.jumpToImage(1);
  const QImage image = reader.read();
  return image.isNull() ? 1 : !image.convertToFormat(QImage::Format_RGBA8888).save(words[2], "png");
}
"""
FILES = ["photo", "photo-lossless", "photo-alpha-metadata", "photo-grey-2d", "blocks-8", "channels"]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Make plug-ins; return functions that convert a file of a longest side by programs that have them."""
    folder, query = tmp_path_factory.mktemp("programs"), "--variable=gdk_pixbuf_query_loaders"
    make_plugins.make(folder)
    own = {"GDK_PIXBUF_MODULE_FILE": "cache", "QT_PLUGIN_PATH": ".", "XDG_DATA_HOME": str(folder)}
    own = {name: str(folder / value) for name, value in own.items()}
    found = {}
    if (loader := make_plugins.make_loader(folder)) and (
        thumbnailer := shutil.which("gdk-pixbuf-thumbnailer")
    ):
        cache = subprocess.run(
            [*make_plugins.config("gdk-pixbuf-2.0", query), loader], capture_output=True, check=True
        )
        (folder / "cache").write_bytes(cache.stdout)
        (folder / "mime/packages").mkdir(parents=True)
        shutil.copy(ROOT / "resources/org.pcaimage.PcaImage.mime.xml", folder / "mime/packages")
        subprocess.run(
            [shutil.which("update-mime-database"), folder / "mime"], capture_output=True, check=True
        )
        found["loader"] = lambda source, target, side: run([thumbnailer, "--size", str(side), source, target])
    if make_plugins.make_format(folder):
        source, reader = folder / "reader.cpp", folder / "reader"
        source.write_text(READER, "utf-8")
        flags = make_plugins.config("Qt6Gui", "--cflags", "--libs")
        subprocess.run([shutil.which("c++"), "-std=c++17", "-fPIC", source, *flags, "-o", reader], check=True)
        found["reader"] = lambda source, target, _: run([reader, source, target])

    def run(command):
        return not subprocess.run(
            command, env={**os.environ, **own}, capture_output=True, check=False
        ).returncode

    return found or pytest.skip("neither gdk-pixbuf nor Qt is installed for programs")


def pixels_of(name, index=None):
    opened = pcaimage.open(ROOT / "tests/golden" / f"{name}.pcai")
    found = opened.image() if index is None else opened.frame(index)
    pixels = found.pixels if found.pixels.shape[-1] == 3 else np.repeat(found.pixels, 3, axis=-1)
    return np.dstack(
        [pixels, np.full(pixels.shape[:2], 255, np.uint8) if found.alpha is None else found.alpha]
    )


@pytest.mark.parametrize("name", [*FILES, "stack"])
def test_programs_have_the_very_pixels(name, programs, tmp_path):
    for kind, convert in programs.items():
        expected = pixels_of(name, {"loader": 0, "reader": 1}[kind] if name == "stack" else None)
        assert convert(ROOT / "tests/golden" / f"{name}.pcai", tmp_path / "out.png", max(expected.shape))
        assert np.array_equal(np.asarray(Image.open(tmp_path / "out.png").convert("RGBA")), expected), kind


def test_damaged_files_are_refused(programs, tmp_path):
    data, path = (ROOT / "tests/golden/photo.pcai").read_bytes(), tmp_path / "damaged.pcai"
    for content in (data[:60], data[:9], data[:40] + b"\0" + data[41:]):
        path.write_bytes(content)
        assert not any(convert(path, tmp_path / "out.png", 64) for convert in programs.values())

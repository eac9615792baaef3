"""Files of many bands that no encoder writes give one sentence, whatever is wrong with them."""

import struct
import tracemalloc
import zlib

import numpy as np
import pytest

import pcaimage
from pcaimage import Metadata, Settings, codec, container
from pcaimage.errors import FormatError
from pcaimage.varint import write_varint
from tests.unit.container import files

LIMIT = 1 << 12


def test_metadata_and_what_was_not_measured_come_back_and_trimming_drops_corrections(bands_file):
    found = container.read(bands_file)
    assert (found.metadata.bands, found.metadata.name) == (b"bands", "cube.tif")
    assert int((pcaimage.decode(bands_file) == -9999).sum()) == 4 * 6 + 1
    shorter = container.read(container.trim(bands_file, 2))
    assert (shorter.k, shorter.residual) == (2, None)
    assert shorter.missing is not None
    assert container.trim(bands_file, 4) == bands_file
    assert np.array_equal(codec.decompress(shorter), pcaimage.decode(bands_file, 2))


def mask(bits, value=-9999.0):
    return b"\0" + struct.pack("<d", value) + zlib.compress(bytes(bits), 9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: files.without(f, b"M"), "no mean"),
        (lambda f: files.moved(f, b"N", -1), "wrong order"),
        (lambda f: [*f[:-1], next(x for x in f if x[0] == b"N"), f[-1]], "two chunks of a kind"),
        (lambda f: files.replaced(f, b"N", b""), "mask of what was not measured"),
        (lambda f: files.replaced(f, b"N", b"\2" + mask(8)[1:]), "mask of what"),
        (lambda f: files.replaced(f, b"N", mask(7)), "does not inflate to what"),
        (lambda f: files.replaced(f, b"N", mask(1 << 20)), "does not inflate to what"),
        (lambda f: files.replaced(f, b"N", mask(8, 0.5)), "none of the image's type"),
        (lambda f: files.replaced(f, b"N", mask(8, np.nan)), "none of the image's type"),
        (lambda f: [*f[:-1], (b"D", b""), f[-1]], "its method does not have"),
        (lambda f: [*f[:-1], (b"G", b""), f[-1]], "its method does not have"),
        (lambda f: files.replaced(f, b"R", b"\3"), "as many components"),
        (lambda f: files.replaced(f, b"R", b"\4\6"), "2? ?5? ?bytes|announced"),
        (lambda f: files.replaced(f, b"R", b"\4" + write_varint(1 << 18) + bytes(4)), "out of range"),
        (lambda f: files.replaced(f, b"R", b"\4\6\1\0\0\0"), "7 bytes|announced"),
        (lambda f: files.replaced(f, b"R", b"\4\1"), "directly has no components"),
        (lambda f: [*f[:-2], f[-1]], None),
    ],
)
def test_what_contradicts_the_specification_is_refused(bands_file, change, message):
    data = files.assembled(change(files.parts(bands_file)))
    if message is None:
        pcaimage.decode(data)  # without corrections, but right
        return
    with pytest.raises(FormatError, match=message) as caught:
        pcaimage.decode(data)
    assert type(caught.value) is FormatError


HEADER = bytes([1, 0, 3, 1, 0x34, 0x08, 0xF7, 5, 0, 2, 0, 0]) + struct.pack("<d", 900.0) + b"\5\7\6"


def test_too_many_slices_and_opacity_beside_numbers_with_a_sign_are_refused(bands_file):
    tall = HEADER[:9] + b"\1\2" + HEADER[11:20] + write_varint(513) + b"\3\1"
    with pytest.raises(FormatError, match="at most 1024 slices"):
        files.header_in(tall, LIMIT)
    found = files.parts(bands_file)
    data = files.assembled([*found[:1], (b"A", b"\0" + zlib.compress(bytes(126))), *found[1:]])
    with pytest.raises(FormatError, match="without sign"):
        container.read(data)


def test_hostile_masks_take_no_memory():
    large = HEADER[:9] + b"\0" + HEADER[10:20] + write_varint(1 << 12) * 2 + b"\1"
    data = files.assembled([(b"H", large), (b"M", b""), (b"N", mask(1 << 24, 1.0)), (b"E", b"\0")])
    tracemalloc.start()
    container.read(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20
    with pytest.raises(FormatError, match="does not inflate to what"):
        pcaimage.decode(data)


def test_what_is_known_of_bands_is_carried_beside_other_methods(picture):
    for method in (None, pcaimage.Channels()):
        data = pcaimage.encode(picture, Settings(method), metadata=Metadata(bands=b"red, green, blue"))
        assert container.read(data).metadata.bands == b"red, green, blue"

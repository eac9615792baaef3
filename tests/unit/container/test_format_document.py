"""The example in docs/format.md is a real file."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest

import pcaimage
import pcaimage.container
from pcaimage.container import spec, writer
from tests.reference import groups as reference_groups
from tests.reference import linear, photo

DOCUMENT = Path(__file__).parents[3] / "docs" / "format.md"


@pytest.fixture(scope="module")
def text():
    return DOCUMENT.read_text("utf-8")


@pytest.fixture(scope="module")
def dump(text):
    """Return the bytes of the example's lines by offset."""
    lines = re.findall(r"^([0-9a-f]{4})  ((?:[0-9a-f]{2} ?)+)", text, re.MULTILINE)
    return {int(offset, 16): bytes.fromhex(row) for offset, row in lines}


def test_chunks_and_payloads_begin_lines_of_the_dump_and_numbers_are_those_documented(dump):
    data, place = b"".join(dump.values()), 0
    for offset, row in dump.items():
        assert offset == place
        place += len(row)
    assert place == 84
    for chunk in pcaimage.container.scan(data):
        places = {chunk.start, chunk.stop - 4 - len(chunk.payload), chunk.stop - 4}
        assert places <= set(dump)
    model = pcaimage.codec.unpack(pcaimage.container.read(data))
    assert model.mean.tolist() == [69, 75, 105, 114]
    assert model.entries.tolist() == [[8, 7, 10, 7], [-3, -3, 6, -3]]
    assert model.scores.tolist() == [[-7, 1, -2, -3, 5, 6], [0, 6, 1, -5, -1, -1]]
    assert float(model.header.step) == 17.734375


@pytest.mark.parametrize(("k", "columns"), [(None, slice(0, 5)), (1, slice(5, 10))])
def test_dump_decodes_to_the_documented_pixels(text, dump, k, columns):
    data = b"".join(dump.values())
    block = text.split("It decodes to")[1].split("```")[1].removeprefix("text\n")
    documented = np.array([row.split()[columns] for row in block.strip().splitlines()], int)
    assert np.array_equal(pcaimage.decode(data, k), documented)
    assert np.array_equal(linear.decode(data, k).values, documented)


def test_document_names_every_chunk_and_the_version(text):
    assert "version {}.{}".format(*divmod(spec.VERSION, 16)) in text
    assert f"| 8 | u8 | version: {spec.VERSION}," in text
    for kind in spec.Chunk:
        assert re.search(rf"^\| [^|]*`{kind.value.decode()}`[^|]* \| ", text, re.MULTILINE)


def test_documented_group_is_read_and_written_as_documented(text):
    example = text.split("For example, segments of ")[1]
    lengths = [int(number) for number in re.findall(r"\d+", example.split("bytes")[0])]
    payload = bytes.fromhex(example.split("`")[1]) + bytes(sum(lengths))
    segments = [bytes(length) for length in lengths]
    assert writer.group_payload(3, segments) == payload
    assert reference_groups.segments(payload) == (3, segments)


def rows_of(text):
    return {
        name: (shape, kind)
        for names, shapes, kinds in re.findall(
            r"^\| (`.*`) \| ([\d, ;]+|their sum) \| ([iu\d, ]+) \|", text, re.MULTILINE
        )
        for name, shape, kind in spread(names, shapes, kinds)
    }


def test_document_describes_every_array_of_the_tables(text):
    rows, arrays = rows_of(text), photo.arrays_of(1, 0)
    assert set(rows) == set(arrays)
    for name, (shape, kind) in rows.items():
        of_rows = arrays.get(re.sub("_.*", "_trained", name), np.zeros(0))
        assert (arrays[name].shape, arrays[name].dtype.str[1:]) == (shape or (of_rows.sum(),), kind)


def spread(names, shapes, kinds):
    """Return what a row says of each of its arrays; what is said once is said of all."""
    each = re.findall(r"`(\w+)`", names)
    sizes = [tuple(map(int, re.findall(r"\d+", shape))) for shape in shapes.split(";")]
    types = kinds.split(", ")
    pairs = [part * len(each) if len(part) == 1 else part for part in (sizes, types)]
    return list(zip(each, *pairs, strict=True))


def test_document_has_the_digests_of_the_tables(text):
    for path in sorted((photo.RESOURCES / "photo-1").iterdir()):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert f"{path.name}  {digest}" in text

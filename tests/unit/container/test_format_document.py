"""The example in docs/format.md is a real file."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest

import pcaimage
import pcaimage.container
from pcaimage.container import groups, spec
from tests.unit.container import reference_decoder as reference
from tests.unit.container import reference_groups, reference_photo

DOCUMENT = Path(__file__).parents[3] / "docs" / "format.md"


@pytest.fixture(scope="module")
def text() -> str:
    return DOCUMENT.read_text("utf-8")


@pytest.fixture(scope="module")
def dump(text: str) -> dict[int, bytes]:
    """Return the bytes of the example's lines by offset."""
    lines = re.findall(r"^([0-9a-f]{4})  ((?:[0-9a-f]{2} ?)+)", text, re.MULTILINE)
    return {int(offset, 16): bytes.fromhex(row) for offset, row in lines}


def test_lines_of_the_dump_follow_on_each_other(dump: dict[int, bytes]) -> None:
    place = 0
    for offset, row in dump.items():
        assert offset == place
        place += len(row)
    assert place == 132


def test_chunks_and_payloads_and_checksums_begin_lines_of_the_dump(dump: dict[int, bytes]) -> None:
    data = b"".join(dump.values())
    for chunk in pcaimage.container.scan(data):
        places = {chunk.start, chunk.stop - 4 - len(chunk.payload), chunk.stop - 4}
        assert places <= set(dump)


@pytest.mark.parametrize(
    ("k", "heading"), [(None, "It decodes to"), (1, "from its first component alone to")]
)
def test_dump_decodes_to_the_documented_pixels(
    text: str, dump: dict[int, bytes], k: int | None, heading: str
) -> None:
    data = b"".join(dump.values())
    block = text.split(heading)[1].split("```")[1].removeprefix("text\n")
    documented = np.array([row.split() for row in block.strip().splitlines()], int)
    assert np.array_equal(pcaimage.decode(data, k), documented)
    assert reference.decode(data, k).pixels == documented.ravel().tolist()


def test_documented_tokens_are_those_of_the_example(dump: dict[int, bytes]) -> None:
    model = pcaimage.codec.unpack(pcaimage.container.read(b"".join(dump.values())))
    assert model.mean.tolist() == [66, 75, 110, 115]
    assert model.entries.tolist() == [[8, 7, 9, 7], [-5, -5, 13, -5]]
    assert model.scores.tolist() == [[-8, 0, -2, -2, 5, 7], [0, 6, 0, -6, -1, -1]]
    assert float(model.header.step) == 17.734375


def test_document_names_every_chunk_and_the_versions(text: str) -> None:
    assert f"version {spec.MAJOR}.{spec.MINOR}" in text
    assert f"version {spec.PHOTO_MAJOR}.{spec.MINOR}" in text
    assert f"version {spec.MODEL_MAJOR}.{spec.MINOR}" in text
    assert f"version {spec.TOOLS_MAJOR}.{spec.MINOR}" in text
    assert f"version {spec.NEWER_TOOLS_MAJOR}.{spec.MINOR}" in text
    assert f"version {spec.NETWORKS_MAJOR}.{spec.MINOR}" in text
    for kind in spec.Chunk:
        assert f"| `{kind.value.decode()}` |" in text


def test_documented_group_is_read_and_written_as_documented(text: str) -> None:
    example = text.split("For example, segments of ")[1]
    lengths = [int(number) for number in re.findall(r"\d+", example.split("bytes")[0])]
    payload = bytes.fromhex(example.split("`")[1]) + bytes(sum(lengths))
    segments = [bytes(length) for length in lengths]
    assert groups.group_payload(3, segments) == payload
    assert groups.read_group(payload, 3, 9) == segments
    assert reference_groups.segments(payload) == (3, segments)


def rows_of(text: str) -> dict[str, tuple[tuple[int, ...], str]]:
    return {
        name: (shape, kind)
        for names, shapes, kinds in re.findall(
            r"^\| (`.*`) \| ([\d, ;]+) \| ([iu\d, ]+) \|", text, re.MULTILINE
        )
        for name, shape, kind in spread(names, shapes, kinds)
    }


def test_document_describes_every_array_of_the_tables(text: str) -> None:
    first, later = text.split("### P12")
    later, last = later.split("### P18")
    described = {1: rows_of(first), 2: rows_of(first) | rows_of(later)}
    described[3] = described[2] | rows_of(last)
    for version, rows in described.items():
        arrays = reference_photo.arrays_of(version)
        assert set(rows) == set(arrays)
        for name, (shape, kind) in rows.items():
            assert (arrays[name].shape, arrays[name].dtype.str[1:]) == (shape, kind)


def spread(names: str, shapes: str, kinds: str) -> list[tuple[str, tuple[int, ...], str]]:
    """Return what a row says of each of its arrays; what is said once is said of all."""
    each = re.findall(r"`(\w+)`", names)
    sizes = [tuple(int(n) for n in shape.split(",")) for shape in shapes.split(";")]
    types = kinds.split(", ")
    pairs = [part * len(each) if len(part) == 1 else part for part in (sizes, types)]
    return list(zip(each, *pairs, strict=True))


@pytest.mark.parametrize("version", [1, 2, 3])
def test_document_has_the_digest_of_the_tables(text: str, version: int) -> None:
    digest = hashlib.sha256()
    for name, array in sorted(reference_photo.arrays_of(version).items()):
        kind = array.dtype.newbyteorder("<")
        digest.update(name.encode("ascii") + np.ascontiguousarray(array, kind).tobytes())
    documented = text.split(f"photo-{version}: ")[1].split(maxsplit=1)[0]
    assert documented == digest.hexdigest()

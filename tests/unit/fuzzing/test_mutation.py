"""Damaged files are the same for the same numbers, and damaged where it matters."""

from pathlib import Path

import pytest
from fuzzing import mutation, trials

from pcaimage import container
from pcaimage.codec.compressed import TOOL_NAMES
from pcaimage.errors import FormatError
from tests.unit.container.files import header_in, parts

SEEDS = [path.read_bytes() for path in trials.golden_files()]


@pytest.mark.parametrize("path", trials.golden_files(), ids=lambda path: path.stem)
@pytest.mark.sweep(7)
def test_a_file_taken_apart_is_put_together_again(path):
    data = path.read_bytes()
    assert mutation.put_together(mutation.taken_apart(data)) == data
    header = mutation.taken_apart(data).chunks[0]
    assert header.kind == b"H"
    assert mutation._Header.read(header.payload).written() == header.payload


def test_most_damaged_files_have_right_checksums_and_many_a_valid_structure():
    whole = read = 0
    headers = set()
    for number in range(300):
        data, place = mutation.mutated(SEEDS, number, 1)
        assert data != SEEDS[place]
        try:
            first, *_ = parts(data)
            whole += 1
            headers.add(header_in(first[1]))
            container.read(data, max_numbers=1 << 24)
            read += 1
        except FormatError:
            continue
    assert whole > 200
    assert read > 75
    assert len(headers) > 60


@pytest.mark.slow
def test_every_tool_and_many_tables_are_reached_by_valid_headers():
    toggled, tables = 0, set[int]()
    for number in range(4000):
        data, place = mutation.mutated(SEEDS, number, 2)
        before = mutation.taken_apart(SEEDS[place])
        try:
            after = mutation.taken_apart(data)
            header = header_in(after.chunks[0].payload)
            used = header_in(before.chunks[0].payload)
        except (FormatError, IndexError):
            continue
        if header.sampling == used.sampling:
            toggled |= header.tools ^ used.tools
            tables.add(header.tables)
    assert toggled == sum(TOOL_NAMES)
    assert len(tables) > 4


@pytest.mark.slow
def test_damaged_files_open_or_are_refused():
    every = trials.seeds(Path("no folder"))
    assert len(every) == len(SEEDS)
    for number in range(15):
        assert trials.mutation(number, 7, every)


def test_a_golden_file_that_decodes_to_other_pixels_is_found(monkeypatch):
    every = trials.seeds(Path("no folder"))
    assert trials.golden(0, 1, every) == SEEDS[0]
    monkeypatch.setattr(trials.make, "digest", lambda _pixels: "another")
    with pytest.raises(trials.WrongError, match="decodes to other pixels"):
        trials.golden(0, 1, every)


@pytest.mark.slow
def test_a_reconstruction_that_is_too_far_is_found(monkeypatch):
    for number in range(6):
        trials.round_trip(number, 5, [])
    decode = trials.pcaimage.decode
    monkeypatch.setattr(trials.pcaimage, "decode", lambda data: decode(data) ^ 1)
    array, settings = trials.images.np.zeros((4, 4, 3), "u1"), trials.images.Settings(lossless=True)
    monkeypatch.setattr(trials.images, "image", lambda *_: (array, settings))
    with pytest.raises(trials.WrongError, match=r"wrong by 1\.0, where 0\.0 was allowed"):
        trials.round_trip(0, 5, [])

"""Damaged images are the same for the same numbers, and damaged where readers look."""

from collections import Counter
from pathlib import Path

import pytest
from fuzzing import inputs, mutation, running, trials

from pcaimage import container, imaging
from pcaimage.codec.compressed import TOOL_NAMES
from pcaimage.errors import FormatError, ImageError, PcaImageError
from tests.unit.container.files import header_in, parts


@pytest.mark.parametrize("whole", inputs.seeds(), ids=lambda each: "+".join(each.files))
@pytest.mark.sweep(7)
def test_whole_images_are_read(whole, tmp_path):
    found = imaging.read_image(whole.write(tmp_path), trials.LIMITS)
    assert found.pixels.size


@pytest.mark.slow
def test_all_formats_are_damaged_and_many_are_read_nevertheless(tmp_path):
    found, read = Counter[str](), 0
    for number in range(400):
        damaged = inputs.mutated(number, 1)
        found[Path(damaged.opened).suffix if len(damaged.files) == 1 else "several"] += 1
        if number < 150:
            try:
                imaging.read_image(damaged.write(tmp_path / str(number)), trials.LIMITS)
                read += 1
            except PcaImageError:
                continue
    assert {".tif", ".png", ".jpg", ".bmp", ".npy", ".npz", ".idx", ".gz", "several"} <= set(found)
    assert 30 < read < 140


def test_damaged_images_open_or_are_refused():
    for number in range(60):
        trials.reading(number, 7, [])


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ImageError("a\nb."), "is no sentence"),
        (ImageError("no full stop"), "is no sentence"),
        (KeyError("x"), "x"),
    ],
)
def test_what_is_no_sentence_is_found(error, words, monkeypatch):
    def read(_path):
        raise error

    monkeypatch.setattr(trials, "READS", (read,))
    with pytest.raises((trials.WrongError, KeyError), match=words):
        trials.reading(1, 1, [])


def test_what_is_found_is_kept_as_files(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(running, "ROOT", tmp_path)
    number = next(n for n in range(1000) if len(inputs.mutated(n, 2).files) > 1)
    running.Run("images", 1, 2, tmp_path).keep(number, "It hangs.", "")
    damaged = inputs.mutated(number, 2)
    folder = tmp_path / "kept" / f"images-2-{number}"
    assert {name: (folder / name).read_bytes() for name in damaged.files} == damaged.files
    assert damaged.opened in folder.with_suffix(".txt").read_text("utf-8")


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

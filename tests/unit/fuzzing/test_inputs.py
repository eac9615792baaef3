"""Damaged images are the same for the same numbers, and damaged where readers look."""

import random
import struct
import zlib
from collections import Counter
from pathlib import Path

import pytest
from fuzzing import inputs, running, structures, trials

from pcaimage import imaging
from pcaimage.errors import ImageError, PcaImageError

SEEDS = {each.opened: each for each in inputs.seeds()}


def _changes(name, count):
    """Return a file after one change each, as far as it could be taken apart."""
    data, change = SEEDS[name].files[name], structures.CHANGES[Path(name).suffix]
    return [
        change(random.Random(number), data)  # noqa: S311 - nothing is secret
        for number in range(count)
    ]


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


def test_most_changed_chunks_have_right_checksums():
    headers, chunks, right = set(), 0, 0
    for data in _changes("colour.png", 120):
        for kind, payload in (found := structures.png_chunks(data)):
            end = struct.pack(">I", zlib.crc32(kind + payload))
            chunks, right = chunks + 1, right + (kind + payload + end in data)
        headers.add(found[0][1])
    assert right > 0.95 * chunks
    assert len(headers) > 10


@pytest.mark.parametrize("name", ["plain.tif", "big.tif", "tiles.tif"])
@pytest.mark.slow
def test_entries_and_links_of_directories_are_changed_in_place(name):
    whole = SEEDS[name].files[name]
    places = set()
    for data in _changes(name, 2500):
        if len(data) == len(whole):
            places |= {at for at, (a, b) in enumerate(zip(whole, data, strict=True)) if a != b}
    found = structures.taken_apart(whole)
    wide = struct.calcsize(found.offset)
    for entry in found.entries:
        assert places & set(range(entry.place, entry.place + 4 + 2 * wide))
    for link in found.links:
        assert places & set(range(link, link + wide))


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

"""Damaged images are the same for the same numbers, and damaged where readers look."""

from collections import Counter
from pathlib import Path

import pytest
from fuzzing import inputs, running, trials

from pcaimage import imaging
from pcaimage.errors import ImageError, PcaImageError


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

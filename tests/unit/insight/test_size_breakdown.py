from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pcaimage
from pcaimage import api, codec, container
from pcaimage.codec import Metadata, Settings
from pcaimage.insight.size_breakdown import breakdown_of, items_of
from pcaimage.sampling import Blocks, Channels, Lapped, Stack

GOLDEN = sorted((Path(__file__).parents[2] / "golden").glob("*.pcai"))
NUMBERS = np.arange(60)
IMAGE = np.clip(
    90 + 0.8 * np.add.outer(NUMBERS, NUMBERS)[..., None] + np.random.default_rng(3).normal(0, 6, (60, 60, 3)),
    0,
    255,
).astype(np.uint8)


def compressed(settings, image=IMAGE):
    return container.read(pcaimage.encode(image, settings))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
@pytest.mark.sweep(7)
def test_the_parts_of_every_kind_of_file_add_up_to_its_size(path):
    data = path.read_bytes()
    file = container.read(data)
    parts = breakdown_of(file)
    assert parts.total == api.size_of(file) == len(data)
    assert min(share.n_bytes for share in items_of(parts)) >= 0
    assert sum(share.n_bytes for share in items_of(parts)) == parts.total


def test_a_components_bytes_are_its_vector_and_its_scores():
    file = compressed(Settings(sampling=Blocks(4), k=9))
    parts = breakdown_of(file)
    assert parts.k == 9
    assert parts.axes == 0
    assert parts.of_components.tolist() == [len(c.vector) + len(c.scores) for c in file.components]
    assert parts.basis == sum(len(c.vector) for c in file.components)
    # What goes when the last component is left out is its own, but for its frame.
    saved = parts.total - api.size_of(file.trimmed(8))
    assert 0 <= saved - int(parts.of_components[-1]) < 16


def test_a_photos_components_add_up_in_groups_and_own_bases_count_as_basis_and_not_as_mean():
    file = compressed(Settings(sampling=Lapped(), k=40, basis=codec.Basis.BUILTIN))
    parts = breakdown_of(file)
    assert not parts.vectors.any()
    assert int(parts.scores.sum()) == sum(len(c.scores) for c in file.components)
    for k in (3, 12, 39):
        less = breakdown_of(file.trimmed(k))
        assert np.array_equal(less.scores, parts.scores[:k])
        assert less.total == api.size_of(file.trimmed(k))
    own = breakdown_of(compressed(Settings(sampling=Lapped(), k=40, basis=codec.Basis.OWN)))
    assert (parts.basis, own.basis) == (1 + 2 * 9, 1 + 2 * 9 + 256)
    assert own.mean == parts.mean == 6


def test_what_is_carried_along_is_told_apart():
    file = compressed(Settings(sampling=Channels()))
    noise = np.random.default_rng(0).integers(0, 256, (60, 60), np.uint8)
    full = replace(file, alpha=noise, metadata=Metadata("holiday.png", 12345, b"p" * 300, b"x" * 90))
    before, after = breakdown_of(file), breakdown_of(full)
    assert before.metadata == before.alpha == 0
    assert after.metadata > len("holiday.png")
    assert after.alpha > 3000
    assert after.of_components.tolist() == before.of_components.tolist()
    assert after.total == api.size_of(full)


def test_scores_are_told_in_groups_of_components():
    shares = items_of(breakdown_of(compressed(Settings(sampling=Blocks(6), k=70))))
    spans = [(share.first, share.last) for share in shares if share.kind == "scores"]
    assert spans == [(1, 3), (4, 16), (17, 64), (65, 70)]
    assert [share.name for share in shares][:4] == ["Mean", "Basis", "Scores 1–3", "Scores 4–16"]
    assert all(share.about and share.n_bytes for share in shares)


@pytest.mark.parametrize("k", [1, 3, 4])
def test_no_group_is_empty_or_missing(k):
    stack = np.random.default_rng(5).integers(0, 256, (6, 20, 30), np.uint8)
    shares = items_of(breakdown_of(compressed(Settings(sampling=Stack(), k=k, step=4.0), stack)))
    spans = [(share.first, share.last) for share in shares if share.kind == "scores"]
    assert spans[0][0] == 1
    assert spans[-1][1] == k
    assert len(spans) == (1 if k <= 3 else 2)


@pytest.mark.parametrize("name", ["bands-signed", "stack-timing"])
def test_what_is_known_of_bands_and_of_an_animation_is_metadata(name):
    data = (GOLDEN[0].parent / f"{name}.pcai").read_bytes()
    kinds = {container.Chunk.NAME, container.Chunk.FILE_SIZE, container.Chunk.BANDS, container.Chunk.TIMING}
    told = sum(len(chunk.payload) for chunk in container.scan(data) if chunk.kind in kinds)
    assert breakdown_of(container.read(data), data).metadata == told

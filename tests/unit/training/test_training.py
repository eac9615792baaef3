"""The same images give the same tables, and tables that the coder can use."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pcaimage.codec.photo.tables import NEWEST, Tables, parsed
from pcaimage.machine.folders import asset
from training import bases, models, networks, relations, shrinkage
from training.__main__ import train
from training.files import LEARNED, ROWS, packed

ROOT = Path(__file__).resolve().parents[3]


def photograph(seed):
    y, x = np.indices((32, 40))
    random = np.random.default_rng(seed)
    wave = 90 + 60 * np.sin(x / (4 + seed)) + 40 * ((x + y) // 11 % 2)
    colours = wave[..., None] * np.array([1, 0.8, 0.6]) + random.normal(size=(32, 40, 3)) * 6
    return np.clip(colours, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def images():
    return [photograph(1), photograph(2)]


@pytest.fixture(scope="module")
def planes(images):
    basis = bases.train_basis(images)
    return [bases.scores_of(image, basis) for image in images]


def test_basis_is_orthonormal_and_begins_with_the_constant(images):
    basis = bases.train_basis(images) / 2**14
    assert np.allclose(basis @ basis.T, np.eye(8), atol=3e-4)
    assert np.ptp(basis[0]) == 0
    # Mirrored images are as likely: each component is symmetric or antisymmetric.
    mirrored = np.abs(np.sum(basis * basis[:, ::-1], axis=1))
    assert np.allclose(mirrored, 1, atol=3e-4)


def test_order_has_every_component_once_that_is_not_constant(planes):
    order = bases.train_order(planes)
    assert {tuple(row) for row in order.tolist()} == {
        (p, u, v) for p in range(3) for u in range(8) for v in range(8) if u or v
    }


def test_prediction_leaves_less_than_there_was(planes):
    order, prediction = bases.train_order(planes), bases.train_prediction(planes)
    assert np.abs(prediction).max() <= 1 << bases.PREDICTION_BITS
    none = np.zeros_like(prediction)
    for part in planes:
        left, raw = (np.square(bases.residuals(part, order, p, 8.0)).sum() for p in (prediction, none))
        assert left < raw


def few_samples(monkeypatch):
    monkeypatch.setattr(models, "STEPS", ((3.0,), (14.0,), (60.0,)))
    monkeypatch.setattr(relations, "STEPS", (14.0,))
    monkeypatch.setattr(relations, "SIGN_STEPS", (10.0,))
    monkeypatch.setattr(relations, "MOST_BLOCKS", 12)
    monkeypatch.setattr(networks, "BATCHES", 9)
    monkeypatch.setattr(shrinkage, "STEPS", (12.0, 40.0))


@pytest.fixture(scope="module")
def tables(images, planes):
    """Return tables from few samples, step by step."""
    order, prediction = bases.train_order(planes), bases.train_prediction(planes)

    def residuals(step):
        return (bases.residuals(part, order, prediction, step) for part in planes)

    with pytest.MonkeyPatch.context() as monkeypatch:
        few_samples(monkeypatch)
        target, weight = relations.train_signs(residuals, order)
        related = relations.train_relations(residuals)
        known = {"order": order, "prediction": prediction, "sign_target": target, "sign_weight": weight}
        basis = bases.train_basis(images)
        expecting = networks.train_networks(images, basis, order, prediction)
        known = {"basis": basis, **known, **related, **expecting}
        known = {
            name: array.astype(np.uint8 if name == "order" else np.int16) for name, array in known.items()
        }
        return models.train_models(planes, known)


def of_grade(folder, grade):
    """Return all arrays that a step of a grade needs."""
    files = (folder / f"{name}.tables" for name in ("shared", f"grade-{grade}"))
    shared, own = (parsed(file.read_bytes()) for file in files)
    return shared | own


def of_one(tables, grade):
    """Return the arrays of a grade."""
    return {name: array[grade] if name in LEARNED else array for name, array in tables.items()}


def test_rows_are_kept_as_far_as_they_have_learned():
    arrays = models.untrained()
    arrays["scores_counts"][7, :3], arrays["scores_logits"][7, :3] = (9, 7, 30), (64, 320, -32)
    arrays["means_counts"][5, 31], arrays["means_logits"][5, 31] = 8, -2784
    kept = packed(arrays)
    assert (kept["scores_trained"][7], kept["scores_trained"].sum()) == (3, 3)
    assert (kept["scores_logits"].tolist(), kept["scores_counts"].tolist()) == ([2, 0, -1], [9, 0, 30])
    assert (kept["means_trained"][5], kept["means_logits"][-1], kept["means_counts"].sum()) == (32, -87, 8)


@pytest.mark.slow
def test_training_gives_arrays_like_those_in_use(tables):
    shipped = of_grade(asset("resources", "photo-1"), 0)
    assert {*tables, *packed(of_one(tables, 0)), "shrink_gains"} == set(shipped)
    for name, array in packed(of_one(tables, 0)).items():
        assert array.dtype == shipped[name].dtype
        if name.removesuffix("_logits").removesuffix("_counts") not in ROWS:
            assert array.shape == shipped[name].shape
    for name in ("own", "side", "corner"):
        assert not np.tril(tables[name]).any()


def test_scales_are_those_in_use():
    for name, array in models.scales().items():
        # The last bit of a logarithm may differ between machines.
        assert np.abs(array.astype(int) - Tables.of(NEWEST).arrays[name]).max() <= 1


@pytest.mark.slow
def test_the_same_photographs_in_a_folder_become_files_of_the_same_tables(
    images, tables, tmp_path, monkeypatch
):
    few_samples(monkeypatch)
    for number, image in enumerate(images):
        Image.fromarray(image).save(tmp_path / f"{number}.png")
    out = tmp_path / "tables"
    train(tmp_path, out)
    for grade in range(3):
        found = of_grade(out, grade)
        assert set(found) == {*packed(of_one(tables, grade)), "shrink_gains"}
        gains, shape = found["shrink_gains"], Tables.of(NEWEST).arrays["shrink_gains"].shape
        assert gains.shape == (3, *shape[1:])
        assert gains.any(axis=(2, 3, 4)).all()
        for name, array in packed(of_one(tables, grade)).items():
            assert np.array_equal(found[name], array)
            assert found[name].dtype == array.dtype


@pytest.mark.slow
def test_a_folder_without_photographs_in_colour_ends_in_a_sentence(tmp_path):
    Image.fromarray(np.zeros((9, 9), np.uint8)).save(tmp_path / "grey.png")
    (tmp_path / "notes.txt").write_text("no picture", "utf-8")
    command = [sys.executable, "-m", "training", tmp_path, "--out", tmp_path / "tables"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert answer.returncode == 1
    assert "There are no colour photographs" in answer.stderr
    assert "Traceback" not in answer.stderr
    assert not (tmp_path / "tables").exists()

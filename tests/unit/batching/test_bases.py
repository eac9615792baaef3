from pathlib import Path

import numpy as np
import pytest

import pcaimage
from pcaimage import PCA, Blocks, Channels, Settings, Stack
from pcaimage.batching import train
from pcaimage.errors import ImageError, SettingsError
from pcaimage.imaging import Image, read_image, write_image
from pcaimage.sampling import Lapped

from .conftest import draw


@pytest.fixture
def ten(tmp_path):
    """Return a folder of ten images of equal size, more than one group."""
    for seed in range(10):
        draw(tmp_path / "in" / f"{seed}.png", seed, side=16)
    return tmp_path / "in"


@pytest.mark.parametrize("sampling", [Blocks(4), Channels(), Blocks(8)])
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.slow
def test_the_basis_is_that_of_all_samples_together(ten, inline, sampling, *, standardize):
    trained = train(ten, sampling, standardize=standardize, executor=inline)
    images = [read_image(path).pixels for path in sorted(ten.iterdir())]
    whole = PCA(standardize=standardize).fit(np.concatenate([sampling.to_samples(each) for each in images]))
    np.testing.assert_allclose(trained.pca.mean_, whole.mean_)
    count = min(whole.n_components_, trained.pca.n_components_)
    np.testing.assert_allclose(
        trained.pca.explained_variance_[:count],
        whole.explained_variance_[:count],
        rtol=1e-9,
        atol=1e-9 * whole.explained_variance_[0],
    )
    assert len(trained.used) == 10


@pytest.mark.parametrize("sampling", [Blocks(4), Channels(), Stack()])
@pytest.mark.sweep(2)
def test_a_model_file_serves_other_images(ten, tmp_path, inline, sampling):
    trained = train(ten, sampling, executor=inline)
    n_bytes = trained.save(tmp_path / "model.pcai", 3)
    model = pcaimage.open(tmp_path / "model.pcai")
    assert (model.k, model.n_bytes) == (3, n_bytes)
    found = model.compressed.spectrum
    np.testing.assert_allclose(found, trained.pca.explained_variance_[:3], rtol=1e-3)
    new = draw(tmp_path / "new.png", 77, side=16)
    pixels = read_image(new).pixels
    pixels = pixels[None] if isinstance(sampling, Stack) else pixels
    lender = (tmp_path / "model.pcai").read_bytes()
    data = pcaimage.encode(pixels, Settings(sampling, k=3), model=lender)
    own = trained.pca.inverse_transform(
        trained.pca.transform(sampling.to_samples(pixels))[:, :3] @ np.eye(3, trained.pca.n_components_)
    )
    best = np.mean((sampling.from_samples(own, pixels.shape) - pixels) ** 2)
    restored = pcaimage.decode(data, model=lender).astype(float)
    assert np.mean((restored - pixels) ** 2) < 1.1 * best + 1


@pytest.mark.slow
def test_the_file_does_not_depend_on_who_worked(ten, tmp_path, inline):
    train(ten, executor=inline).save(tmp_path / "one.pcai", variance=0.95)
    steps = list[tuple[int, int]]()
    train(ten, workers=2, on_done=lambda done, total: steps.append((done, total))).save(
        tmp_path / "two.pcai", variance=0.95
    )
    assert (tmp_path / "one.pcai").read_bytes() == (tmp_path / "two.pcai").read_bytes()
    assert steps == [(8, 10), (10, 10)]


def test_images_that_cannot_be_used_are_told_of(ten, inline):
    (ten / "bad.png").write_bytes(b"no image")
    write_image(ten / "grey.png", Image(np.zeros((9, 9, 1), np.uint8)))
    np.save(ten / "real.npy", np.zeros((9, 9, 3), np.float32))
    trained = train(ten, executor=inline)
    assert len(trained.used) == 10
    assert {Path(name).name for name, _ in trained.failures} == {"bad.png", "grey.png", "real.npy"}
    reasons = {Path(name).name: reason for name, reason in trained.failures}
    assert reasons["grey.png"] == (
        "It is of another kind (grey, uint8, 8 × 8) than the first (colour, uint8, 8 × 8)."
    )


def test_what_has_no_basis_is_refused(ten, tmp_path, inline):
    with pytest.raises(SettingsError, match="blocks, channels or a stack"):
        train(ten, Lapped(), executor=inline)
    with pytest.raises(ImageError, match=r"None of the images can be used; .*12,288 values are too large"):
        train(ten, Blocks(64), executor=inline)
    (tmp_path / "empty").mkdir()
    with pytest.raises(SettingsError, match="no images"):
        train(tmp_path / "empty", executor=inline)
    with pytest.raises(SettingsError, match="k must be from 1 to 3"):
        train(ten, Channels(), executor=inline).encoding(k=4)

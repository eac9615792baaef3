"""A model lent to other images: for each kind of samples, number of channels and type of values."""

import numpy as np
import pytest

import pcaimage
from pcaimage import PCA, Bands, Blocks, Channels, Settings, Stack, api, codec, container
from pcaimage.codec.linear.model_files import Totals, compress_with, shared_model, trained_model
from pcaimage.errors import SettingsError
from pcaimage.quality import mean_squared_error
from tests.reference import linear

KINDS = {
    "8 bits": ("uint8", 255),
    "12 bits": ("uint16", 4095),
    "16 bits": ("uint16", 65535),
    "signed": ("int16", 4095),
    "real": ("float32", 4095),
}
SAMPLES = [
    *((sampling, channels) for sampling in (Blocks(2), Blocks(5), Blocks(8), Stack()) for channels in (1, 3)),
    *((Channels(), channels) for channels in (1, 2, 3, 4)),
    (Bands(), 2),
    (Bands(), 7),
]
CASES = [
    pytest.param(kind, *each, id=f"{type(each[0]).__name__}-{getattr(each[0], 'size', '')}-{each[1]}-{kind}")
    for each in SAMPLES
    for kind in KINDS
    if kind not in {"signed", "real"} or each in {(Channels(), 3), (Bands(), 7)}
]


def scene(sampling, channels, kind, seed):
    """Return an image, or a stack, that uses all of its range; values of signed types are about zero."""
    dtype, white = KINDS[kind]
    shape = (9, 7, 8, channels) if isinstance(sampling, Stack) else (26, 29, channels)
    grid = np.indices(shape)
    smooth = (
        sum(np.sin(axis / (3 + number) + seed) for number, axis in enumerate(grid)) / (2 * len(shape)) + 0.5
    )
    values = (smooth + np.random.default_rng(seed).normal(0, 0.02, shape)).clip(0, 1) * white
    values.flat[:3] = white
    return (values if dtype == "float32" else np.rint(values)).astype(dtype) - (
        np.array(white // 2, dtype) if dtype in {"int16", "float32"} else np.array(0, dtype)
    )


@pytest.mark.parametrize("standardize", [False, True], ids=["plain", "standardised"])
@pytest.mark.parametrize(("kind", "sampling", "channels"), CASES)
@pytest.mark.sweep(6)
def test_an_image_is_coded_with_the_model_of_another(tmp_path, kind, sampling, channels, standardize):
    lender, image = (scene(sampling, channels, kind, seed) for seed in (1, 2))
    model = pcaimage.encode(lender, Settings(sampling, psnr=42, standardize=standardize))
    encoding = api.compress_array(image, Settings(), model=container.read(model))
    api.save_encoding(tmp_path / "lent.pcai", encoding)
    data = (tmp_path / "lent.pcai").read_bytes()
    decoded = pcaimage.decode(data, model=model)
    assert decoded.dtype == image.dtype
    assert np.array_equal(decoded, encoding.decoded())
    assert np.array_equal(decoded, linear.decode(data, None, model).values)
    with_own = codec.attach_basis(container.read(data), container.read(model))
    for k in (0, 1, with_own.k):
        assert np.array_equal(pcaimage.decode(data, k, model=model), codec.decompress(with_own, k))
    if kind != "real":
        assert decoded.max() <= KINDS[kind][1]


@pytest.mark.parametrize("standardize", [False, True], ids=["plain", "standardised"])
@pytest.mark.parametrize(
    ("kind", "sampling", "channels"), [each for each in CASES if each.values[0] not in {"signed", "real"}]
)
@pytest.mark.sweep(6)
def test_a_model_of_many_images_serves_another(tmp_path, kind, sampling, channels, standardize):
    images = [scene(sampling, channels, kind, seed) for seed in range(150)]
    sampling = Settings(sampling).sampling_for(images[0].shape)
    samples = np.concatenate([sampling.to_samples(each) for each in images[1:]])
    pca = PCA(standardize=standardize).fit(samples)
    k = min(pca.n_components_, 6)
    grid = sampling.feature_grid(images[0].shape)
    api.save_encoding(tmp_path / "model.pcai", trained_model(pca, sampling, grid, images[0].dtype.name, k=k))
    model = (tmp_path / "model.pcai").read_bytes()
    image = images[0]
    step = KINDS[kind][1] / 1000 / float(np.median(pca.scale_))
    data = pcaimage.encode(image, Settings(k=k, step=step), model=model)
    best = pca.inverse_transform(
        pca.transform(sampling.to_samples(image))[:, :k] @ np.eye(k, pca.n_components_)
    )
    wrong = mean_squared_error(sampling.from_samples(best, image.shape), image.astype(float))
    found = mean_squared_error(pcaimage.decode(data, model=model), image)
    assert found < 1.1 * wrong + (KINDS[kind][1] / 255) ** 2


def test_images_brighter_than_a_shared_model_are_as_exact_as_others():
    first, second = (scene(Bands(), 7, "12 bits", seed) for seed in (1, 2))
    model = shared_model(Totals.of(first), "uint16", max_error=0)
    brighter = second * np.uint16(16)
    assert np.array_equal(codec.decompress(compress_with(model, brighter, max_error=0)), brighter)
    assert codec.decompress(compress_with(model, brighter)).max() > 50_000


def test_real_numbers_that_exceed_the_unit_of_a_model_are_refused():
    small = scene(Bands(), 3, "real", 1) / np.float32(4095)
    model = pcaimage.encode(small, Settings(Bands()))
    with pytest.raises(SettingsError, match="larger numbers than the model's unit allows"):
        pcaimage.encode(small + np.float32(1000), model=model)
    unknown = small.copy()
    unknown[2, 3] = -1e30
    shared = shared_model(Totals.of(small), "float32", max_error=0.01)
    found = codec.decompress(compress_with(shared, unknown, max_error=0.01, nodata=-1e30))
    assert np.abs(found - unknown).max() <= 0.01

import textwrap
import zipfile

import numpy as np
import pytest

import pcaimage
from pcaimage import codec, container
from pcaimage.codec import analyse
from pcaimage.errors import ImageError, SettingsError
from pcaimage.imaging import BandInfo, psnr
from pcaimage.imaging.image.bands import Tag
from pcaimage.insight import model_file
from pcaimage.insight.component_table import TERMS
from pcaimage.insight.components import Shares
from pcaimage.insight.model_file import score_image
from pcaimage.sampling import Bands, Blocks, Channels, Lapped, Stack
from tests.smooth import smooth

RNG = np.random.default_rng(2)
IMAGE = smooth(30, 42, 3, noise=6)
STACK = RNG.integers(0, 256, (6, 5, 4, 1), np.uint8)


def save_model(path, source, *, overwrite=False, **named):
    model_file.save_model(path, model_file.arrays_of(source, **named), overwrite=overwrite)


def code_in(readme):
    """The last lines of the README: those that rebuild an image."""
    return textwrap.dedent(readme.split("was read as above.")[1])


def loaded(path):
    with np.load(path) as archive:
        return dict(archive)


def rebuilt_by_the_readme(path, image):
    """Do what the README says, with nothing but NumPy."""
    with zipfile.ZipFile(path) as archive:
        code = code_in(archive.read("README.txt").decode())
    names = {"np": np, "model": loaded(path), "image": image}
    exec(code, names)  # noqa: S102 - the README's own lines
    return names["rebuilt"]


@pytest.mark.parametrize(
    ("sampling", "standardize", "image"),
    [
        (Blocks(4), False, IMAGE),
        (Blocks(8), True, IMAGE),
        (Channels(), False, IMAGE),
        (Channels(), True, IMAGE),
        (Stack(), False, STACK),
    ],
)
def test_what_the_readme_says_rebuilds_the_image_from_k_components(sampling, standardize, image, tmp_path):
    analysis = analyse(image, sampling, standardize=standardize)
    assert isinstance(analysis, codec.Analysis)
    errors = []
    for k in (1, analysis.n_components):
        save_model(tmp_path / "m.npz", analysis, k=k, step=1.0, overwrite=True)
        rebuilt = rebuilt_by_the_readme(tmp_path / "m.npz", image)
        assert rebuilt.shape == image.shape
        errors.append(float(np.mean((rebuilt - image) ** 2)))
    assert errors[1] < 1e-9 < errors[0]


@pytest.mark.slow
@pytest.mark.parametrize("image", [IMAGE, IMAGE[:, :, :1], IMAGE[:8, :8]])
def test_a_photos_components_rebuild_it_too(image, tmp_path):
    image = np.ascontiguousarray(image)
    analysis = analyse(image, Lapped())
    save_model(tmp_path / "m.npz", analysis, k=analysis.n_components, step=1.0)
    assert np.abs(rebuilt_by_the_readme(tmp_path / "m.npz", image) - image).max() < 0.1
    save_model(tmp_path / "m.npz", analysis, k=40, step=1.0, overwrite=True)
    few = np.clip(np.rint(rebuilt_by_the_readme(tmp_path / "m.npz", image)), 0, 255).astype(np.uint8)
    file = codec.quantize(analysis, 40, codec.Step.nearest(0.5)).reconstruct()
    assert psnr(image, few) == pytest.approx(psnr(image, file), abs=0.5)


def test_components_are_orthonormal_and_variances_those_of_the_image(tmp_path):
    analysis = analyse(IMAGE, Blocks(4))
    save_model(tmp_path / "m.npz", analysis, k=5, step=2.5, left_out={3, 2}, name="sea.png")
    with pytest.raises(ImageError, match="already exists"):
        save_model(tmp_path / "m.npz", analysis, k=2, step=1.0)
    model = loaded(tmp_path / "m.npz")
    assert np.allclose(model["components"] @ model["components"].T, np.eye(5))
    assert np.array_equal(model["explained_variance"], analysis.variances)
    assert model["explained_variance_ratio"].sum() == pytest.approx(1.0)
    assert "scale" not in model
    assert model["left_out"].tolist() == [2, 3]
    assert (int(model["k"]), float(model["step"]), int(model["block"])) == (5, 2.5, 4)
    assert (str(model["method"]), str(model["name"]), str(model["dtype"])) == ("blocks", "sea.png", "uint8")
    assert model["shape"].tolist() == [30, 42, 3]


def test_the_readme_can_be_read_by_numpy_and_by_zip_and_names_every_field(tmp_path):
    for sampling in (Blocks(4), Lapped()):
        save_model(tmp_path / "m.npz", analyse(IMAGE, sampling), k=2, step=1.0, overwrite=True)
        model = loaded(tmp_path / "m.npz")
        text = model["README.txt"].decode()
        with zipfile.ZipFile(tmp_path / "m.npz") as archive:
            assert archive.read("README.txt").decode() == text
            assert archive.testzip() is None
        for field in set(model) - {"README.txt"}:
            assert f"\n{field} " in text
        assert max(map(len, text.splitlines())) <= 110


@pytest.mark.parametrize(
    "settings",
    [
        pcaimage.Settings(sampling=Blocks(4), k=9),
        pcaimage.Settings(sampling=Channels(), standardize=True),
        pcaimage.Settings(sampling=Lapped(), k=50),
    ],
)
def test_a_compressed_files_model_is_what_it_decodes_by(settings, tmp_path):
    compressed = container.read(pcaimage.encode(IMAGE, settings))
    model = codec.unpack(compressed)
    save_model(
        tmp_path / "m.npz", model, k=model.k, step=float(model.header.step), variances=compressed.spectrum
    )
    decoded = model.reconstruct()
    rebuilt = rebuilt_by_the_readme(tmp_path / "m.npz", IMAGE)
    # Projecting the image on the file's components is at least as good as the file's rounded scores.
    assert np.mean((rebuilt - IMAGE) ** 2) <= np.mean((decoded.astype(float) - IMAGE) ** 2) + 0.5


# Many bands

Y, X = np.mgrid[:30, :42] / 5.0
BANDS = (
    600
    + 200 * np.sin(X + 0.5 * Y)[..., None] * np.linspace(1, 2, 6)
    + 90 * np.cos(X)[..., None] * np.linspace(1, 0, 6)
    + RNG.normal(0, 1, (30, 42, 6)) * np.linspace(1, 9, 6)
).astype(np.int16)


@pytest.mark.slow
@pytest.mark.parametrize("how", [{}, {"standardize": True}, {"mnf": True}])
def test_the_readme_rebuilds_bands_however_they_were_prepared(how, tmp_path):
    analysis = analyse(BANDS, Bands(), **how)
    errors = []
    for k in (1, 3, 6):
        save_model(tmp_path / "m.npz", analysis, k=k, step=1.0, overwrite=True)
        errors.append(float(np.mean((rebuilt_by_the_readme(tmp_path / "m.npz", BANDS) - BANDS) ** 2)))
    assert errors[0] > errors[1] > 1
    assert errors[2] < 1e-9


def test_a_whitened_model_tells_what_its_numbers_are(tmp_path):
    analysis = analyse(BANDS, Bands(), mnf=True)
    save_model(tmp_path / "m.npz", analysis, k=4, step=1.0)
    model = loaded(tmp_path / "m.npz")
    text = model["README.txt"].decode()
    assert str(model["preparation"]) == "mnf"
    assert np.allclose(model["components"] @ model["components"].T, np.eye(4))
    assert np.allclose(model["whitening"] @ model["colouring"], np.eye(6))
    noise = np.diff(BANDS.astype(float), axis=1).reshape(-1, 6) @ model["whitening"]
    assert np.trace(noise.T @ noise) / len(noise) / 2 == pytest.approx(6, rel=0.5)  # each band has about 1
    scores = (BANDS.reshape(-1, 6) - model["mean"]) @ model["whitening"] @ model["components"].T
    assert scores.var(axis=0, ddof=1) == pytest.approx(model["explained_variance"][:4])
    assert "signal-to-noise ratio of every component plus 1" in text
    assert "minimum noise fraction" in text.replace("\n", " ")
    assert "shares of the variance in units of noise" in text
    assert max(map(len, text.splitlines())) <= 110


@pytest.mark.parametrize(
    ("how", "kind"), [({}, "components"), ({"standardize": True}, "synthesis"), ({"mnf": True}, "synthesis")]
)
def test_files_of_bands_have_what_scores_add_to_them(how, kind, tmp_path):
    compressed = container.read(pcaimage.encode(BANDS, pcaimage.Settings(k=3, step=2.0, **how)))
    model, prepared = codec.unpack(compressed), codec.preparation_of(compressed)
    save_model(tmp_path / "m.npz", model, k=3, step=2.0, variances=compressed.spectrum, prepared=prepared)
    fields = loaded(tmp_path / "m.npz")
    assert kind in fields
    assert str(fields["preparation"]) == prepared
    rebuilt, decoded = rebuilt_by_the_readme(tmp_path / "m.npz", BANDS), model.reconstruct()
    assert np.mean((rebuilt - BANDS) ** 2) <= np.mean((decoded.astype(float) - BANDS) ** 2) + 0.5


@pytest.fixture
def cube():
    rng = np.random.default_rng(0)
    return (rng.normal(0, 1, (24, 32, 4)) @ rng.normal(0, 200, (4, 11)) + 3000).astype(np.int16)


def test_scores_are_the_centred_spectra_times_the_components(cube):
    analysis = analyse(cube, Bands())
    shares = Shares.of(analysis.variances)
    found = score_image(analysis, [3, 1], shares, BandInfo(names=("x",) * 11))
    mean = cube.reshape(-1, 11).mean(axis=0)
    expected = (cube.reshape(-1, 11) - mean) @ analysis.pca.components_[[2, 0]].T
    assert (found.dtype, found.shape) == (np.float32, (24, 32, 2))
    np.testing.assert_allclose(found.pixels.reshape(-1, 2), expected, rtol=1e-5, atol=1e-2)
    assert found.bands.names == tuple(f"PC {n}, {shares.share(n)}".replace("\u00a0", " ") for n in (3, 1))
    assert not found.bands.tags


def test_scores_of_a_file_are_within_its_rounding_and_blocks_have_none_for_each_pixel(cube):
    analysis, step = analyse(cube, Bands()), 8.0
    model, shares = codec.quantize(analysis, 4, codec.Step.nearest(step)), Shares.of(analysis.variances)
    exact, coded = (
        score_image(source, [1, 2, 3, 4], shares, BandInfo()).pixels for source in (analysis, model)
    )
    assert 0 < np.abs(coded - exact).max() < 3 * step
    with pytest.raises(SettingsError, match="bands or channels"):
        score_image(analyse(cube[..., :3].astype(np.uint8), Blocks(8)), [1], shares, BandInfo())


def test_gaps_are_not_a_number_and_the_place_is_kept(cube):
    cube[3:5, 6:9] = -1
    scale = Tag(33550, 12, 3, np.array([30.0, 30, 0]).tobytes())
    info = BandInfo(tags=(scale, Tag(42112, 2, 2, b"x\0")), fields=(("map info", "{x}"), ("sensor", "y")))
    analysis = analyse(cube, Bands(), nodata=-1, mnf=True)
    shares = Shares.of(analysis.variances, TERMS[codec.Preparation.MNF])
    found = score_image(analysis, [1], shares, info)
    missing = np.zeros((24, 32), bool)
    missing[3:5, 6:9] = True
    np.testing.assert_array_equal(np.isnan(found.pixels[..., 0]), missing)
    assert np.isnan(found.bands.nodata)
    assert found.bands.names[0].startswith("MNF 1, ")
    assert (found.bands.tags, found.bands.fields) == ((scale,), (("map info", "{x}"),))

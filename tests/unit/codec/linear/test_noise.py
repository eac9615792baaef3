"""Minimum noise fraction: what is found when the noise is made white first."""

import numpy as np
import pytest

import pcaimage
from pcaimage import codec, container
from pcaimage.codec import Preparation, Settings, methods, preparation_of
from pcaimage.codec.linear.statistics import NoiseSum
from pcaimage.errors import SettingsError
from pcaimage.quality import white_of
from pcaimage.sampling import Bands, Blocks

BANDS = 7
DEVIATIONS = np.array([2.0, 2, 2, 90, 2, 2, 40])
"""Two bands are much noisier than the others, and than what is seen in them."""


def cube(kind="uint16", seed=1):
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:48, 0:44]
    field = 60 * np.sin(y / 15)[..., None] * np.linspace(0.5, 1, BANDS) + 30 * np.cos(x / 11)[..., None]
    values = 1000 + field + rng.normal(size=(48, 44, BANDS)) * DEVIATIONS
    return np.rint(values).astype(kind) if kind != "float32" else (values / 1000).astype(kind)


def file_of(array, settings):
    return container.read(pcaimage.encode(array, settings))


def noise_of(array, gone=None):
    sums = NoiseSum(array.shape[2])
    sums.add(array, gone)
    found = sums.whitening(whole=array.dtype.kind != "f")
    assert found is not None
    return found


def test_noise_is_found_where_the_image_is_smooth_and_pairs_with_gaps_do_not_count():
    found = noise_of(cube())
    assert np.sqrt(np.diagonal(found.root @ found.root)) == pytest.approx(DEVIATIONS, rel=0.3, abs=2)
    assert found.root @ found.inverse == pytest.approx(np.eye(BANDS), abs=1e-9)
    array, gone = cube("float32"), np.zeros((48, 44), bool)
    expected = noise_of(array[:, :30]).root
    array[:, 30:] = 1e6
    gone[:, 30:] = True
    assert noise_of(array, gone).root == pytest.approx(expected)


def test_components_stand_in_the_order_of_their_signal_to_noise_ratio():
    plain, whitened = (methods.analyse(cube(), Bands(), mnf=mnf) for mnf in (False, True))
    noisiest = int(np.argmax(DEVIATIONS))
    assert np.abs(plain.components[0]).argmax() == noisiest
    assert np.abs(whitened.synthesis[0] / DEVIATIONS).argmax() != noisiest
    assert whitened.variances[0] > 100
    # What is left is noise, of which each component has as much.
    assert whitened.variances[2:] == pytest.approx(np.ones(BANDS - 2), abs=0.3)


@pytest.mark.slow
def test_scores_and_synthesis_undo_each_other():
    analysis = methods.analyse(cube(), Bands(), mnf=True)
    assert analysis.projection @ analysis.synthesis.T == pytest.approx(np.eye(BANDS), abs=1e-9)
    again = analysis.scores().T @ analysis.synthesis + analysis.pca.mean_
    assert again == pytest.approx(cube().reshape(-1, BANDS), abs=0.01)
    assert analysis.gains == pytest.approx(np.square(analysis.synthesis).sum(axis=1))


def test_the_scale_of_bands_does_not_matter():
    array = cube("float32")
    first = methods.analyse(array, Bands(), mnf=True)
    second = methods.analyse(array * np.float32(2) ** np.arange(BANDS, dtype=np.float32), Bands(), mnf=True)
    assert second.variances == pytest.approx(first.variances, rel=1e-3)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", ["uint16", "int16", "float32"])
def test_files_hold_any_basis(kind):
    array = cube(kind)
    error = 3.0 if kind != "float32" else 0.003
    near = pcaimage.decode(pcaimage.encode(array, Settings(mnf=True, max_error=error)))
    assert near.dtype == kind
    assert np.abs(near.astype(float) - array).max() <= error
    analysis = methods.analyse(array, Bands(), mnf=True)
    model = methods.quantize(analysis, BANDS, codec.Step.nearest(0.2))
    wrong = np.square(array - model.reconstruct().astype(float)).mean(axis=(0, 1))
    unit = 1.0 if kind != "float32" else 1e-3
    assert (np.sqrt(wrong) < np.maximum(0.2 * DEVIATIONS, 0.5) * unit).all()


@pytest.mark.slow
def test_without_loss_and_by_quality_and_size():
    array = cube()
    assert np.array_equal(pcaimage.decode(pcaimage.encode(array, Settings(mnf=True, lossless=True))), array)
    found = pcaimage.decode(pcaimage.encode(array, Settings(mnf=True, psnr=40)))
    wrong = np.square(array - found.astype(float)).mean()
    assert 40 <= 20 * np.log10(white_of(array)) - 10 * np.log10(wrong) <= 40.1
    assert 2500 < len(pcaimage.encode(array, Settings(mnf=True, size=3000))) <= 3000


def test_estimates_tell_size_and_quality():
    analysis = methods.analyse(cube(), Bands(), mnf=True)
    for k, step in ((2, 2.0), (BANDS, 0.7)):
        model = methods.quantize(analysis, k, codec.Step.nearest(step))
        told = methods.estimates(analysis).estimate(k, step)
        size = len(container.write(methods.pack(model, analysis)))
        assert told.n_bytes == pytest.approx(size, rel=0.1)
        wrong = np.square(cube() - model.reconstruct().astype(float)).mean()
        assert told.mse == pytest.approx(wrong, rel=0.1)


@pytest.mark.slow
def test_quiet_bands_keep_their_signal_beside_noisy_ones():
    array, size = cube(), 1500
    worst = []
    for mnf in (False, True):
        found = pcaimage.decode(pcaimage.encode(array, Settings(Bands(), mnf=mnf, size=size)))
        quiet = DEVIATIONS < 10
        wrong = np.square(array - found.astype(float)).mean(axis=(0, 1))[quiet]
        worst.append(10 * np.log10(array.var(axis=(0, 1))[quiet] / wrong).min())
    assert worst[1] > worst[0] + 5


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (Settings(k=3), Preparation.NONE),
        (Settings(k=3, leave_out=(1,)), Preparation.NONE),
        (Settings(Bands(), k=3, standardize=True), Preparation.STANDARDIZED),
        (Settings(k=3, mnf=True), Preparation.MNF),
        (Settings(k=3, mnf=True, leave_out=(1,)), Preparation.MNF),
        (Settings(Bands(), k=3), Preparation.NONE),
    ],
)
def test_files_tell_how_they_were_made(settings, expected):
    assert preparation_of(file_of(cube(), settings)) is expected


@pytest.mark.parametrize("shape", [(1, 1, 5), (1, 6, 5), (6, 1, 5), (8, 8, 5)])
def test_images_without_noise_or_neighbours_are_compressed(shape):
    array = np.full(shape, 300, np.uint16)
    assert np.array_equal(pcaimage.decode(pcaimage.encode(array, Settings(mnf=True))), array)


def test_photos_are_coded_by_their_bands_if_noise_is_to_be_whitened_and_nothing_else_is_asked_for():
    found = file_of(cube()[..., :3], Settings(mnf=True, k=2))
    assert isinstance(found.header.sampling, Bands)
    with pytest.raises(SettingsError, match="Only many bands"):
        Settings(mnf=True, sampling=Blocks())
    with pytest.raises(SettingsError, match="choose one of"):
        Settings(mnf=True, standardize=True)


def mixture(kind="uint16", seed=3):
    """Return a scene of 30 bands, which is rough and a mixture of three spectra, and the bands' noise."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(3), (50, 60))
    spectra = 1000 + 500 * np.cos(np.arange(30) / 6 + np.arange(3)[:, None])
    noise = np.linspace(2, 8, 30)
    values = shares @ spectra + rng.normal(size=(50, 60, 30)) * noise
    return (np.rint(values) if kind != "float32" else values / 1000).astype(kind), noise


@pytest.mark.sweep(9)
@pytest.mark.parametrize("kind", ["uint16", "int16", "float32"])
@pytest.mark.parametrize("options", [{}, {"mnf": True}, {"standardize": True}])
def test_noise_of_bands_is_found_in_rough_scenes(kind, options):
    array, noise = mixture(kind)
    found = methods.analyse(array, Bands(), **options).step_for_noise(1.0)
    deviations = noise_of(array).of_bands * (1000 if kind == "float32" else 1)
    assert deviations == pytest.approx(noise, rel=0.1, abs=0.4)
    assert found is not None


@pytest.mark.parametrize("times", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("options", [{}, {"mnf": True}, {"standardize": True}])
@pytest.mark.slow
def test_errors_of_bands_are_as_many_times_their_noise(times, options):
    array, noise = mixture()
    decoded = pcaimage.decode(pcaimage.encode(array, Settings(noise=times, **options)))
    errors = np.sqrt(np.square(array.astype(float) - decoded).mean(axis=(0, 1)))
    assert 0.75 * times < (errors / noise).max() < 1.15 * times


def test_missing_pixels_are_no_noise():
    array, _ = mixture()
    expected = float(file_of(array, Settings(noise=1.0)).header.step)
    array[10:20, 10:20] = 0
    with_holes = file_of(array, Settings(noise=1.0, nodata=0))
    assert float(with_holes.header.step) == pytest.approx(expected, rel=0.1)


def test_noise_that_is_not_known_is_not_made_up_and_excludes_other_targets_and_methods():
    tiny = mixture()[0][:5, :5]
    for array in (tiny, np.full((30, 30, 6), 7, np.uint16)):
        with pytest.raises(SettingsError, match="noise of this image cannot be estimated"):
            pcaimage.encode(array, Settings(noise=1.0))
    assert methods.analyse(tiny[..., :3].astype(np.uint8), Blocks(2)).step_for_noise(1.0) is None
    for other in ({"k": 3}, {"psnr": 40.0}, {"step": 3.0}, {"lossless": True}, {"max_error": 2.0}):
        with pytest.raises(SettingsError, match="noise"):
            Settings(noise=1.0, **other)
    with pytest.raises(SettingsError, match="many bands"):
        Settings(noise=1.0, sampling=Blocks())
    with pytest.raises(SettingsError, match="positive"):
        Settings(noise=0.0)
    assert Settings(noise=1.0).sampling_for((20, 20, 3)) == Bands()

"""Many bands: what comes back, how exact it is, and what is refused."""

import numpy as np
import pytest

import pcaimage
from pcaimage import Bands, Blocks, Settings, codec, container
from pcaimage.codec import methods
from pcaimage.codec.linear import slices
from pcaimage.codec.linear.bands import BandsAnalysis
from pcaimage.codec.linear.model import IntegerModel
from pcaimage.errors import Cancelled, SettingsError
from pcaimage.quality import mean_squared_error


def cube(height=40, width=36, count=20, seed=0):
    """Return mixtures of a few materials with noise; numbers from about 200 to 4000."""
    random = np.random.default_rng(seed)
    y, x = np.indices((height, width))
    texture = np.cumsum(np.cumsum(random.normal(size=(height, width)), axis=0), axis=1)
    texture -= (texture[:, -1:] * x + texture[-1:] * y) / (height + width)
    shares = np.stack([1 + np.sin(y / 6 + x / 9), 1 + np.cos(x / 8 - y / 5), 1 + texture / 60], axis=2)
    spectra = 0.3 + np.abs(np.cumsum(random.normal(size=(3, count)), axis=1)) * 0.3
    found = np.tensordot(shares, spectra, 1)
    return found / found.max() * 3800 + random.normal(size=found.shape) * 6 + 100


WORDS = cube().astype(np.uint16)


def psnr(first, second, peak):
    return float(10 * np.log10(peak**2 / np.square(first.astype(float) - second).mean()))


@pytest.mark.parametrize("error", [0, 1, 2, 7, 50])
@pytest.mark.sweep(3)
def test_no_value_is_off_by_more_than_was_allowed(error):
    data = pcaimage.encode(WORDS, Settings(max_error=error))
    assert np.abs(pcaimage.decode(data).astype(int) - WORDS).max() <= error
    if error:
        assert len(data) < len(pcaimage.encode(WORDS, Settings(max_error=error // 2)))


@pytest.mark.parametrize("error", [1e-4, 0.003, 0.2])
@pytest.mark.parametrize("scale", [1.0, 1e-4, 30000.0])
@pytest.mark.sweep(5)
def test_real_numbers_are_as_exact_as_was_asked_for(error, scale):
    array = (cube(12, 14, 6) / 4000 * scale).astype(np.float32)
    decoded = pcaimage.decode(pcaimage.encode(array, Settings(max_error=error * scale)))
    assert decoded.dtype == np.float32
    assert np.abs(decoded.astype(float) - array).max() <= error * scale


@pytest.mark.slow
def test_the_range_of_16_bits_is_not_squeezed():
    wide = (WORDS.astype(np.int64) * 16).clip(0, 65535).astype(np.uint16)
    decoded = pcaimage.decode(pcaimage.encode(wide, Settings(psnr=70)))
    assert 70 <= psnr(decoded, wide, 65535) <= 70.1
    assert len(np.unique(decoded)) > 5000


def test_the_peak_is_the_white_or_the_range_of_the_values():
    assert container.peek(pcaimage.encode(WORDS)).peak == 4095
    assert container.peek(pcaimage.encode(WORDS, Settings(white=5000))).peak == 5000
    shifted = (WORDS.astype(int) - 9000).astype(np.int16)
    shifted[0, 0] = -32768
    header = container.peek(pcaimage.encode(shifted, Settings(nodata=-32768)))
    known = WORDS.reshape(-1, WORDS.shape[2])[1:].astype(int)
    assert header.peak == known.max() - known.min()


@pytest.mark.slow
def test_it_takes_less_than_coding_planes_without_prediction(monkeypatch):
    # Two fields of different materials: components are uncorrelated in the whole alone.
    array = np.concatenate([cube(60, 60, seed=seed) for seed in range(2)], axis=1).astype(np.uint16)
    how = [Settings(Bands(), k=6, step=step) for step in (6.0, 60.0)]
    sizes = [len(pcaimage.encode(array, each)) for each in how]
    monkeypatch.setattr(slices, "predictors_of", lambda _: (0, 0))
    for each, size in zip(how, sizes, strict=True):
        assert size < 0.96 * len(pcaimage.encode(array, each))


def test_a_file_of_the_first_components_is_coarser_but_right():
    data = pcaimage.encode(WORDS, Settings(k=6, step=10.0))
    quality = [psnr(pcaimage.decode(data, k), WORDS, 4000) for k in range(1, 7)]
    assert quality == sorted(quality)
    assert np.array_equal(pcaimage.decode(container.trim(data, 3)), pcaimage.decode(data, 3))


@pytest.mark.slow
def test_size_and_quality_are_reached_and_what_is_saved_decodes(tmp_path):
    assert 4800 <= len(pcaimage.encode(WORDS, Settings(size=5000))) <= 5000
    decoded = pcaimage.decode(pcaimage.encode(WORDS, Settings(psnr=52)))
    assert 52 <= psnr(decoded, WORDS, 4095) <= 52.1
    for number, settings in enumerate((Settings(step=20.0), Settings(max_error=4), Settings(lossless=True))):
        path = tmp_path / f"{number}.pcai"
        assert pcaimage.save(path, WORDS, settings) == path.stat().st_size
        assert pcaimage.open(path).decode().dtype == np.uint16


@pytest.mark.slow
def test_estimates_tell_size_and_quality():
    rates = methods.estimates(methods.analyse(WORDS, Bands()))
    for k, step in ((4, 18.0), (8, 9.0)):
        estimate = rates.estimate(k, step)
        data = pcaimage.encode(WORDS, Settings(k=k, step=step))
        assert estimate.n_bytes == pytest.approx(len(data), rel=0.08)
        assert estimate.psnr == pytest.approx(psnr(pcaimage.decode(data), WORDS, 4095), abs=0.2)


def test_numbers_that_hardly_differ_have_estimates_though_their_range_makes_them_exact():
    whole = np.random.default_rng(2).integers(0, 5, (20, 30, 1)).repeat(5, axis=2)
    array = (1e5 + whole / 128).astype(np.float32)  # 32 bits hold none between
    rates = methods.estimates(methods.analyse(array, Bands()))
    assert rates.estimate(1, 0.0078).mse == 0 < rates.estimate(1, 0.1).mse


def test_what_was_not_measured_comes_back_and_is_left_out_of_the_fit():
    array = WORDS.copy()
    array[5:20, 3:30] = 65535
    analysis = methods.analyse(array, Bands(), nodata=65535)
    assert isinstance(analysis, BandsAnalysis)
    rest = array.reshape(-1, 20)[(array != 65535).any(axis=2).ravel()]
    assert np.allclose(analysis.pca.mean_, rest.mean(axis=0))
    decoded = pcaimage.decode(pcaimage.encode(array, Settings(nodata=65535)))
    assert np.array_equal(decoded == 65535, array == 65535)
    plain = pcaimage.encode(array, Settings(k=5, step=20.0))
    assert len(pcaimage.encode(array, Settings(nodata=65535, k=5, step=20.0))) < len(plain)


def test_bands_that_were_not_measured_come_back_too():
    array = (cube() / 4000).astype(np.float32)
    array[4:6, 7, 3] = np.nan
    array[9, 9] = np.nan
    decoded = pcaimage.decode(pcaimage.encode(array, Settings(max_error=0.01)))
    assert np.array_equal(np.isnan(decoded), np.isnan(array))
    assert np.nanmax(np.abs(decoded - array)) <= 0.01


@pytest.mark.slow
def test_mapped_files_threads_and_slices_do_not_change_the_bytes(tmp_path, monkeypatch):
    np.save(tmp_path / "cube.npy", WORDS)
    mapped, settings = np.load(tmp_path / "cube.npy", mmap_mode="r"), Settings(lossless=True)
    assert pcaimage.encode(mapped, settings) == pcaimage.encode(WORDS, settings)
    monkeypatch.setattr(slices, "SLICE_PIXELS", (300, 300))
    data = pcaimage.encode(WORDS, Settings(step=15.0))
    assert data == pcaimage.encode(WORDS, Settings(step=15.0))
    assert max(container.peek(data).slice_rows, container.peek(data).slice_columns) < 40
    assert psnr(pcaimage.decode(data), WORDS, 4000) > 50
    for name in ("SAMPLE", "SAMPLE_OF_BANDS"):
        monkeypatch.setattr(f"pcaimage.codec.linear.statistics.{name}", 8)
    assert len(pcaimage.encode(WORDS, Settings(effort="fast"))) < 1.03 * len(pcaimage.encode(WORDS))


def test_pictures_and_models_are_made_of_it():
    analysis = methods.analyse(WORDS, Bands())
    model = methods.quantize(analysis, 5, codec.Step.nearest(12.0))
    assert isinstance(model, IntegerModel)
    image = model.reconstruct()
    assert np.array_equal(model.samples(slice(30, 90)), image.reshape(-1, 20)[30:90])
    pictures = methods.pictures(model)
    whole = pictures.render(codec.Region(0, 0, 36, 40), 1.0, 5, codec.Drawing(bands=(3, 2, 1), white=255.0))
    assert np.abs(whole.pixels.astype(int) - image[..., [3, 2, 1]].clip(0, 255)).max() <= 1


def test_work_can_be_stopped():
    def stop(done, _):
        if done:
            raise Cancelled

    for settings in (Settings(), Settings(lossless=True)):
        with pytest.raises(Cancelled):
            pcaimage.encode(WORDS, settings, progress=stop)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_error": -1}, "must not be negative"),
        ({"max_error": 1, "lossless": True}, "max_error and lossless"),
        ({"max_error": 1, "psnr": 40}, "max_error and psnr"),
        ({"max_error": 1, "sampling": Blocks()}, "Only many bands"),
        ({"nodata": 1, "sampling": Blocks()}, "Only many bands"),
        ({"max_error": 1, "leave_out": (1,)}, "keeps every pixel"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(settings, message):
    with pytest.raises(SettingsError, match=message):
        Settings(**settings)


@pytest.mark.parametrize(
    ("array", "settings"),
    [
        (WORDS.astype(np.int64), Settings()),
        (np.full((4, 4, 6), np.nan, np.float32), Settings()),
        (np.full((4, 4, 6), np.inf, np.float32), Settings()),
        (np.full((4, 4, 6), 1e12, np.float32), Settings()),
        (np.full((4, 4, 6), 1e6, np.float32), Settings(max_error=1e-5)),
        (np.ones((4, 4, 6), np.float32), Settings(max_error=0)),
        (np.ones((4, 4, 6), np.float32), Settings(lossless=True)),
        (np.zeros((2, 0, 6), np.uint8), Settings()),
    ],
)
def test_arrays_that_are_no_image_with_bands_lose_nothing(array, settings):
    found = pcaimage.decode(pcaimage.encode(array, settings))
    assert found.dtype == array.dtype
    assert np.array_equal(found, array, equal_nan=array.dtype.kind == "f")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["uint16", "float32"])
def test_what_is_near_is_known_before_it_is_decoded(kind):
    array = cube().astype(kind)
    array[3:5, 7] = np.nan if kind == "float32" else 0
    settings = Settings(Bands(), max_error=3, nodata=None if kind == "float32" else 0)
    encoding = codec.compress(array, settings, len)
    assert np.array_equal(codec.decompress(encoding.compressed), encoding.corrected, equal_nan=True)
    assert codec.gives(encoding.compressed, encoding.corrected)
    other = encoding.corrected.copy()
    other[-1, -1, -1] += 1
    assert not codec.gives(encoding.compressed, other)


@pytest.mark.parametrize("kind", ["uint16", "int16", "float32"])
def test_the_error_of_strips_is_that_of_the_image(kind, monkeypatch):
    array = cube().astype(kind)
    array[:9, :4] = np.nan if kind == "float32" else 0
    model = codec.compress(array, Settings(Bands(), k=2), len).model
    expected = mean_squared_error(array, model.reconstruct())
    monkeypatch.setattr("pcaimage.codec.linear.model.CHUNK", 36 * 20 * 3)
    assert model.mean_squared_error(array) == pytest.approx(expected, rel=1e-12)
    assert np.array_equal(model.reconstruct(), model.trimmed(2).reconstruct(), equal_nan=True)


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 0, 1), (0, 2, 1)])
def test_no_order_of_axes_is_copied_or_changes_the_file(axes):
    stored = np.ascontiguousarray(WORDS.transpose(axes))
    array = stored.transpose(np.argsort(axes))
    analysis = methods.analyse(array, Bands())
    assert isinstance(analysis, BandsAnalysis)
    assert np.shares_memory(analysis.samples, stored)
    assert pcaimage.encode(array) == pcaimage.encode(WORDS)
    chosen = np.array([0, 77, 1439])
    assert analysis.scores_of(chosen) == pytest.approx(analysis.scores()[:, chosen], abs=1e-2)


def test_pixels_without_some_bands_may_be_the_brightest():
    array = WORDS.copy()
    array[3, 4, 5:] = 60000
    array[3, 4, 2] = 1
    header = container.peek(data := pcaimage.encode(array, Settings(nodata=1, max_error=2)))
    assert header.peak == 65535
    assert np.abs(pcaimage.decode(data).astype(int) - array).max() <= 2
    real = array.astype(np.float32)
    real[3, 4, 6] = 1e6
    assert (
        np.abs(pcaimage.decode(pcaimage.encode(real, Settings(nodata=1, max_error=0.5))) - real).max() <= 0.5
    )

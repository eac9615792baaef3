"""An image on the components of a model: what is found, estimated and reached."""

from dataclasses import replace

import numpy as np
import pytest

import pcaimage
from pcaimage import Blocks, Channels, Settings, Stack, api, codec, container
from pcaimage.codec.linear.external_basis import ExternalBasis, compatible
from pcaimage.codec.linear.model_files import project
from pcaimage.errors import DataError, FormatError, SettingsError
from pcaimage.imaging import psnr
from pcaimage.sampling import Lapped
from tests.smooth import smooth

SMALL = smooth(8, 8, 3)


@pytest.fixture(scope="module")
def image():
    return smooth(80, 96, 3, seed=2, noise=4, scale=7)


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "standardised"])
def model(request):
    how = Settings(Blocks(4), k=16, step=0.05 if request.param else 2.0, standardize=request.param)
    return api.compress_array(smooth(120, 100, 3, seed=1, noise=4, scale=7), how).compressed


def test_components_are_the_models_to_the_last_bit(model, image):
    found = project(image, model, Settings())
    own = codec.unpack(model)
    assert isinstance(own, codec.IntegerModel)
    made = codec.quantize(found, 9, codec.Step.nearest(3.0))
    assert np.array_equal(made.entries, own.entries[:9])
    assert np.array_equal(made.mean, own.mean)
    assert made.precisions == own.precisions[:9]
    assert (made.scale is None) == (own.scale is None)
    assert made.scale is None or np.array_equal(made.scale, own.scale)


def test_variances_are_mean_squares_around_the_models_mean(model, image):
    found = project(image, model, Settings())
    scores = found.scores().astype(float)
    assert found.variances == pytest.approx(np.square(scores).sum(axis=1) / (scores.shape[1] - 1), rel=1e-4)
    assert found.total_variance > found.variances.sum()
    assert found.ratios[-1] < 1
    assert found.k_for_variance(0.999_999) == 16
    centred = (Blocks(4).to_samples(image) - found.pca.mean_) / found.pca.scale_
    assert found.total_variance == pytest.approx(np.square(centred).sum() / (len(centred) - 1))


@pytest.mark.slow
def test_the_model_itself_is_projected_on_its_own_scores():
    array = smooth(64, 64, 3, seed=5, noise=4, scale=7)
    how = Settings(Blocks(4), k=48, step=0.5)
    encoding = api.compress_array(array, how)
    again = api.compress_array(array, Settings(k=48, step=0.5), model=encoding.compressed)
    assert np.array_equal(again.decoded(), encoding.decoded())
    assert [c.scores for c in again.compressed.components] == [
        c.scores for c in encoding.compressed.components
    ]


def test_with_all_components_the_step_is_the_models(model, image):
    found = project(image, model, Settings())
    assert found.step_for(16) == model.header.step
    assert float(found.step_for(3)) == pytest.approx(found.reach * np.sqrt(12 * found.levels[3]), rel=1e-3)


@pytest.mark.slow
def test_estimates_know_that_there_is_no_basis(model, image):
    rates = codec.estimates(project(image, model, Settings()))
    for k, step in ((4, 12.0), (16, 6.0)):
        # Components of standardised features are not orthogonal in pixel values.
        close = 1.5 if k < 16 and model.scale is not None else 0.3
        scaled = step / (40 if model.scale is not None else 1)
        encoding = api.compress_array(image, Settings(k=k, step=scaled), model=model)
        estimate = rates.estimate(k, scaled)
        assert estimate.n_bytes == pytest.approx(api.size_of(encoding.compressed), rel=0.12)
        assert estimate.psnr == pytest.approx(psnr(image, encoding.decoded()), abs=close)


@pytest.mark.parametrize("how", [{"psnr": 33.0}, {"size": 2000}, {"variance": 0.9}, {"ssim": 0.85}])
@pytest.mark.sweep(6)
def test_targets_are_reached(model, image, how):
    encoding = api.compress_array(image, Settings(**how), model=model)
    if "psnr" in how:
        assert 33 <= psnr(image, encoding.decoded()) <= 33.1
    if "size" in how:
        assert 1800 < api.size_of(encoding.compressed) <= 2000
    assert encoding.compressed.basis == codec.basis_id(model)


def test_components_left_out_have_no_scores(model, image, tmp_path):
    encoding = api.compress_array(image, Settings(k=6, leave_out=frozenset({2, 4})), model=model)
    path = tmp_path / "out.pcai"
    api.save_encoding(path, encoding)
    back = codec.unpack(codec.attach_basis(api.open_file(path).compressed, model))
    assert isinstance(back, codec.IntegerModel)
    assert back.same_as(encoding.model)
    assert back.scores[0].any()
    assert not back.scores[[1, 3]].any()


def test_a_file_is_verified_when_it_is_saved(model, image, tmp_path):
    encoding = api.compress_array(image, Settings(k=3), model=model)
    wrong = replace(encoding.model, scores=encoding.model.scores + 1)
    with pytest.raises(FormatError, match="it was not saved"):
        api.save_encoding(tmp_path / "out.pcai", replace(encoding, model=wrong))
    strange = replace(encoding, compressed=replace(encoding.compressed, basis=codec.BasisId(bytes(16), 16)))
    api.save_encoding(tmp_path / "out.pcai", strange)
    with pytest.raises(FormatError, match="this model's id is"):
        codec.attach_basis(api.open_file(tmp_path / "out.pcai").compressed, model)


@pytest.mark.parametrize(
    ("array", "how", "error", "message"),
    [
        (SMALL[..., :2], {}, SettingsError, "blocks of 4 × 4 × 3 of type uint8; .* 4 × 4 × 2"),
        (SMALL.astype(np.uint16), {}, SettingsError, "of type uint8; .* of type uint16"),
        (SMALL[None], {}, SettingsError, "one of single images"),
        (SMALL.astype(float), {}, DataError, "uint8 or uint16"),
        (SMALL, {"sampling": Channels()}, SettingsError, "another method"),
        (SMALL, {"sampling": Blocks(8)}, SettingsError, "another method"),
        (SMALL, {"lossless": True}, SettingsError, "leave over cannot be kept"),
        (SMALL, {"sampling": Lapped()}, SettingsError, "another method"),
        (SMALL, {"k": 17}, SettingsError, "16 components; k = 17"),
        (SMALL, {"step": 1e-8}, SettingsError, "step is too small"),
    ],
)
@pytest.mark.sweep(7)
def test_what_does_not_fit_is_refused(model, array, how, error, message):
    with pytest.raises(error, match=message):
        api.compress_array(array, Settings(**how), model=model)


def test_damaged_models_are_refused_and_by_one_that_is_not_standardised_what_should_be(model):
    if model.scale is not None:
        with pytest.raises(FormatError, match="standard deviations are out of range"):
            ExternalBasis.of(replace(model, scale=b""))
    else:
        with pytest.raises(SettingsError, match="not standardised"):
            api.compress_array(SMALL, Settings(standardize=True), model=model)
    with pytest.raises(SettingsError, match="has no components"):
        ExternalBasis.of(model.trimmed(0))


def test_one_image_may_have_more_components_than_samples_and_is_reconstructed_alone():
    frames = np.stack([smooth(10, 12, 3, seed=seed, noise=4, scale=7) for seed in range(8)])
    data = pcaimage.encode(frames, Settings(Stack(), k=7))
    new = pcaimage.encode(frames[3:4], Settings(k=7, step=0.5), model=data)
    assert container.read(new).k == 7
    assert psnr(frames[3:4], pcaimage.decode(new, model=data)) > 35
    opened = api.open_bytes(data)
    whole, few = opened.decode(), opened.decode(2)
    for index in range(8):
        assert np.array_equal(opened.frame(index).pixels, whole[index])
        assert np.array_equal(codec.decompress_frame(opened.compressed, index, 2), few[index])
    for index in (-1, 8):
        with pytest.raises(SettingsError, match="has 8 images; there is no image"):
            opened.frame(index)


def test_headers_fit_where_samples_are_of_one_kind(model):
    header = model.header
    assert compatible(header, replace(header, shape=(5, 4, 3), step=codec.Step.nearest(1.0)))
    assert not compatible(header, replace(header, shape=(5, 4, 2)))
    assert not compatible(header, replace(header, mean_bits=header.mean_bits + 1))

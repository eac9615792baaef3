"""Estimates, targets and bases of photos."""

from dataclasses import replace

import numpy as np
import pytest
from skimage import data

import pcaimage
from pcaimage import Settings, container
from pcaimage.codec import Basis, Step
from pcaimage.codec.photo import coding, own_bases
from pcaimage.codec.photo.aims import sample
from pcaimage.codec.photo.aims.rates import PhotoRates
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.imaging import psnr


@pytest.fixture(scope="module")
def picture():
    return np.ascontiguousarray(data.astronaut()[20:108, 160:256])


@pytest.fixture(scope="module")
def analysis(picture):
    return PhotoAnalysis.fit(picture)


@pytest.mark.parametrize("step", [5.0, 13.0])
@pytest.mark.parametrize("k", [1, 2, 20, 150])
@pytest.mark.slow
def test_estimates_follow_the_file(picture, analysis, step, k):
    model = coding.quantize(analysis, k, Step.nearest(step))
    found = PhotoRates(analysis).estimate(k, step)
    assert found.n_bytes == pytest.approx(len(container.write(coding.pack(model))), rel=0.03, abs=25)
    assert found.psnr == pytest.approx(psnr(picture, model.reconstruct()), abs=0.2)


@pytest.mark.slow
def test_a_sample_of_tiles_tells_about_the_whole(analysis, monkeypatch):
    whole = PhotoRates(analysis).estimate(120, 12.0)
    monkeypatch.setattr("pcaimage.codec.photo.aims.rates.TILE_BLOCKS", 128)
    monkeypatch.setattr(sample, "TILES", 2)
    tiles = sample.Sample(analysis, 128)
    assert not tiles.is_whole
    assert tiles.blocks <= 128
    part = PhotoRates(analysis).estimate(120, 12.0)
    assert part.n_bytes == pytest.approx(whole.n_bytes, rel=0.3)
    assert part.psnr == pytest.approx(whole.psnr, abs=1)


@pytest.mark.parametrize("some", [4, 2, 1 / 2])
def test_sizes_are_told_by_parts_of_all_slices(monkeypatch, some):
    photo = PhotoAnalysis.fit(np.tile(data.astronaut()[:256, :512], (2, 1, 1))).tuned(for_the_eye=True)
    photo = replace(photo, header=replace(photo.header, slice_rows=13))
    k, blocks = photo.k_for_step(20.0), 64 * 64
    monkeypatch.setattr("pcaimage.codec.photo.aims.rates.GLANCED_SCORES", int(some * blocks * k))
    size = len(container.write(coding.pack(coding.quantize(photo, k, Step.nearest(20.0)))))
    assert PhotoRates(photo).glanced_size(k, 20.0) == pytest.approx(size, rel=0.1)
    strips = sample.Strips(photo, blocks // 2, k)
    assert [len(tiles) for tiles in strips.by_slice] == [2] * 5
    assert strips.weight == pytest.approx(2)


def test_a_sample_serves_a_whole_octave_of_fine_steps_or_one_step_alone(analysis):
    rates = PhotoRates(analysis)
    rates.estimate(120, 3.0)
    assert rates.knows(2.1)
    assert rates.knows(3.9)
    size = rates.glanced_size(120, 30.0)
    once = rates.glanced(120, 30.0)
    assert size == once.n_bytes == rates.glanced_size(120, 30.0)
    assert not rates.knows(30.0)
    assert rates.estimate(120, 30.0) == once


def test_own_bases_are_orthonormal_come_back_and_are_taken_where_they_are_worth_their_bytes(picture):
    found = own_bases.analyse(picture, Basis.OWN)
    for basis in (found.cascade.vertical, found.cascade.horizontal):
        assert np.allclose(basis @ basis.T / 2**28, np.eye(8), atol=1e-3)
    data = pcaimage.encode(picture, Settings(basis=Basis.OWN, step=4.0))
    assert psnr(picture, pcaimage.decode(data)) > 39
    builtin = PhotoAnalysis.fit(picture).cascade
    assert np.array_equal(own_bases.analyse(picture, Basis.AUTO).cascade.vertical, builtin.vertical)
    heights = np.random.default_rng(0).integers(-100, 100, (80, 80)).repeat(8, axis=1)
    stripes = 128 + np.kron(heights, np.array([[1], [-1], [1], [1], [-1], [-1], [1], [-1]]))
    auto = own_bases.analyse(stripes.astype(np.uint8), Basis.AUTO)
    assert not np.array_equal(auto.cascade.vertical, builtin.vertical)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_every_pixel_comes_back(picture, dtype):
    original = picture[:40, :48].astype(dtype) * (1 if dtype is np.uint8 else 251)
    data = pcaimage.encode(original, Settings(lossless=True))
    assert np.array_equal(pcaimage.decode(data), original)
    k = container.read(data).k
    assert not np.array_equal(pcaimage.decode(data, k - 1), original)
    assert container.read(container.trim(data, k - 1)).residual is None
    assert np.array_equal(
        pcaimage.decode(pcaimage.encode(original[None], Settings(lossless=True))), original[None]
    )

"""The channels of a photo: PCA, turned to where scores cost little."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pcaimage
from pcaimage import Settings, container
from pcaimage.codec.photo.analysis import variances
from pcaimage.codec.photo.own_bases import exact_moments
from pcaimage.codec.photo.tables import NEWEST, Tables
from pcaimage.codec.photo.transform.channels import ONE, fitted, turned
from pcaimage.imaging import psnr
from pcaimage.sampling import Lapped

BASIS = Tables.of(NEWEST).basis


def dyed(channels, kind=np.uint8):
    """Return stripes of textures, each in one channel alone, on a ground that differs in all of them."""
    random = np.random.default_rng(5)
    ground = np.repeat(np.linspace(60, 190, 8), 8)[:, None, None]
    image = np.broadcast_to(ground, (64, 32 * channels, channels)).copy()
    for channel in range(channels):
        image[:, 32 * channel : 32 * (channel + 1), channel] += random.normal(0, 20, (64, 32))
    return np.clip(image * np.iinfo(kind).max / 255, 0, np.iinfo(kind).max).astype(kind)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [2, 3, 4])
def test_channels_follow_the_textures_of_blocks(channels, kind):
    image = dyed(channels, kind)
    rotation = fitted(image)[1]
    assert np.abs(rotation / ONE).max(axis=1)[0] < 0.8
    found = turned(image, rotation, BASIS, BASIS) / ONE
    assert np.allclose(found @ found.T, np.eye(channels), atol=3e-4)
    assert (found.max(axis=1) > 0.98).all()
    assert sorted(found.argmax(axis=1).tolist()) == list(range(channels))


@pytest.mark.parametrize("shape", [(24, 40, 3), (5, 90, 3), (90, 5, 3), (24, 40, 1)])
def test_channels_remain_where_nothing_tells(shape):
    image = np.full(shape, 77, np.uint8)
    image[3, 3] += 2  # a dot too faint to be coded
    rotation = fitted(image)[1]
    assert np.array_equal(turned(image, rotation, BASIS, BASIS), rotation)


@pytest.mark.slow
def test_files_are_smaller_by_it(monkeypatch):
    image, settings = dyed(3), Settings(Lapped(), step=12.0, tune="psnr")
    data = pcaimage.encode(image, settings)
    monkeypatch.setattr(
        "pcaimage.codec.photo.transform.cascade.turned", lambda _, rotation, *_bases: rotation
    )
    other = pcaimage.encode(image, settings)
    assert container.read(other).header.step == container.read(data).header.step
    assert len(data) < 0.9 * len(other)
    assert psnr(image, pcaimage.decode(data)) > psnr(image, pcaimage.decode(other)) - 0.2


ROOT = Path(__file__).parents[4]

PROGRAM = """
import numpy as np
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.own_bases import own_bases
noise, (y, x) = np.random.default_rng(0), np.mgrid[0:300, 0:300]
for shift in range(3):
    smooth = 99 * np.sin(x / (7 + shift)) * np.cos(y / (5 + shift)) + 128
    array = (smooth + noise.normal(0, 4, smooth.shape)).clip(0, 255).astype(np.uint8)
    for bases in own_bases(PhotoAnalysis.fit(array)):
        print(bases.tolist())
"""


@pytest.mark.sweep(8)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    ("peak", "dtype", "count"),
    [(1000, np.int16, 1), (32768, np.int16, 2051), (1000, np.int32, 50), (1 << 26, np.int32, 50)],
)
def test_moments_are_exact(peak, dtype, count, axis):
    planes = np.random.default_rng(1).integers(-peak, peak, (8, 8, count)).astype(dtype)
    whole = planes.swapaxes(0, axis)[1:].reshape(7, -1).astype(object)
    found = exact_moments(planes, axis)
    assert np.array_equal(found[1:, 1:], (whole @ whole.T).astype(np.float64))
    assert not found[0].any()
    assert not found[:, 0].any()


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_variances_are_those_of_the_planes(dtype):
    planes = np.random.default_rng(2).integers(-32768, 32768, (3, 7, 150)).astype(dtype)
    planes[1] = 32767
    expected = planes.reshape(3, -1).astype(np.float64).var(axis=1, ddof=1)
    assert variances(planes) == pytest.approx(expected, rel=1e-6, abs=1e-3)
    assert variances(planes[1:2, :1, :1]).tolist() == [0.0]


@pytest.mark.slow
def test_bases_do_not_depend_on_the_kernels_of_the_blas():
    def told(kernels):
        changes = {"OPENBLAS_CORETYPE": kernels, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
        return subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, **changes},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout

    first = told("Prescott")
    assert first.count("\n") == 6
    assert told("Nehalem") == first

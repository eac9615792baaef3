"""The channels of a photo: PCA, turned to where scores cost little."""

import numpy as np
import pytest

import pcaimage
from pcaimage import Settings, container
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
    image, settings = dyed(3), Settings(Lapped(), step=12.0)
    data = pcaimage.encode(image, settings)
    monkeypatch.setattr(
        "pcaimage.codec.photo.transform.cascade.turned", lambda _, rotation, *_bases: rotation
    )
    other = pcaimage.encode(image, settings)
    assert container.read(other).header.step == container.read(data).header.step
    assert len(data) < 0.9 * len(other)
    assert psnr(image, pcaimage.decode(data)) > psnr(image, pcaimage.decode(other)) - 0.2

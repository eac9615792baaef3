"""The photo method's transform: there and back, and exactly so."""

from dataclasses import replace

import numpy as np
import pytest

from pcaimage.codec.compressed import header_of
from pcaimage.codec.photo.picture import Picture
from pcaimage.codec.photo.tables import NEWEST
from pcaimage.codec.photo.transform import axes
from pcaimage.codec.photo.transform.cascade import Cascade
from pcaimage.errors import Cancelled, DataError, SettingsError
from pcaimage.sampling import Lapped
from pcaimage.sampling.blocks import lapping
from tests.stop import stop

SHAPES = [(1, 1), (7, 9), (8, 8), (17, 23), (40, 9)]
TYPES = [np.uint8, np.uint16]
UNIT = (1, -6)
"""One 64th."""


def cosines():
    k, i = np.mgrid[:8, :8]
    basis = np.cos(np.pi * (2 * i + 1) * k / 16) / 2
    basis[0] /= np.sqrt(2)
    return np.rint(basis * 2**14).astype(np.int64)


def another_basis():
    ramp = np.random.default_rng(3).normal(size=(8, 8))
    ramp[:, 0] = 1
    basis = np.linalg.qr(ramp)[0].T
    return np.rint(basis * np.sign(basis[0, 0]) * 2**14).astype(np.int64)


def picture(shape, kind=np.uint8, seed=0):
    peak = np.iinfo(kind).max
    noise = np.random.default_rng(seed).normal(size=shape)
    y, x = np.mgrid[: shape[0], : shape[1]]
    wave = np.sin(x / 5 + seed) + np.cos(y / 7)
    wave = wave[..., None] * np.linspace(0.5, 1, shape[2]) if len(shape) == 3 else wave
    return np.clip((wave * 0.2 + noise * 0.1 + 0.5) * peak, 0, peak).astype(kind)


def cascade_of(array):
    return Cascade.of_image(array, cosines(), another_basis())


def reconstructed(cascade, shape, kind, planes, unit=UNIT):
    """Return the pixels of coefficients, which are (C * 64, rows, columns)."""
    header = replace(header_of(np.zeros(shape, kind), Lapped(), np.iinfo(kind).max), tables=NEWEST)
    return Picture(header, cascade, []).pixels_of(planes.astype(np.int32), unit).reshape(shape)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("size", SHAPES)
@pytest.mark.sweep(7)
def test_fine_coefficients_bring_every_pixel_back(size, channels, kind):
    array = picture((*size, channels), kind)
    cascade = cascade_of(array)
    planes = np.rint(cascade.scores(array, slice(None)) * 64.0)
    back = reconstructed(cascade, array.shape, array.dtype, planes)
    assert back.dtype == array.dtype
    # Sixteen bits are more than the maps have: there their rounding shows.
    assert np.abs(back.astype(int) - array).max() <= (0 if kind is np.uint8 else 1)
    even = np.full_like(array, 77)
    assert not cascade_of(even).forward(even, 0.01).any()
    assert np.array_equal(reconstructed(cascade_of(even), even.shape, kind, planes * 0), even)


def test_scores_are_those_of_lapped_blocks_of_principal_components():
    array = picture((35, 29, 3))
    cascade = cascade_of(array)
    rotation = cascade.rotation / 2**14
    turned = (array - cascade.mean) @ rotation.T
    samples = Lapped().to_samples(turned).reshape(5, 4, 8, 8, 3)
    vertical, horizontal = cascade.vertical / 2**14, cascade.horizontal / 2**14
    expected = np.einsum("ui,rcijp,vj->puvrc", vertical, samples, horizontal).reshape(192, 5, 4)
    # Rounded to fourteen bits, components are not quite of unit length.
    assert np.abs(cascade.scores(array, slice(None)) - expected).max() < 3e-4 * np.abs(expected).max()


def test_some_rows_of_scores_are_those_of_all():
    array = picture((61, 30, 2))
    cascade = cascade_of(array)
    everything = cascade.scores(array, slice(None))
    assert everything.dtype == np.float32
    assert everything.shape == (128, 8, 4)
    for start in range(8):
        for end in range(start, 9):
            assert np.array_equal(cascade.scores(array, slice(start, end)), everything[:, start:end])


@pytest.mark.parametrize(("kind", "whole"), [(np.uint8, np.int16), (np.uint16, np.int32)])
def test_planes_are_rounded_scores(kind, whole):
    array = picture((1100, 90, 3), kind)
    cascade, told = cascade_of(array), list[int]()
    planes = cascade.forward(array, 0.75, lambda done, _total: told.append(done))
    assert planes.dtype == whole
    assert told[-1] == planes.shape[1] == 138
    scores = cascade.scores(array, slice(None)).astype(np.float64)
    assert np.abs(planes - scores / 0.75).max() < (0.502 if kind is np.uint8 else 0.6)
    with pytest.raises(Cancelled):
        cascade.forward(array, 1.0, stop)


def test_scores_out_of_range_are_limited():
    array = np.zeros((16, 16), np.uint8)
    array[:, 8:] = 255
    planes = cascade_of(array).forward(array, 0.01)
    assert {int(planes.min()), int(planes.max())} == {-32767, 32767}


def by_hand(cascade, shape, peak, planes, unit):
    """Follow the formula literally, in integers without limits."""
    bits = 17 if peak == 255 else 9
    rows, columns = planes.shape[1:]

    def half_up(number, shift):
        return (2 * number + (1 << shift)) >> (shift + 1) if shift > 0 else number << -shift

    def fixed(coefficient):
        number = half_up(coefficient * unit[0], -(unit[1] + bits))
        return min(max(number, -(1 << 30)), 1 << 30)

    def map_of(basis, blocks, sample):
        """Return what a sample takes of (block, component)."""
        group, place = (sample + 4) // 8, (sample + 4) % 8
        across = lapping().tolist() if 0 < group < blocks else (np.eye(8, dtype=np.int64) << 31).tolist()
        weights = {}
        for block, lapped, there in ((group - 1, range(4), 4), (group, range(4, 8), -4)):
            if 0 <= block < blocks:
                for u in range(8):
                    total = sum(across[a][place] * int(basis[u, a + there]) for a in lapped)
                    weights[block, u] = half_up(total, 29)
        return weights

    x = [[[fixed(int(c)) for c in row] for row in plane] for plane in planes]
    image = np.empty(shape, int)
    n = cascade.channels
    along = [map_of(cascade.horizontal, columns, i) for i in range(shape[1])]
    for line in range(shape[0]):
        down = map_of(cascade.vertical, rows, line).items()
        t = [
            [half_up(sum(w * x[pv // 8 * 64 + u * 8 + pv % 8][row][column] for (row, u), w in down), 16)
             for column in range(columns)]
            for pv in range(8 * n)
        ]  # fmt: skip
        for i in range(shape[1]):
            y = [
                half_up(sum(w * t[p * 8 + v][column] for (column, v), w in along[i].items()), 16)
                for p in range(n)
            ]
            for channel in range(n):
                total = sum(int(cascade.rotation[p, channel]) * y[p] for p in range(n))
                total += int(cascade.mean[channel]) << (bits + 14)
                image[line, i, channel] = min(max(half_up(total, bits + 14), 0), peak)
    return image


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(("shape", "unit"), [
    ((17, 23, 3), (2049, -12)),
    ((1, 1, 1), (4095, -17)),
    ((9, 8, 4), (3001, -20)),
    ((8, 17, 2), (2048, -46)),
    ((12, 12, 3), (4095, 34)),
])  # fmt: skip
@pytest.mark.parametrize("spread", [300, 2**31])
@pytest.mark.sweep(12)
def test_reconstruction_is_the_formula_in_integers(shape, unit, kind, spread):
    cascade = cascade_of(picture(shape, kind))
    grid = Lapped().grid(shape)
    random = np.random.default_rng(sum(shape))
    planes = random.integers(-spread, spread, (shape[2] * 64, *grid))
    back = reconstructed(cascade, shape, kind, planes, unit)
    assert np.array_equal(back, by_hand(cascade, shape, np.iinfo(kind).max, planes, unit))


@pytest.mark.parametrize(("exponent", "spread"), [(-30, 2**31), (-12, 300)])
@pytest.mark.slow
def test_mirrored_maps_give_the_same_pixels(exponent, spread):
    cascade = Cascade.of_image(picture((30, 300, 3)), cosines(), cosines())
    planes = np.random.default_rng(1).integers(-spread, spread, (192, 4, 38))
    back = reconstructed(cascade, (30, 300, 3), np.uint8, planes, (2049, exponent))
    assert np.array_equal(back, by_hand(cascade, (30, 300, 3), 255, planes, (2049, exponent)))


@pytest.mark.parametrize("extreme", [2**31 - 1, -(2**31)])
@pytest.mark.parametrize("kind", TYPES)
def test_hostile_numbers_stay_within_the_exact_range(extreme, kind):
    ones = np.full((4, 4), 1 << 14, np.int64)
    cascade = Cascade(np.full(4, 65535), ones, cosines(), another_basis())
    for basis in (cosines(), another_basis()):
        assert np.abs(axes.synthesis(basis)).sum(axis=2).max() <= (1 << 18) + 64  # the stated bound
    signs = np.random.default_rng(0).choice([-1, 1], (256, 3, 3))
    planes = np.clip(signs * extreme, -(2**31), 2**31 - 1)
    shape = (20, 20, 4)
    back = reconstructed(cascade, shape, kind, planes, (1 << 20, 100))
    assert np.array_equal(back, by_hand(cascade, shape, np.iinfo(kind).max, planes, (1 << 20, 100)))


def test_synthesis_of_whole_pixels_undoes_an_axis():
    cascade = cascade_of(picture((8, 8)))
    vertical, horizontal = cascade.synthesis(1)
    assert vertical.shape == horizontal.shape == (4, 8, 24)
    # Three blocks alike and none of them at a border: rows of an orthonormal map.
    assert np.allclose((vertical[0] ** 2).sum(axis=1), 1, atol=1e-3)
    assert np.allclose(vertical[3, :, 8:16], cascade.vertical.T / 2**14, atol=1e-6)
    with pytest.raises(SettingsError, match="not of 3"):
        cascade.synthesis(3)


def test_channels_are_turned_to_descending_variance():
    array = picture((50, 60, 3))
    cascade = cascade_of(array)
    rotation = cascade.rotation / 2**14
    variances = (array.reshape(-1, 3) @ rotation.T).var(axis=0)
    assert np.all(np.diff(variances) < 0)
    assert np.allclose(rotation @ rotation.T, np.eye(3), atol=2e-4)
    assert np.all(np.abs(rotation).max(axis=1) == rotation.max(axis=1))
    assert np.array_equal(cascade.mean, np.rint(array.mean(axis=(0, 1))).astype(int))


@pytest.mark.slow
def test_channels_of_large_images_are_fitted_to_an_even_part(monkeypatch):
    monkeypatch.setattr("pcaimage.codec.photo.transform.channels.FITTED", 1 << 16)
    array = picture((375, 700, 3))
    cascade = cascade_of(array)
    pixels = array.reshape(-1, 3).astype(np.float64)
    exact = np.linalg.eigh(np.cov(pixels.T))[1][:, ::-1].T
    cosine = np.abs((exact * cascade.rotation / 2**14).sum(axis=1))
    assert cosine[0] > 0.999
    assert np.abs(cascade.mean - pixels.mean(axis=0)).max() < 1


def test_arrays_that_are_no_photographs_are_refused():
    cascade = cascade_of(picture((8, 8, 3)))
    for array in (np.zeros((8, 8, 5), np.uint8), np.zeros((0, 8, 3), np.uint8), np.zeros(8, np.uint8)):
        with pytest.raises(DataError, match="1 to 4 channels"):
            cascade_of(array)
    with pytest.raises(DataError, match="float64"):
        cascade_of(np.zeros((8, 8)))
    with pytest.raises(DataError, match="2 channels; the cascade is one of 3"):
        cascade.forward(np.zeros((8, 8, 2), np.uint8), 1.0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rotation": 2 * np.eye(3, dtype=np.int64) << 14}, "larger than 1"),
        ({"mean": np.full(3, -500)}, "larger than 1"),
        ({"vertical": np.full((8, 8), 1 << 14)}, "far from orthonormal"),
        ({"rotation": np.eye(2, 3, dtype=np.int64) << 14}, "does not fit"),
        ({"vertical": cosines()[:4]}, "8 × 8"),
    ],
)
def test_numbers_that_would_not_be_exact_are_refused(wrong, message):
    with pytest.raises(SettingsError, match=message):
        replace(cascade_of(picture((8, 8, 3))), **wrong)

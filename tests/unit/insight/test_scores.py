"""Scores of pixels as an image: exact, of files, and where data are missing."""

import numpy as np
import pytest

from pcaimage import codec
from pcaimage.codec import analyse
from pcaimage.errors import SettingsError
from pcaimage.imaging import BandInfo
from pcaimage.imaging.image.bands import Tag
from pcaimage.insight.component_table import TERMS
from pcaimage.insight.components import Shares
from pcaimage.insight.model_file import score_image
from pcaimage.sampling import Bands, Blocks


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

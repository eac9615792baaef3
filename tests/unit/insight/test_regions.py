"""Regions of an image of many bands, against plain NumPy and plain geometry."""

import numpy as np
import pytest

from pcaimage.codec import analyse, pictures
from pcaimage.insight.regions import PixelScatter, RegionSpectra, inside
from pcaimage.sampling import Channels


def test_a_polygon_has_the_cells_whose_centres_are_inside_by_even_and_odd_crossings():
    rng = np.random.default_rng(1)
    polygon = rng.uniform(-3, 15, (9, 2))  # crosses itself, and leaves the grid
    found = inside(polygon, 11, 13)
    for row, column in np.ndindex(11, 13):
        x, y, crossings = column + 0.5, row + 0.5, 0
        for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
            if (y0 <= y) != (y1 <= y) and x0 + (y - y0) * (x1 - x0) / (y1 - y0) <= x:
                crossings += 1
        assert found[row, column] == crossings % 2
    assert inside([(2, 1), (5, 1), (5, 4), (2, 4)], 6, 6).sum() == 9
    assert not inside([(2, 1), (5, 1)], 6, 6).any()
    assert not inside([], 6, 6).any()


def test_a_lasso_among_scores_chooses_the_pixels_whose_scores_are_inside():
    rng = np.random.default_rng(2)
    image = (rng.normal(0, 1, (40, 60, 3)) @ rng.normal(0, 100, (3, 9)) + 2000).astype(np.uint16)
    shown = pictures(analyse(image, Channels()))
    scatter, scores = PixelScatter.of(shown, 1, 2), [shown.score_plane(number) for number in (1, 2)]
    assert scatter.counts.sum() == scatter.counts_of(np.ones((40, 60), bool)).sum() == 2400
    edges = [(-0.8 * plane.std(), 1.2 * plane.std()) for plane in scores]
    (left, right), (low, high) = edges
    chosen = scatter.lassoed([(left, low), (right, low), (right, high), (left, high)])
    expected, near = np.ones((40, 60), bool), np.zeros((40, 60), bool)
    limits = scatter.limits[:2], scatter.limits[2:]
    for plane, ends, axis, count in zip(scores, edges, limits, scatter.grid, strict=True):
        expected &= (plane > ends[0]) & (plane < ends[1])
        for end in ends:  # the pixels of a cell are inside or outside together
            near |= np.abs(plane - end) < (axis[1] - axis[0]) / count
    assert np.array_equal(chosen[~near], expected[~near])
    assert 0 < chosen.sum() < 2400


def test_the_spectra_of_a_region_are_mean_and_deviation_of_its_measured_pixels():
    rng = np.random.default_rng(4)
    before = rng.integers(0, 4000, (20, 30, 7)).astype(np.uint16)
    after = before + 3
    mask = rng.random((20, 30)) < 0.3
    found = RegionSpectra.of(before, mask, after)
    assert found is not None
    assert found.pixels == mask.sum()
    assert found.mean == pytest.approx(before[mask].mean(axis=0))
    assert found.deviation == pytest.approx(before[mask].std(axis=0))
    assert found.after == pytest.approx(found.mean + 3)
    assert found.summary.startswith(f"{mask.sum()} pixels · mean off by RMS 3")
    before[:10] = 9999
    found = RegionSpectra.of(before, mask, None, 9999)
    assert found is not None
    assert found.mean == pytest.approx(before[10:][mask[10:]].mean(axis=0))
    assert found.after is None
    assert RegionSpectra.of(before, np.zeros((20, 30), bool)) is None

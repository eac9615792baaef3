import numpy as np
import pytest

from pcaimage.codec import Analysis, Preview
from pcaimage.errors import SettingsError
from pcaimage.insight.stack import Scatter, without_overlap
from pcaimage.sampling import Stack


@pytest.fixture
def preview():
    rng = np.random.default_rng(2)
    images = np.clip(rng.normal(128, 30, (40, 6, 5, 1)), 0, 255).astype(np.uint8)
    return Preview.of_analysis(Analysis.fit(images, Stack()))


def test_points_are_scores(preview):
    scatter = Scatter.of(preview, 2, 5)
    scores = preview.scores_at(0, 17)
    assert scatter.points[17].tolist() == pytest.approx([scores[1], scores[4]])
    assert scatter.groups[0][0] is None
    assert scatter.nearest(*scatter.points[17].tolist(), (1.0, 1.0), 1.0) == 17


def test_labels_group_the_images_and_what_does_not_fit_is_refused(preview):
    labels = np.arange(40) % 3 * 10
    scatter = Scatter.of(preview, 1, 2, labels)
    assert [label for label, _ in scatter.groups] == [0, 10, 20]
    assert scatter.groups[1][1].tolist() == list(range(1, 40, 3))
    assert scatter.places.tolist() == [number % 3 for number in range(40)]
    assert scatter.centres[2] == pytest.approx(np.median(scatter.points[2::3], axis=0))
    with pytest.raises(SettingsError, match="40 images"):
        Scatter.of(preview, 1, 2, labels[:3])
    with pytest.raises(SettingsError, match="no component 99"):
        Scatter.of(preview, 1, 99)


def test_nearest_is_by_what_is_seen():
    scatter = Scatter(1, 2, np.array([[0, 0], [100, 0], [0, 3]], np.float32))
    assert scatter.nearest(60, 0, (1.0, 1.0), 50) == 1
    assert scatter.nearest(60, 0, (0.01, 1.0), 50) == 1
    assert scatter.nearest(40, 2.9, (0.01, 10.0), 50) == 2
    assert scatter.nearest(60, 0, (1.0, 1.0), 30) is None


def test_pictures_do_not_cover_each_other():
    places = np.random.default_rng(0).uniform(0, 400, (3000, 2))
    chosen = without_overlap(places, 30, 1000, first=1234)
    assert chosen[0] == 1234
    assert 50 < len(chosen) <= (400 / 30 + 1) ** 2
    apart = np.abs(places[chosen][:, None] - places[chosen]).max(axis=2)
    assert apart[~np.eye(len(chosen), dtype=bool)].min() >= 30
    assert len(without_overlap(places, 30, 7)) == 7
    assert without_overlap(places[:0], 30, 7).size == 0

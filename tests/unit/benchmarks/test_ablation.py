import json

import pytest

from benchmarks.ablation import main
from benchmarks.comparison import Comparison
from benchmarks.curves import Curve, Point

SETTINGS = ((1, 0.1, 24.0), (2, 0.3, 28.0), (3, 1.0, 33.0), (4, 4.0, 41.0))


def results(path, factor, seconds, *, timed):
    named, times = ("PCA photo", "a.png"), (seconds, seconds)
    points = tuple(
        Point(*named, q, round(125_000 * factor * bpp), factor * bpp, db, db / 50, *times, db / 45)
        for q, bpp, db in SETTINGS
    )
    comparison = Comparison([Curve("PCA photo", "a.png", points)], ["PCA photo"])
    path.write_text(json.dumps(comparison.plain(timed=timed)), encoding="utf-8")
    return path


@pytest.mark.slow
def test_changes_and_times_are_those_against_the_first(tmp_path, capsys):
    before = results(tmp_path / "before.json", 1.0, 1.0, timed=True)
    after = results(tmp_path / "after.json", 0.9, 2.5, timed=True)
    assert main([str(before), str(after)]) == 0
    text = capsys.readouterr().out
    assert "-10.00 %" in text
    assert "MS-SSIM" in text
    assert "SSIMULACRA2" not in text
    assert "× 2.50" in text

"""The benchmark of many bands, on a small cube and without other codecs."""

import numpy as np
import pytest

from benchmarks import multiband
from benchmarks.multiband_rivals import Point


def cube():
    y, x, band = np.indices((24, 20, 7))
    noise = np.random.default_rng(0).integers(0, 30, y.shape)
    return (900 + 300 * np.sin(y / 5 + band) + 200 * np.cos(x / 4) + noise).astype(np.uint16)


def test_a_point_knows_its_largest_error_and_its_quality_by_the_largest_value():
    array = np.full((2, 2, 2), 100, np.uint16)
    point = Point.of(array, array + np.uint16(10), 4)
    assert (point.bits, point.error, point.psnr) == (4.0, 10.0, pytest.approx(20.0))


@pytest.mark.slow
def test_tables_are_printed_and_results_written(tmp_path, capsys):
    np.save(tmp_path / "cube.npy", cube())
    arguments = ["--cube", str(tmp_path / "cube.npy"), "--no-rivals", "--json", str(tmp_path / "out.json")]
    assert multiband.main(arguments) == 0
    printed = capsys.readouterr().out
    assert "PSNR at bits per sample" in printed
    assert "Every value within" in printed
    assert (tmp_path / "out.json").exists()


def test_a_cube_that_is_made_can_be_encoded_from_its_file(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(multiband, "SCALE_BANDS", 6)
    multiband.make_cube(tmp_path / "large.npy", 32)
    multiband.encode_mapped(tmp_path / "large.npy")
    took, size, memory = map(float, capsys.readouterr().out.split())
    assert took > 0
    assert 0 < size < 32 * 32 * 6
    assert memory > 1e7

"""The benchmark of whole commands: its processes, and its tables from costs that are made up."""

import json
import subprocess

import numpy as np
import pytest
from PIL import Image

from benchmarks import commands, multiband, photo_sizes
from benchmarks.command_costs import Command, Spent, environment, in_turns, spent
from benchmarks.commands import LIMITS, Report, Sized
from benchmarks.multiband_rivals import Point
from benchmarks.photo_memory import Footprint
from benchmarks.photo_speed import main
from benchmarks.photographs import made_photograph
from tests.smooth import spectra

FAST, SLOW = Spent(1.0, 1.5, 50e6), Spent(2.0, 3.0, 90e6)


def test_a_command_is_told_from_what_it_prints_and_one_that_fails_is_no_measurement():
    found, printed = spent(Command(("-c", "print('a'); print('b')")), environment())
    assert printed == "a\nb"
    assert 0 < found.cpu < 60
    assert 1e6 < found.memory < 1e9
    with pytest.raises(subprocess.CalledProcessError):
        spent(Command(("-c", "raise SystemExit(3)")), environment())


@pytest.mark.slow
def test_the_memory_is_that_of_the_command_alone():
    ballast = bytearray(400_000_000)
    ballast[::4096] = b"\1" * len(ballast[::4096])
    assert spent(Command(("-S", "-c", "pass")), environment())[0].memory < 2e8


@pytest.mark.slow
def test_times_from_inside_replace_those_of_the_process():
    found, _ = spent(Command(("-c", "print('loading'); print(1000, 2000)"), inner=True), environment())
    assert (found.wall, found.cpu) == (1000.0, 2000.0)


@pytest.mark.slow
def test_the_least_of_several_turns_counts(tmp_path):
    count = str(tmp_path / "count")
    script = f"file = open({count!r}, 'a+'); file.write('x'); n = file.tell(); print([9, 4, 7][n - 1], 5 + n)"
    found, printed = in_turns({"one": Command(("-c", script), inner=True)}, 3)["one"]
    assert (found.wall, found.cpu, printed) == (4.0, 6.0, "7 8")


def test_ratios_and_targets_are_of_what_was_measured():
    size = Sized(12.0, dict.fromkeys(LIMITS, SLOW), dict.fromkeys(LIMITS, FAST), 0.98, 0.01)
    report = Report("a photograph", [size], {"encode": FAST})
    reached = {target.name: target.reached for target in report.targets}
    assert not reached["encode --step, fast, 12 megapixels"]
    assert reached["encode --size, 12 megapixels"]
    assert reached["share of a size that is left over, 12 megapixels"]
    assert not reached["encode, 64 × 64"]
    assert reached["encode, 64 × 64, memory"]


@pytest.mark.slow
def test_tables_are_printed_and_written(tmp_path, capsys, monkeypatch):
    size = Sized(0.01, dict.fromkeys(LIMITS, SLOW), dict.fromkeys(LIMITS, FAST), 1.0, 0.0)
    monkeypatch.setattr(commands, "measure", lambda name, *_: Report(name, [size], {"encode": FAST}))
    monkeypatch.setattr(commands, "large_photograph", lambda _: ("made", made_photograph(16, 16)))
    assert commands.main(["--json", str(tmp_path / "out.json"), "--strict"]) == 1
    printed = capsys.readouterr().out
    assert all(word in printed for word in ("encode --psnr", "OpenJPEG", "2.00×", "miss"))
    assert json.loads((tmp_path / "out.json").read_text())["sizes"][0]["used"] == 1.0


HEIGHT, WIDTH = 96, 144


@pytest.fixture(scope="module")
def photograph():
    return made_photograph(HEIGHT, WIDTH)


@pytest.mark.slow
def test_all_tables_are_printed_and_written(tmp_path, photograph, capsys, monkeypatch):
    memory = Footprint(10**8, 2 * 10**9), Footprint(10**8, 10**9)
    monkeypatch.setattr(photo_sizes, "footprints", lambda *_: memory)
    image, result = tmp_path / "photograph.png", tmp_path / "result.json"
    Image.fromarray(photograph).save(image)
    command = ["--image", str(image), "--sizes", "0.006,0.012", "--runs", "1", "--json", str(result)]
    assert main([*command, "--strict"]) == 1
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("PCA photo", "JPEG 2000", "AVIF, speed 6", "Over sizes", "miss"))
    written = json.loads(result.read_text())
    assert [size["own"]["bpp"] for size in written["sizes"]] == pytest.approx([1.0, 1.0], rel=0.05)
    assert written["codecs"][1]["bpp"] == pytest.approx(written["codecs"][0]["bpp"], rel=0.05)


def test_a_point_knows_its_largest_error_and_its_quality_by_the_largest_value():
    array = np.full((2, 2, 2), 100, np.uint16)
    point = Point.of(array, array + np.uint16(10), 4)
    assert (point.bits, point.error, point.psnr) == (4.0, 10.0, pytest.approx(20.0))


@pytest.mark.slow
def test_tables_are_printed_and_results_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(multiband, "NOISY_SIDE", 32)
    np.save(tmp_path / "cube.npy", spectra(24, 20, 7, kind="uint16"))
    arguments = ["--cube", str(tmp_path / "cube.npy"), "--no-rivals", "--json", str(tmp_path / "out.json")]
    assert multiband.main(arguments) == 0
    printed = capsys.readouterr().out
    assert "PSNR at bits per sample" in printed
    assert "Every value within" in printed
    assert (tmp_path / "out.json").exists()


def test_a_cube_that_is_made_can_be_encoded_from_its_file(tmp_path, capsys):
    multiband.make_cube(tmp_path / "large.npy", 32, 6)
    multiband.encode_mapped(tmp_path / "large.npy")
    took, size, memory = map(float, capsys.readouterr().out.split())
    assert took > 0
    assert 0 < size < 32 * 32 * 6
    assert memory > 1e7

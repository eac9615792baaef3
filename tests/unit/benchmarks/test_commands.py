"""The benchmark of whole commands: its processes, and its tables from costs that are made up."""

import json
import subprocess

import pytest

from benchmarks import commands
from benchmarks.command_costs import Command, Spent, environment, in_turns, spent
from benchmarks.commands import LIMITS, Report, Sized
from benchmarks.photographs import made_photograph

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

"""Trials that end, stop or confuse a process are found, and their files kept."""

import subprocess

import pytest
import sanitize
from fuzzing import running

WORKER = """
import os, sys, time
kind, seed, start, step, stop, *rest = sys.argv[1:]
for number in range(int(start), int(stop), int(step)):
    print(number, flush=True)
    if number == {crashes}:
        print("ERROR: AddressSanitizer: heap-buffer-overflow", file=sys.stderr, flush=True)
        os.abort()
    if number == {fails}:
        print("!", number, "ValueError: what must not be", flush=True)
    if number == {hangs}:
        time.sleep(600)
print("end", flush=True)
"""


@pytest.fixture
def worker(tmp_path, monkeypatch):
    path = tmp_path / "worker.py"
    monkeypatch.setattr(running, "WORKER", path)
    monkeypatch.setattr(running, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(running, "ROOT", tmp_path)
    monkeypatch.setattr(running, "SILENCE", 3)
    return path


@pytest.mark.slow
def test_all_trials_are_made_and_what_goes_wrong_is_kept(worker, tmp_path):
    worker.write_text(WORKER.format(crashes=5, fails=8, hangs=-1), "utf-8")
    run = running.Run("mutations", 30, 1, tmp_path)
    run.make()
    assert run.done == 30
    assert sorted((each.number, each.words) for each in run.findings) == [
        (5, "The process ended with -6: ERROR: AddressSanitizer: heap-buffer-overflow"),
        (8, "ValueError: what must not be"),
    ]
    kept = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert kept == ["mutations-1-5.pcai", "mutations-1-5.txt", "mutations-1-8.pcai", "mutations-1-8.txt"]
    data, _ = running.trials.mutation_of(5, 1, running.trials.seeds(tmp_path))
    assert (tmp_path / "kept" / kept[0]).read_bytes() == data
    assert "heap-buffer-overflow" in (tmp_path / "kept" / kept[1]).read_text("utf-8")


@pytest.mark.slow
def test_a_trial_that_hangs_is_found_and_the_others_are_made(worker, tmp_path):
    worker.write_text(WORKER.format(crashes=-1, fails=-1, hangs=2), "utf-8")
    run = running.Run("golden", 6, 1, tmp_path)
    run.make()
    assert [(each.number, each.words) for each in run.findings] == [(2, "It hangs.")]
    assert run.done == 6


def test_a_process_that_does_not_start_is_found(worker, tmp_path):
    worker.write_text("raise SystemExit('no such module Error')", "utf-8")
    run = running.Run("golden", 1, 1, tmp_path)
    run.make()
    assert [each.words for each in run.findings] == ["The process ended with 1: no such module Error"]


@pytest.mark.parametrize("name", ["asan", "tsan"])
def test_a_missing_library_is_named_with_what_brings_it(name, monkeypatch):
    monkeypatch.setattr(sanitize.compile_core, "compiler", lambda: None)
    with pytest.raises(SystemExit, match=rf"lib{name} is missing; `sudo apt-get install gcc`"):
        sanitize.runtime(name)


@pytest.mark.parametrize(("code", "reports"), [(0, 0), (66, 1)])
def test_a_report_about_threads_is_counted_and_shown(code, reports, monkeypatch, capsys):
    def run(asked, **options):
        assert isinstance(options["env"], dict)
        assert "libtsan" in options["env"]["LD_PRELOAD"]
        return subprocess.CompletedProcess(asked, code, "7\n", "data race")

    monkeypatch.setattr(sanitize, "runtime", lambda name="asan": f"lib{name}.so")
    monkeypatch.setattr(sanitize, "compiled", lambda *_: None)
    monkeypatch.setattr(sanitize.subprocess, "run", run)
    assert sanitize.cold_threads(0, 1) == reports
    told = capsys.readouterr().out
    assert ("data race" in told) == bool(reports)
    assert told.endswith(f"threads: {0 if reports else 7} tried, {reports} reports\n")

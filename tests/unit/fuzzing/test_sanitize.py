"""What the sanitizers say is counted, and what they lack is named."""

import subprocess

import pytest
import sanitize


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

import atexit
import gc
import os
import shutil
import signal
import tempfile
from collections import Counter

import compile_core
import pytest
from hypothesis import settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["PCAIMAGE_LANGUAGE"] = "en"  # the tests read what is said

# Crash reports, notes of open windows, their sockets, and presets, of tests and of processes that they start.
_STATE = tempfile.mkdtemp(prefix="pcaimage-state-")
atexit.register(shutil.rmtree, _STATE, ignore_errors=True)
os.environ["XDG_STATE_HOME"] = os.environ["XDG_RUNTIME_DIR"] = os.environ["LOCALAPPDATA"] = _STATE
os.environ["XDG_CONFIG_HOME"] = os.environ["APPDATA"] = _STATE

# What runs in the background or by nohup ignores signals, and so would what tests start and end.
for _name, _handler in (
    ("SIGINT", signal.default_int_handler),
    ("SIGTERM", signal.SIG_DFL),
    ("SIGHUP", signal.SIG_DFL),  # Windows has no SIGHUP
):
    _number = getattr(signal, _name, None)
    if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)

# The name of this process among those that share the tests, such as gw1; empty if it runs them all.
_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")

# A busy machine is no failure: no test may depend on how long something takes.
settings.register_profile("pcaimage", deadline=None)
settings.load_profile("pcaimage")


def pytest_sessionstart():
    """Refuse a core of other sources, with which tests would crash."""
    if not _WORKER and not compile_core.is_current(compile_core.library()):
        pytest.exit("The core is not of these sources: run `make core`, or scripts/compile_core.py.", 4)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage among what the tests' import makes: that took half of the import's time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Have every other worker collect from the last folder on.

    The first time, pytest rewrites and compiles all files: so each worker finds half of them done by another.
    """
    report = yield
    if int(_WORKER[2:] or 0) % 2 and isinstance(collector, pytest.Directory):
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Give all workers the tests in one order, and mark the cases that only `make thorough` runs.

    Of a test that is marked with `sweep(step)`, `make test` runs every `step`-th case from the first on.
    """
    if _WORKER:
        items.sort(key=lambda item: item.nodeid.partition("::")[0])
    places = Counter[str]()
    for item in items:
        marker = item.get_closest_marker("sweep")
        if marker and not item.get_closest_marker("slow"):
            name = item.nodeid.partition("[")[0]
            if places[name] % marker.args[0]:
                item.add_marker(pytest.mark.slow)
            places[name] += 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown():
    """Collect garbage between tests only, as the window does: a worker thread must not free widgets."""
    try:
        return (yield)
    finally:
        counts, thresholds = gc.get_count(), gc.get_threshold()
        due = [number for number in range(3) if 0 < thresholds[number] < counts[number]]
        if due:
            gc.collect(due[-1])


@pytest.fixture
def own_reports(tmp_path, monkeypatch):
    """Keep crash reports in a folder of the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "state"))
    monkeypatch.setattr("pcaimage.machine.reports.written", {})

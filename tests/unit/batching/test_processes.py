import os
import signal
import sys
import time
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path

import pytest

import pcaimage
from pcaimage import Blocks, Settings
from pcaimage.batching import Processes, State
from pcaimage.batching.processes import WorkerError
from pcaimage.errors import Cancelled, ImageError
from pcaimage.machine.parallel import cores, use_cores

from .conftest import draw

NAME = ".pcaimage-batch.jsonl"


@pytest.fixture
def pool():
    with Processes(1) as executor:
        yield executor


def test_calls_go_to_one_process_until_it_ends_or_grows(pool, monkeypatch, tmp_path):
    first = pool.submit(os.getpid).result()
    assert first != os.getpid()
    assert pool.submit(os.getpid).result() == first
    assert pool.submit(cores).result() == 1
    with pytest.raises(FileNotFoundError):
        pool.submit(os.stat, tmp_path / "none").result()
    with pytest.raises(RuntimeError, match="cannot be sent"):
        pool.submit(open, os.devnull, "rb").result()
    # A call whose process is killed is tried in another one, and one that kills every process fails alone.
    with pytest.raises(WorkerError, match="ended twice"):
        pool.submit(os._exit, 3).result()
    second = pool.submit(os.getpid).result()
    assert second != first
    monkeypatch.setattr("pcaimage.batching.processes.MAX_BYTES", 0)
    # The next call may still go to the second process, or find it replaced; then each has its own.
    found = [pool.submit(os.getpid).result() for _ in range(3)]
    assert len(set(found)) == 3


def test_a_call_tells_how_far_it_is(pool):
    telling = "import time\nfrom pcaimage.batching.work import ask\ntime.sleep(0.3)\nask(3, 4)"
    future = pool.submit(exec, telling)
    assert future.result() is None
    assert future.done_share == 0.75
    assert pool.submit(os.getpid).result() != os.getpid()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_process_goes_on_after_a_call_that_fails(pool):
    others = _children()
    failing = pool.submit(os.kill, 0x7FFFFFF, 0)  # there is no process of such a number
    with pytest.raises(OSError, match="No such process"):
        failing.result()
    worker = pool.submit(os.getpid).result()
    assert _children() - others == {worker}


def _children():
    """Return the processes that this one has started and that are still there."""
    found = set[int]()
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[1]) == os.getpid():
                found.add(int(status.parent.name))
    return found


def test_stopping_ends_what_runs_and_cancels_what_waits():
    pool = Processes(1)
    runs, waits = pool.submit(signal.pause), pool.submit(os.getpid)
    while not runs.running():
        time.sleep(0.001)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pcaimage.batching.processes.PATIENCE", 0.0)
        pool.stop()
    with pytest.raises(Cancelled):
        runs.result()
    with pytest.raises(CancelledError):
        waits.result()
    with pytest.raises(RuntimeError, match="shut down"):
        pool.submit(os.getpid)


def test_a_process_uses_the_cores_that_it_is_given():
    before = cores()
    try:
        use_cores(1)
        assert cores() == 1
    finally:
        use_cores(before)


@pytest.mark.slow
def test_a_batch_in_processes_stops_where_its_caller_does(tmp_path, monkeypatch):
    for seed in range(6):
        draw(tmp_path / "in" / f"{seed}.png", seed)
    few, out = Settings(Blocks(8), k=3), tmp_path / "out"

    def stop(_result):
        with pytest.raises(ImageError, match="Another batch is writing"):
            pcaimage.batch(tmp_path / "in", out, few, resume=True)
        raise KeyboardInterrupt

    monkeypatch.setattr("pcaimage.batching.stores.PATIENCE", 0.0)

    with pytest.raises(KeyboardInterrupt):
        pcaimage.batch(tmp_path / "in", out, few, workers=1, on_result=stop)
    done = {path: path.stat().st_mtime_ns for path in out.glob("*.pcai")}
    assert 1 <= len(done) < 6
    assert {path.name for path in out.iterdir()} == {NAME, *(path.name for path in done)}
    report = pcaimage.batch(tmp_path / "in", out, few, workers=1, resume=True)
    assert report.count(State.KEPT) == len(done)
    assert report.count(State.MADE) == 6 - len(done)
    assert {path: path.stat().st_mtime_ns for path in done} == done

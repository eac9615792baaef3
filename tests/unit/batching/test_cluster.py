import os
import signal
import sys
import threading
import time
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

import pcaimage
from pcaimage import Blocks, Settings, container
from pcaimage.batching import Processes, State, train
from pcaimage.batching.processes import Cluster, ClusterError, WorkerError, cluster
from pcaimage.errors import Cancelled, ImageError
from pcaimage.machine.parallel import cores, use_cores
from tests.typed import typed

from .conftest import draw

FEW = Settings(Blocks(8), k=3)


def test_without_dask_a_sentence_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install pcaimage\[cluster\]"), cluster("tcp://localhost:1"):
        pass


class Silent(Executor):
    """Takes calls and never answers."""

    def submit(self, *_given, **_named):
        return Future()


def test_a_scheduler_that_is_lost_ends_the_batch(tmp_path):
    for seed in range(3):
        draw(tmp_path / "in" / f"{seed}.png", seed)
    executor = Cluster(Silent(), 2)
    threading.Timer(0.05, executor.lose).start()
    with pytest.raises(ClusterError, match="The scheduler of the cluster was lost"):
        pcaimage.batch(tmp_path / "in", tmp_path / "out", FEW, executor=executor, workers=1)
    with pytest.raises(ClusterError, match="lost"):
        train(tmp_path / "in", executor=executor)


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_loses_nothing_with_a_process(tmp_path, two_processes):
    for seed in range(12):
        draw(tmp_path / "in" / f"{seed}.png", seed, side=200)
    alone = pcaimage.batch(tmp_path / "in", tmp_path / "alone", Settings(step=8), workers=2)
    assert alone.count(State.MADE) == 12
    killed = list[int]()

    def kill(_result):
        if not killed:
            numbers = [each.pid for each in two_processes.workers.values()]
            os.kill(numbers[0], signal.SIGKILL)
            killed.append(numbers[0])

    with cluster(two_processes.scheduler_address) as executor:
        assert executor.threads == 2
        report = pcaimage.batch(
            tmp_path / "in", tmp_path / "out", Settings(step=8), executor=executor, on_result=kill
        )
    assert killed
    assert not report.failures
    assert len(report.results) == 12
    for seed in range(12):
        found, expected = ((tmp_path / name / f"{seed}.pcai").read_bytes() for name in ("out", "alone"))
        assert found == expected
    assert not [*(tmp_path / "out").glob("*.tmp")]


@pytest.mark.filterwarnings("ignore")
def test_a_basis_is_the_same_as_by_one_machine(tmp_path, two_processes):
    for seed in range(20):
        draw(tmp_path / "in" / f"{seed}.png", seed)
    with cluster(two_processes.scheduler_address) as executor:
        spread = train(tmp_path / "in", executor=executor).encoding(9)
    alone = train(tmp_path / "in", workers=1).encoding(9)
    assert container.write(spread.compressed) == container.write(alone.compressed)


@pytest.mark.filterwarnings("ignore")
def test_the_command_line_works_on_a_cluster(tmp_path, two_processes, monkeypatch):
    draw(tmp_path / "in/a.png")
    monkeypatch.chdir(tmp_path)
    words = ["batch", "in", "-o", "out", "--k", "3", "--scheduler", two_processes.scheduler_address]
    told = typed(*words)
    assert told.exit_code == 0, told.output
    assert told.stdout.splitlines()[-1].startswith("1 file: 1 made; ")
    assert (tmp_path / "out/a.pcai").exists()
    again = typed(*words, "--resume")
    assert "1 as before" in again.stdout
    url = typed("batch", f"file://{tmp_path}/in", "-o", f"file://{tmp_path}/url", *words[4:])
    assert url.exit_code == 0, url.output
    assert (tmp_path / "url/a.pcai").read_bytes() == (tmp_path / "out/a.pcai").read_bytes()
    both = typed(*words, "--workers", "2", "--overwrite")
    assert both.exit_code == 0, both.output


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_does_not_answer_is_told_of(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("pcaimage.batching.processes.SECONDS", 0.2)
    for address in ("tcp://127.0.0.1:1", "nonsense://a"):
        with pytest.raises(ClusterError, match="No scheduler answers"), cluster(address):
            pass


class Starting:
    """A cluster whose workers come one after the other, as often as it is asked."""

    def __init__(self, most):
        self.most, self.asked, self.status = most, 0, "running"

    def __call__(self, *_, **__):
        return self

    def nthreads(self):
        self.asked += 1
        return {f"worker {number}": 2 for number in range(min(self.asked - 1, self.most))}

    def get_executor(self, *, pure):
        assert not pure
        return ThreadPoolExecutor(1)

    def close(self):
        self.status = "closed"


@pytest.fixture
def starting(monkeypatch):
    def install(most):
        found = Starting(most)
        monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=found))
        monkeypatch.setattr("pcaimage.batching.processes.POLL", 0.0)
        return found

    return install


def test_workers_that_are_still_starting_are_waited_for(starting):
    starting(9)
    told = list[str]()
    with cluster("tcp://a:1", 3, told.append) as executor:
        assert executor.threads == 6
    assert told == ["The scheduler at tcp://a:1 has no workers; waiting up to 60 seconds for 3."]


def test_workers_that_do_not_come_are_told_of(starting, monkeypatch):
    monkeypatch.setattr("pcaimage.batching.processes.START_PATIENCE", 0.01)
    starting(1)
    with (
        pytest.raises(ClusterError, match="has 1 worker, not 3; `dask worker tcp://a:1`"),
        cluster("tcp://a:1", 3),
    ):
        pass
    starting(0)
    with pytest.raises(ClusterError, match="has no workers; `dask worker"), cluster("tcp://a:1"):
        pass


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

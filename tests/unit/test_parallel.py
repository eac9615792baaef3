import os
import subprocess
import sys
import threading

import pytest

from pcaimage.batching import processes
from pcaimage.machine import parallel
from pcaimage.machine.parallel import (
    available_cores,
    available_memory,
    cores,
    followed,
    in_order,
    in_parallel,
    side_by_side,
)


@pytest.mark.parametrize("length", [0, 1, 2, 7, 100])
@pytest.mark.parametrize("worth", [True, False])
def test_ranges_make_up_the_whole(length, *, worth):
    seen = []
    in_parallel(lambda start, stop: seen.extend(range(start, stop)), length, worth=worth)
    assert sorted(seen) == list(range(length))


def test_work_that_is_not_worth_it_stays_on_its_thread():
    threads = set()
    in_parallel(lambda _start, _stop: threads.add(threading.get_ident()), 100, worth=False)
    assert threads == {threading.get_ident()}


def test_an_error_in_a_range_reaches_the_caller():
    def fail(start, stop):
        raise ValueError(f"{start} {stop}")

    with pytest.raises(ValueError, match=r"0 "):
        in_parallel(fail, 100, worth=True)


@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_results_come_in_their_order(count):
    assert list(in_order(lambda number: number * number, count)) == [n * n for n in range(count)]


def test_little_is_done_ahead_of_what_is_taken():
    begun = []

    def work(number):
        begun.append(number)
        return number

    results = in_order(work, 10_000)
    assert next(results) == 0
    results.close()
    assert len(begun) < 100 + 3 * (os.cpu_count() or 1)


def test_an_error_comes_in_its_place():
    def work(number):
        if number == 3:
            raise ValueError("three")
        return number

    results = in_order(work, 1000)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(results)


@pytest.mark.parametrize("count", [0, 1, 2, 30])
def test_what_follows_has_the_results_before(count):
    seen = {}

    def then(number, results):
        seen[number] = list(results)

    assert followed(lambda number: number * number, then, count) == [n * n for n in range(count)]
    assert seen == {n: [(n - 1) ** 2, n * n] if n else [0] for n in range(count)}


@pytest.mark.parametrize("where", ["first", "then"])
def test_an_error_ends_what_was_to_follow(where):
    def first(number):
        if where == "first" and number == 3:
            raise ValueError("three")
        return number

    def then(number, _results):
        if where == "then" and number == 3:
            raise ValueError("three")

    with pytest.raises(ValueError, match="three"):
        followed(first, then, 200)


def test_nothing_more_begins_after_an_error():
    begun = []

    def work(number):
        begun.append(number)
        raise ValueError(number)

    with pytest.raises(ValueError, match=r"\d"):
        side_by_side(work, 1000)
    assert len(begun) <= cores()


def test_linear_algebra_takes_one_thread_unless_told_otherwise(monkeypatch):
    for name in parallel.BLAS_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    parallel.use_one_thread()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert os.environ["OMP_NUM_THREADS"] == "3"


@pytest.mark.slow
def test_the_program_decides_before_numpy_is_imported():
    code = "import sys, pcaimage.cli.main; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], timeout=120, check=True)


@pytest.fixture
def many_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: set(range(64)), raising=False)


def system(root, groups, **files):
    """Make the files of a system below a folder; two underscores stand for a slash, one for a full stop."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(groups)
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


INNER, OUTER = "sys__fs__cgroup__a__b__cpu_dot_max", "sys__fs__cgroup__a__cpu_dot_max"
QUOTA, PERIOD = (f"sys__fs__cgroup__cpu__cpu_dot_cfs_{name}_us" for name in ("quota", "period"))


@pytest.mark.usefixtures("many_cores")
@pytest.mark.parametrize(
    ("groups", "files", "cores"),
    [
        ("0::/\n", {"sys__fs__cgroup__cpu_dot_max": "150000 100000\n"}, 2),
        ("0::/a/b\n", {INNER: "max 100000\n", OUTER: "400000 100000\n"}, 4),
        ("4:cpu,cpuacct:/docker/x\n2:memory:/\n", {QUOTA: "50000", PERIOD: "100000"}, 1),
    ],
)
def test_the_smallest_quota_of_all_groups_of_a_container_counts(tmp_path, groups, files, cores):
    assert available_cores(system(tmp_path, groups, **files)) == cores


@pytest.mark.usefixtures("many_cores")
def test_without_quota_affinity_counts(tmp_path, monkeypatch):
    assert available_cores(system(tmp_path, "0::/\n", sys__fs__cgroup__cpu_dot_max="max 100000\n")) == 64
    assert available_cores(tmp_path / "none") == 64
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {3}, raising=False)
    assert available_cores(tmp_path / "none") == 1
    assert parallel.cores() == 1


def test_the_least_of_free_memory_counts(tmp_path):
    root = system(
        tmp_path,
        "0::/\n",
        proc__meminfo="MemTotal: 9000000 kB\nMemAvailable: 8000000 kB\n",
        sys__fs__cgroup__memory_dot_max="2000000000\n",
        sys__fs__cgroup__memory_dot_current="500000000\n",
    )
    assert available_memory(root) == 1_500_000_000
    (root / "sys/fs/cgroup/memory.max").write_text("max\n")
    assert available_memory(root) == 8_192_000_000
    assert available_memory(tmp_path / "none") is None


@pytest.mark.parametrize(("free", "count"), [(None, 8), (100, 1), (1_600_000_000, 3), (10**12, 8)])
def test_little_memory_means_few_processes(free, count, monkeypatch):
    monkeypatch.setattr(processes, "available_cores", lambda: 8)
    monkeypatch.setattr(processes, "available_memory", lambda: free)
    with processes.pool_of(None, None, 100) as (_, ahead):
        assert ahead == processes.AHEAD * count

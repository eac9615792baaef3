"""Cores and memory that a process may use, by affinity and control groups."""

import os

import pytest

from pcaimage.batching import processes
from pcaimage.machine import parallel
from pcaimage.machine.parallel import available_cores, available_memory


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

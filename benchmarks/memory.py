"""Peak memory of whole jobs, each in a process of its own.

``python -m benchmarks.memory JOB FILE`` runs one job and prints its peak in bytes, less the memory of the
interpreter and its libraries.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import pcaimage
from benchmarks.photographs import Bytes
from benchmarks.processes import printed_by
from pcaimage import Settings
from pcaimage.sampling import Blocks

_STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Peak:
    """The peak memory of a job.

    Parameters
    ----------
    n_bytes : int
        Peak bytes, including its input.
    ratio : float
        Relative to the raw image.
    """

    job: str
    n_bytes: int
    ratio: float


def resident_peak() -> int:
    """Return the peak memory of this process in bytes.

    On Linux, ``ru_maxrss`` includes what the *parent* had when it started the process, hence the other
    source.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource  # noqa: PLC0415 - Unix alone has it

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def peaks(array: Bytes, k: int) -> list[Peak]:
    """Measure encoding, decoding and the window; the decoded file has k components."""
    with tempfile.TemporaryDirectory() as folder:
        raw, coded = Path(folder, "image.npy"), Path(folder, "image.pcai")
        np.save(raw, array)
        pcaimage.save(coded, array, Settings(sampling=Blocks(8), k=k))
        return [
            _measured(f"encode, k = {k}", ["encode", str(raw), str(k)], array.nbytes),
            _measured("encode, k = 192", ["encode", str(raw), "192"], array.nbytes),
            _measured(f"decode, k = {k}", ["decode", str(coded), str(k)], array.nbytes),
            _measured("the window, opened", ["window", str(raw), "0"], array.nbytes),
            _measured("the window, opened and dragged to k = 192", ["window", str(raw), "192"], array.nbytes),
        ]


def _measured(name: str, arguments: list[str], raw: int) -> Peak:
    n_bytes = int(printed_by("benchmarks.memory", *arguments).split()[-1])
    return Peak(name, n_bytes, n_bytes / raw)


def _prepare(job: str, path: Path, k: int) -> Callable[[], object]:
    """Import the modules of a job, and run it once on a small image, before memory is measured."""
    small = np.random.default_rng(0).integers(0, 256, (64, 64, 3)).astype(np.uint8)
    data = pcaimage.encode(small, Settings(k=3))
    pcaimage.decode(data)
    if job == "encode":
        return lambda: pcaimage.encode(np.load(path), Settings(sampling=Blocks(8), k=k))
    if job == "decode":
        return lambda: pcaimage.open(path).decode()
    from benchmarks.driven import open_and_drag  # noqa: PLC0415 - Qt is for this job only

    open_and_drag(small, [1])
    return lambda: open_and_drag(np.load(path), [k] if k else [])


def main() -> None:
    """Run one job and print its peak."""
    job, path, k = sys.argv[1:4]
    work = _prepare(job, Path(path), int(k))
    before = resident_peak()
    work()
    print(resident_peak() - before)


if __name__ == "__main__":
    main()

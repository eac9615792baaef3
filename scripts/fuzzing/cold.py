"""A process whose threads begin to decode and encode at the same moment, with nothing loaded yet.

``cold.py SEED SECONDS LIBRARY`` opens golden files and encodes random images in :data:`THREADS` threads until
the time is over, compares what golden files give with what is recorded, and prints how many it opened.
LIBRARY replaces the core.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

THREADS = 4


def main() -> None:
    """Run the threads; a wrong result ends the process with an error."""
    seed, seconds, library = int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3])
    from pcaimage.core import library as core  # noqa: PLC0415 - the path is set before the codec asks for it

    core.path_of_library = lambda: library
    import pcaimage  # noqa: PLC0415 - as above
    from fuzzing import images, trials  # noqa: PLC0415 - as above
    from pcaimage.errors import DataError, SettingsError  # noqa: PLC0415 - as above
    from tests.golden import make  # noqa: PLC0415 - as above

    names = {path.stem for path in trials.golden_files()}
    every = [each for each in trials.seeds(Path("no folder")) if each.name in names]
    expected = json.loads(make.EXPECTED.read_text("utf-8"))
    together, end = threading.Barrier(THREADS), time.monotonic() + seconds

    def work(thread: int) -> int:
        chance, done = random.Random(f"{seed}/{thread}"), 0  # noqa: S311 - nothing is secret
        together.wait()
        while not done or time.monotonic() < end:
            if chance.random() < 0.2:
                array, settings = images.image(chance, 60)
                try:
                    pcaimage.decode(pcaimage.encode(array, settings))
                except (SettingsError, DataError):  # not every image suits every method
                    continue
            else:
                file = chance.choice(every)
                k, digest = chance.choice(list(expected[file.name]["pixels"].items()))
                if make.digest(pcaimage.decode(file.data, int(k), model=file.model)) != digest:
                    raise trials.WrongError(f"{file.name} decodes to other pixels beside other threads.")
            done += 1
        return done

    with ThreadPoolExecutor(THREADS) as pool:
        print(sum(pool.map(work, range(THREADS))))


if __name__ == "__main__":
    main()

"""Starts the program where it is packed with its Python, and is that Python for its own processes."""

import multiprocessing
import runpy
import sys

from pcaimage.cli.main import run


def start(words: list[str]) -> None:
    """Run the module or the code after ``-m`` or ``-c``, as Python does, or else the program."""
    while words[:1] == ["-P"]:
        words = words[1:]
    if words[:1] == ["-m"] and len(words) > 1:
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif words[:1] == ["-c"] and len(words) > 1:
        sys.argv = ["-c", *words[2:]]
        exec(words[1], {"__name__": "__main__"})  # noqa: S102 - the program's own
    else:
        run()


if __name__ == "__main__":
    multiprocessing.freeze_support()
    start(sys.argv[1:])

"""Runs the program in the process of a test, as one who types there."""

import io
import sys
from dataclasses import dataclass
from unittest.mock import patch

from pcaimage.cli import main


@dataclass(frozen=True)
class Result:
    """How a command ended, and what it wrote."""

    exit_code: int
    stdout_bytes: bytes
    stderr: str

    @property
    def stdout(self):
        return self.stdout_bytes.decode()

    @property
    def output(self):
        return self.stdout + self.stderr


def typed(*words, input=b""):  # noqa: A002 - as in `subprocess`
    """Run a command line without the program's name on the bytes or the text of standard input."""
    streams = [io.TextIOWrapper(io.BytesIO(), write_through=True) for _ in range(2)]
    given = io.TextIOWrapper(io.BytesIO(input.encode() if isinstance(input, str) else input))
    code = 0
    with patch.object(sys, "stdin", given), patch.multiple(sys, stdout=streams[0], stderr=streams[1]):
        try:
            main.call([str(word) for word in words])
        except SystemExit as end:
            code = end.code or 0
    out, said = (stream.buffer.getvalue() for stream in streams)
    return Result(code, out, said.decode())

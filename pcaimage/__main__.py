"""``python -m pcaimage``."""

from __future__ import annotations

from pcaimage.cli.main import run

if __name__ == "__main__":
    run()

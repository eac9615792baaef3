"""Reports: the results of a batch as figures, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pcaimage.batching.tasks import Result, State
from pcaimage.errors import ImageError, SettingsError
from pcaimage.imaging.disk.atomic import atomic_write_bytes, exists_error

FORMATS = (".csv", ".json")  # extensions of reports

_COLUMNS = ("source", "target", "state", "source_bytes", "target_bytes", "psnr", "seconds", "reason")


@dataclass
class Report:
    """The results of a batch, in order of completion."""

    results: list[Result] = field(default_factory=list)

    def count(self, state: State) -> int:
        """Return the number of results with a state."""
        return Counter(each.state for each in self.results)[state]

    @property
    def failures(self) -> list[Result]:
        """The results that failed."""
        return [each for each in self.results if each.state is State.FAILED]

    @property
    def source_bytes(self) -> int:
        """Total bytes of images whose outputs exist."""
        return sum(each.source_bytes or 0 for each in self.results if each.is_done)

    @property
    def target_bytes(self) -> int:
        """Total bytes of existing outputs."""
        return sum(each.target_bytes or 0 for each in self.results if each.is_done)

    @property
    def saving(self) -> float | None:
        """Share of bytes saved; negative if outputs are larger, None if there are none."""
        return 1 - self.target_bytes / self.source_bytes if self.source_bytes else None

    def values(self) -> dict[str, Any]:
        """Return totals and results as data for JSON, where an infinite PSNR is null."""
        return {
            "files": len(self.results),
            "made": self.count(State.MADE),
            "kept": self.count(State.KEPT),
            "not_smaller": self.count(State.NOT_SMALLER),
            "failed": self.count(State.FAILED),
            "source_bytes": self.source_bytes,
            "target_bytes": self.target_bytes,
            "saving": self.saving,
            "results": [
                each.values() | {"psnr": each.psnr if math.isfinite(each.psnr or 0) else None}
                for each in self.results
            ],
        }

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the report as a table of results (.csv), or with totals (.json).

        SettingsError if the path has another extension, ImageError if the file exists or cannot be written.
        """
        text = self._csv() if _ending(path) == ".csv" else json.dumps(self.values(), indent=2)

        atomic_write_bytes(path, text.encode(errors="replace"), overwrite=overwrite)

    def _csv(self) -> str:
        buffer = io.StringIO(newline="")
        table = csv.DictWriter(buffer, _COLUMNS)
        table.writeheader()
        table.writerows(each.values() for each in self.results)
        return buffer.getvalue()


def check_report(path: str | os.PathLike[str], *, overwrite: bool) -> None:
    """Refuse an invalid path of a report before the batch starts.

    SettingsError if the extension is not one of :data:`FORMATS`; ImageError if its folder is missing, or it
    exists and may not be replaced.
    """
    _ending(path)
    target = Path(path)
    if not target.parent.is_dir():
        raise ImageError(f"{target.name} cannot be saved: there is no folder {target.parent}.")
    if target.exists() and not (overwrite and target.is_file()):
        raise exists_error(target.name)


def _ending(path: str | os.PathLike[str]) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise SettingsError(f"{Path(path).name} must end in .csv or .json, the endings of reports.")
    return suffix

"""The progress of a queue of photographs, as one frozen value. No Qt here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from pcaimage.batching.tasks import Result, State

_FEW = 3.0  # seconds before which nothing is said of the time that is left


@dataclass(frozen=True)
class Tally:
    """The results of a queue's photographs, and the work that is being done, by their paths."""

    weights: Mapping[str, int]  # lengths of files, which tell the time that is left
    results: Mapping[str, Result] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)  # of the work on those that were begun, 0 to 1
    started: float = 0.0  # in seconds of any clock
    known: int = 0  # weight of what had been done before
    ended: bool = False  # whether nothing more is being done

    @property
    def count(self) -> int:
        """The number of photographs."""
        return len(self.weights)

    @property
    def done(self) -> int:
        """The number of photographs that are done, or failed."""
        return len(self.results)

    @cached_property
    def share(self) -> float:
        """The share of the work that is done, 0 to 1."""
        return self._made / max(1, self._weight(self.weights))

    @cached_property
    def _made(self) -> float:
        begun = self.shares.keys() - self.results.keys()
        return self._weight(self.results) + sum(self.shares[each] * self._weight([each]) for each in begun)

    @cached_property
    def failures(self) -> tuple[Result, ...]:
        """The photographs that failed."""
        return tuple(each for each in self.results.values() if each.state is State.FAILED)

    @cached_property
    def n_bytes(self) -> tuple[int, int]:
        """Bytes of the photographs whose files are there, and of these files."""
        there = [each for each in self.results.values() if each.is_done]
        return sum(each.source_bytes or 0 for each in there), sum(each.target_bytes or 0 for each in there)

    def seconds_left(self, now: float) -> float | None:
        """Return how long it will take from now on; None while that cannot be told."""
        made = self._made - self.known
        taken = now - self.started
        if self.ended or made <= 0 or taken < _FEW:
            return None
        return taken * (self._weight(self.weights) - self._made) / made

    def with_result(self, result: Result) -> Tally:
        """Return the tally with what became of a photograph; what was done before takes no time."""
        weight = max(1, self.weights.get(result.source, 1))
        before = weight if result.state is State.KEPT else 0
        return replace(
            self,
            results={**self.results, result.source: result},
            known=self.known + before,
        )

    def begun_again(self, now: float) -> Tally:
        """Return the tally of a queue that goes on with what failed, and what was not done."""
        done = {source: each for source, each in self.results.items() if each.state is not State.FAILED}
        return Tally(self.weights, done, started=now, known=self._weight(done))

    @property
    def lacking(self) -> tuple[str, ...]:
        """The photographs that are not done."""
        return tuple(source for source in self.weights if source not in self.results)

    def _weight(self, sources: Iterable[str]) -> int:
        return sum(max(1, self.weights.get(source, 1)) for source in sources)

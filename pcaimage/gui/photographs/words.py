"""How far a queue of photographs is, as one frozen value, and the words about them. No Qt here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pcaimage.batching.sharing import Portion
from pcaimage.batching.tasks import Result, State
from pcaimage.gui.photographs.roll import Photograph, Roll
from pcaimage.insight.formatting import file_size

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
        return replace(self, results={**self.results, result.source: result}, known=self.known + before)

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


_MINUTE, _HOUR = 60, 3600
_SEEN = ((88, "looks like the original"), (78, "very good"), (68, "good"), (50, "medium"), (0, "low"))
"""Visible qualities in words, each from a number on."""


def counted(count: int, noun: str = "photograph") -> str:
    """Return a number of things, such as ``12 photographs``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def saved_words(before: int, after: int) -> str:
    """Return what is saved, such as ``48.2 MB → 9.1 MB, 81 % smaller``; empty if nothing was made."""
    if not before:
        return ""
    change = round(100 * (after / before - 1))
    by = f"{abs(change)}\u00a0% {'smaller' if change <= 0 else 'larger'}"
    return f"{file_size(before)} → {file_size(after)}, {by}"


def outcome_words(result: Result) -> str:
    """Return what became of a photograph, in a few words or a sentence about its failure."""
    match result.state:
        case State.MADE:
            return "Done"
        case State.KEPT:
            return "Done before"
    return f"Failed: {result.reason}"


def estimate_words(portions: Sequence[Portion], photographs: int) -> str:
    """Return what files of photographs will take and how they will look, before they are made."""
    if not portions:
        return "Looking at the photographs…"
    sizes = sorted(round(each.n_bytes) for each in portions)
    least = min(each.visible for each in portions)
    seen = next(words for number, words in _SEEN if least >= number)
    parts = [f"≈\u00a0{file_size(sum(sizes) * photographs // len(sizes))}"]
    parts += [f"{file_size(sizes[0])} to {file_size(sizes[-1])} each"] if photographs > 1 else []
    parts += [f"{seen}, visible quality {least:.0f}"]
    parts += [f"judged by {len(sizes):,} of {counted(photographs)}"] if len(sizes) < photographs else []
    return " · ".join(parts)


def time_words(seconds: float) -> str:
    """Return how long something will take, such as ``about 2 min left``."""
    if seconds < _MINUTE:
        return f"about {max(5, 5 * round(seconds / 5))}\u00a0s left"
    if seconds < _HOUR:
        return f"about {round(seconds / _MINUTE)}\u00a0min left"
    hours, minutes = divmod(round(seconds / _MINUTE), 60)
    return f"about {hours}\u00a0h {minutes}\u00a0min left"


def roll_words(roll: Roll) -> tuple[str, str]:
    """Return how many photographs there are, and how many have their own settings, or else their size."""
    return counted(len(roll)), f"{len(roll.own):,} with own settings" if roll.own else file_size(roll.n_bytes)


def photograph_words(photograph: Photograph, row: int, count: int, result: Result | None) -> str:
    """Return what a screen reader says about a photograph."""
    parts = [photograph.name, f"{row + 1:,} of {count:,}"]
    parts += ["own settings"] if photograph.own is not None else []
    parts += [outcome_words(result)] if result is not None else []
    return ", ".join(parts)


def tip_words(photograph: Photograph, result: Result | None) -> str:
    """Return the tip of a photograph: its file, its size, its settings, and what became of it."""
    lines = [photograph.path, file_size(photograph.n_bytes)]
    lines += ["It has its own settings."] if photograph.own is not None else []
    if result is not None:
        change = saved_words(result.source_bytes or 0, result.target_bytes or 0) if result.is_done else ""
        lines.append(f"{outcome_words(result)}: {change}" if change else outcome_words(result))
    return "\n".join(lines)


def summary_words(tally: Tally) -> str:
    """Return how many photographs of a queue are done, or what came of all of them."""
    made = tally.done - len(tally.failures)
    if not tally.ended:
        return f"{tally.done:,} of {counted(tally.count)} done"
    if tally.lacking:
        return f"Stopped: {tally.done:,} of {counted(tally.count)} done"
    return "All photographs are done" if made == tally.count else f"{made:,} of {counted(tally.count)} done"


def progress_words(tally: Tally, seconds_left: float | None) -> str:
    """Return what a queue has saved, what failed, and how long it will take."""
    parts = [saved_words(*tally.n_bytes)]
    parts += [f"{len(tally.failures):,} failed"] if tally.failures else []
    if not tally.ended:
        parts += ["" if seconds_left is None else time_words(seconds_left)]
    return " · ".join(part for part in parts if part)

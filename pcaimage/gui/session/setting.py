"""The settings of a reconstruction, once its components are known. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """The settings that determine the reconstruction."""

    k: int
    step: float | None
    """The step that the user set; None where it follows from k."""
    left_out: frozenset[int] = frozenset()
    """Components, counted from 1, whose scores are taken for zero although they are among the first k."""
    tuned: float | None = None
    """The step at which a target is met exactly; it is forgotten when k moves."""
    lossless: bool = False
    """Whether the file also holds what the reconstruction lacks; it is forgotten when anything moves."""

    @property
    def chosen_step(self) -> float | None:
        """The step that does not follow from k, if there is one."""
        return self.step if self.tuned is None else self.tuned

"""The undo history. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pcaimage.gui.session.choice import Choice, Setting
from pcaimage.gui.session.goal import NO_GOAL, Goal

MOST = 200
"""The maximum number of steps that can be undone."""


@dataclass(frozen=True)
class Point:
    """Everything about a reconstruction that a user can set."""

    choice: Choice
    setting: Setting  # K, step, and the components left out
    goal: Goal = NO_GOAL  # the goal of the setting


@dataclass(frozen=True)
class History:
    """Points in the order in which they were set."""

    present: Point | None = None  # the present point; None before anything is fitted
    past: tuple[Point, ...] = ()  # the points to undo to, the newest last
    future: tuple[Point, ...] = ()  # the points to redo, the next one last

    def recorded(self, point: Point) -> History:
        """Return the history with a new present and nothing to redo; the same if it is the present."""
        if point == self.present:
            return self
        past = self.past if self.present is None else (*self.past, self.present)
        return History(point, past[-MOST:])

    def amended(self, point: Point) -> History:
        """Return the history with another present in place of this one."""
        return self if point == self.present else replace(self, present=point)

    def undone(self) -> History:
        """Return the history one step back."""
        if not self.past or self.present is None:
            return self
        return History(self.past[-1], self.past[:-1], (*self.future, self.present))

    def redone(self) -> History:
        """Return the history one step forward."""
        if not self.future or self.present is None:
            return self
        return History(self.future[-1], (*self.past, self.present), self.future[:-1])

"""The k that a drag or held keys have requested and not committed yet. No Qt here."""

from __future__ import annotations

from collections.abc import Callable


class PendingK:
    """Requests each new k while it is being chosen, and commits the last one when the choice ends.

    `request` is called with a k and with whether it is final; a final k was always requested before.
    """

    def __init__(self, request: Callable[[int, bool], object]) -> None:
        self._request = request
        self._k: int | None = None

    def or_else(self, shown: int) -> int:
        """Return the pending k; without one, the k that is shown."""
        return shown if self._k is None else self._k

    def choose(self, k: int, shown: int) -> None:
        """Request a k, unless it is pending, or shown while none is pending."""
        if k != self.or_else(shown):
            self._k = k
            self._request(k, False)

    def commit(self) -> None:
        """Commit the pending k, if there is one."""
        k, self._k = self._k, None
        if k is not None:
            self._request(k, True)

    def cancel(self) -> None:
        """Forget the pending k."""
        self._k = None

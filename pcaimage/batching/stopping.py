"""The event that stops a worker process; apart from the modules of the work, which are loaded later."""

from __future__ import annotations

import threading

stopped = threading.Event()
"""Set when the parent process has ended, or no longer wants results."""

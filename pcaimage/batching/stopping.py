"""Whether the work of this process is to stop: known before the modules that do it are loaded."""

from __future__ import annotations

import threading

stopped = threading.Event()
"""Set when the parent process has ended, or no longer wants results."""

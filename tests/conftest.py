from __future__ import annotations

import os

from hypothesis import settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# A busy machine is no failure: no test may depend on how long something takes.
settings.register_profile("pcaimage", deadline=None)
settings.load_profile("pcaimage")

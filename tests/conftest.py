from __future__ import annotations

from hypothesis import settings

# A busy machine is no failure: no test may depend on how long something takes.
settings.register_profile("pcaimage", deadline=None)
settings.load_profile("pcaimage")

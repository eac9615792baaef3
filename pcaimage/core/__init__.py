"""The compiled core: C without Python's headers, and :mod:`~pcaimage.core.library`, which loads it."""

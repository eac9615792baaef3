"""Plugins with which other libraries read and write ``.pcai``.

:mod:`pcaimage.plugins.pillow` registers the format with Pillow, and thereby with whatever opens images
through it.
"""

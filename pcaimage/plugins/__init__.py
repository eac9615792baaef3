"""Other libraries read and write ``.pcai`` through their own calls.

:mod:`pcaimage.plugins.pillow` teaches Pillow, and with it whatever opens images through Pillow.
"""

"""Training of the tables of the photo method: ``python -m training FOLDER --out FILE``.

The program comes with its tables, so only a checkout has this package. Training is deterministic: the same
images in the same order yield the same tables.
"""

"""Training of the tables of the photo method: ``python -m pcaimage.training FOLDER --out FILE``.

It is not needed to use the program, which comes with its tables. Training is deterministic: the same images
in the same order yield the same tables.
"""

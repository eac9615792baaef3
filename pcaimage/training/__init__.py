"""Training the tables of the photo method: ``python -m pcaimage.training FOLDER --out FILE``.

Not needed to use the program; the tables that it needs come with it. Given the same images in the same order,
the same tables come out.
"""

"""The method for images of many bands: PCA over the bands, and context coding of the score planes."""

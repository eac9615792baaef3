"""The tab of a pixel's spectrum over the bands."""

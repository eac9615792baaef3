"""Images of many bands: which are shown, the spectrum of a pixel, and the quality of each band."""

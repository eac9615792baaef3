"""The views of the original and its reconstruction: canvases, what is painted on them, and their control."""

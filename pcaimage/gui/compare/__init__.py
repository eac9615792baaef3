"""The views of the original and its reconstruction: canvases, their overlays, and their control."""

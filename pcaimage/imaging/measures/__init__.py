"""Differences between images, and what a screen shows of them."""

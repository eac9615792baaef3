"""Reconstructions for the screen, in milliseconds."""

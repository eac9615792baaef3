"""Lossless coding of what a reconstruction lacks."""

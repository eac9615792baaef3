"""Coding of quantised scores by context mixing."""

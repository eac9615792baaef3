"""Formats of animations."""

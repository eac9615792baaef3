"""The settings at the right."""

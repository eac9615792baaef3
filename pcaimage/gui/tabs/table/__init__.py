"""The table of components."""

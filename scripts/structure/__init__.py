"""Figures of the code: its size, imports, private reach-ins, and the path of a moved k."""

"""Figures of the code: its size, who imports whom, private reach-ins, and the way of a moved k."""

"""What work on pictures is called; work of one kind replaces what was asked of the same kind before."""

LEFT, RIGHT, DIFFERENCE, MAGNIFIED = "original", "picture", "difference", "magnified"
"""For the three views and the magnifier."""

PICTURES = frozenset({RIGHT, DIFFERENCE})
"""What follows every change of k."""

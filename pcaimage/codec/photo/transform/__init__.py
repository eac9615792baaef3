"""From pixels to scores and back: a cascade of orthonormal transforms."""

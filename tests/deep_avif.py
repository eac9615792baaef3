"""AVIF files of ten and twelve bits, coded without loss: ramps from 0 to the largest value."""

from pathlib import Path

PICTURES = Path(__file__).parent / "pictures"
COLOUR = (PICTURES / "colour.avif").read_bytes()
"""5 × 3 pixels of RGB, 10 bits."""
CLEAR = (PICTURES / "clear.avif").read_bytes()
"""4 × 2 pixels of grey with opacity, 12 bits."""

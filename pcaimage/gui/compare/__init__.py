"""The pictures, and the hand on them."""

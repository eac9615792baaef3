"""Writing, and what an image goes through before."""

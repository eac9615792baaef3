"""Tiles coded by prediction among pixels, for flat colours and sharp edges."""

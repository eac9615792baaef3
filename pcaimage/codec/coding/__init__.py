"""Machinery that several methods share: planes, entropy and range coders, rounding, averages."""

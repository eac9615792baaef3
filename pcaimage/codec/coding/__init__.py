"""Machinery that several methods share: entropy-coded planes, vectors, rounding, segments, averages."""

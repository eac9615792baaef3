"""Two tables whose components are published."""

from pathlib import Path

TUTORIAL = Path(__file__).with_name("tutorial.csv").read_text("utf-8")
"""L. I. Smith, "A tutorial on Principal Components Analysis", University of Otago, 2002."""

ARRESTS = Path(__file__).with_name("arrests.csv").read_text("utf-8")
"""Arrests by state, 1973 (McNeil 1977), as worked out in G. James, D. Witten, T. Hastie, R. Tibshirani, "An
Introduction to Statistical Learning", section 12.2 and its lab."""

"""Building blocks that several tabs share."""

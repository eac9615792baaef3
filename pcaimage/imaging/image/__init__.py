"""Images in memory: their values, bands, timing and limits."""

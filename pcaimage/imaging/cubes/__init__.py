"""Scientific formats: images of many bands, and arrays."""

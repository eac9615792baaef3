"""Other codecs: their files at a given size or quality."""

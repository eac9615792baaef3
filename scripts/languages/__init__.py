"""What the program says, found in its sources, and the catalogues of its translations."""

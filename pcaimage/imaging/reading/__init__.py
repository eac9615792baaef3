"""Reading: which format a file has, and what is read of it."""

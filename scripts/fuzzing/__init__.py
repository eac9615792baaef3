"""Structure-aware mutation of compressed files, and processes that open the results."""

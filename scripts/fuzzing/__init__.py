"""Structure-aware mutation of compressed files, and processes that try what becomes of them."""

"""The tabs below the pictures."""

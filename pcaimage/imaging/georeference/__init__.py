"""Where on the earth an image lies."""

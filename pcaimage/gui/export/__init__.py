"""The export sheet: the image for others, in their format, size and colours."""

"""Files of the disk: temporary ones, and those that appear whole or not at all."""

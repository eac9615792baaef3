"""What the program costs in time, memory and bytes, beside other codecs."""

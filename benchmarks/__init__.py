"""Benchmarks of time, memory and file size, beside other codecs."""

from pcaimage.blas import use_one_thread

# As in the program, and before NumPy is imported, so that the measurements are of what users get.
use_one_thread()

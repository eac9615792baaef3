"""Benchmarks of time, memory and file size, compared with other codecs."""

from pcaimage.machine.parallel import use_one_thread

# As in the program, before NumPy is imported, so that measurements match what users get.
use_one_thread()

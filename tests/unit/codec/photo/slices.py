"""Photos of a few slices, which the encoder makes of large ones only."""

from dataclasses import replace

from pcaimage.codec.photo.analysis import PhotoAnalysis


def sliced(array, slice_rows=4):
    analysis = PhotoAnalysis.fit(array)
    return replace(analysis, header=replace(analysis.header, slice_rows=slice_rows))

"""The linear method: samples are pixels of any number of bands, blocks of pixels, or images of a stack.

Encoding::

    image --Analysis--> components, scores --quantize--> IntegerModel --pack--> Compressed

Decoding goes back through ``unpack`` and ``IntegerModel.reconstruct``, in integer arithmetic alone. The mean,
vectors, scores and corrections are all planes of whole numbers, which one coder predicts and codes
(:mod:`~pcaimage.codec.linear.slices`).
"""

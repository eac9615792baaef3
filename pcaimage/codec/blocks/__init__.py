"""The method for blocks, channels and stacks: an image's own principal components, coded as planes.

Encoding::

    samples --Analysis--> components, scores --Quantizer--> IntegerModel --pack--> Compressed

Decoding goes back through ``unpack`` and ``IntegerModel.reconstruct``, in integer arithmetic alone. A basis
may also come from a model file: see :mod:`~pcaimage.codec.blocks.external_basis`.
"""

"""The method for images in blocks, channels or stacks: an image's own principal components, coded as planes.

The way through it::

    samples --Analysis--> components, scores --Quantizer--> IntegerModel --pack--> Compressed

and back through ``unpack`` and ``IntegerModel.reconstruct``, in integer arithmetic alone. A basis may also
come from a model file: see :mod:`~pcaimage.codec.blocks.external_basis`.
"""

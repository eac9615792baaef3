"""The photo method: a cascade of trained principal components, coded by context mixing.

Encoding::

    array --Cascade--> scores --quantize--> PhotoModel --pack--> Compressed --container--> bytes

Decoding goes back through ``unpack`` and ``PhotoModel.reconstruct``, in integer arithmetic alone.
"""

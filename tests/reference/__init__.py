"""A second implementation of the format, in plain Python, written from docs/format.md alone.

It shares no line with the program, decodes slowly, and is there to be read: ``container`` (chunks and
numbers), ``groups`` (segments), ``models`` (tables, range coder, adaptive models); then ``linear``, a whole
decoder of blocks, bands and stacks; and ``photo`` with its parts: ``slices`` of scores, ``means``,
``prediction`` and ``networks``, ``local_steps``, ``pixels``, ``shrinkage``, ``tiles`` and ``residual``.
"""

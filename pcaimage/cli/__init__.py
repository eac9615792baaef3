"""The command line: ``pcaimage encode``, ``decode``, ``info``, ``compare``, ``trim`` and ``gui``.

:mod:`~pcaimage.cli.commands` says what can be typed; each command does its work in a module of its own,
which is imported when the command is given, so that ``pcaimage --help`` answers at once.
"""

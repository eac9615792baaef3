"""The command line: the program ``pcaimage`` and its commands.

:mod:`~pcaimage.cli.commands` declares the commands. Each is implemented in a module of its own, which is
imported when the command runs, so that ``pcaimage --help`` is fast.
"""

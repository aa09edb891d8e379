"""SETTLE IN: install our server, skills and commands in the places of a host, and remove them.

A host's files belong to its user. All changes are computed first, for all files (``plan``), and only
then written (``files``), so that a file which cannot be parsed leaves every other one as it was. Nothing other than
our own entry changes by a byte, and files of other authors are never replaced.

Reading order: ``known`` (the hosts and their places), ``entries`` (our entries in their settings),
``jsonc`` and ``toml`` (editors of those), ``plan``, ``files``, ``inspection``.
"""

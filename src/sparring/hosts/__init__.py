"""SETTLE IN: put our server, skills and commands where a host looks for them, and take them out again.

A host's files belong to its user. What an installation changes is worked out first, for all files (``plan``), and only
then written (``files``), so that a file which cannot be understood leaves every other one as it was. Nothing besides
our own entry changes by a byte, and what somebody else made is never replaced.

Reading order: ``known`` (which hosts there are, and where they look), ``entries`` (what their settings say of us),
``jsonc`` and ``toml`` (how those are edited), ``plan``, ``files``, ``inspection``.
"""

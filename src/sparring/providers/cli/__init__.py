"""Command-line programs: one folder for each, and their shared code.

A program is its folder: ``provider.toml`` describes the call, ``output`` reads its output, ``confinement`` computes
what a call needs in addition so that the program only answers. Shared are ``consultant``, which asks one,
``confinement`` and ``output``; ``supervision``, which watches a program to its end; and ``process``, which
starts programs that need no supervisor, and exchanges lines with agents.
"""

"""Command-line programs: one folder for each, and what all of them share.

A program is its folder: ``provider.toml`` says how it is called, ``output`` what its output means, ``confinement`` what
has to be added to a call so that it answers and does nothing else. Shared are ``consultant``, which asks one,
``confinement`` and ``output``; ``supervision``, by which a program is seen to its end; and ``process``, which
starts what needs no supervisor, and talks with those that are talked with.
"""

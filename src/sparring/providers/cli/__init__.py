"""Command-line programs: one folder for each, and what all of them share.

A program is its folder: ``provider.toml`` says how it is called, ``output`` what its output means, ``confinement`` what
has to be added to a call so that it answers and does nothing else. Shared are ``consultant``, which asks one,
``command``, ``confinement`` and ``output``; and ``process``, the only place where children are started, with
``process_tree``, which finds all that they have started, and ``prompt_file``, what they read.
"""

"""SHOW: a run for people, as Markdown and on a terminal, and what is left of it for programs.

``markdown``, ``runs`` and ``verification`` are what everything is made of. On them stands a module for each kind of run
(``consultation``, ``debate`` and ``debate_outcome``, ``chaired_debate`` and ``chaired_debate_outcome``, ``fact_check``,
``jury``), and ``presentation``, which knows all kinds. ``progress`` tells of a run that has not ended; ``terminal`` and
``findings`` write on a terminal, ``listings`` are plain lines.
"""

"""REMEMBER: which state directory applies, and what is kept in it.

``hosts`` finds the directory, ``files`` touches the disk, ``lines`` and ``journal`` keep one run, ``history`` all of
them; ``debate_log`` is what agents and people follow of a chaired debate.
"""

"""REMEMBER: the choice of the state directory, and its contents.

``hosts`` finds the directory, ``files`` accesses the disk, ``lines`` and ``journal`` keep one run, ``history`` all of
them; ``debate_log`` is the log of a chaired debate for agents and people.
"""

"""Programs: how each is started, watched and ended.

``children`` starts a program and talks with it; ``supervision`` starts a consulted one through the ``supervisor``, a
small process of ours that holds its deadline and ends it with everything it has started (``tree``). ``call_folders``
are the private folders of such calls, ``workers`` are our own code in a process that can be ended, ``current`` asks
the system for what every process of ours needs. ``supervisor`` and ``tree`` use the standard library only: they are
started for every question, and each import is paid each time.
"""

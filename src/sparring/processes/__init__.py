"""Programs: how each is started, watched and ended.

``children`` starts a program and talks with it; ``supervision`` starts a consulted one through the ``supervisor``, a
small process of ours that holds its deadline and ends it with everything that it has started (``tree``); ``records``
are the files between the two. ``call_folders`` are the private folders of such calls, ``workers`` are our own code in a
process that can be ended, ``current`` and ``prctl`` ask the system for what every process of ours needs.
``supervisor``, ``records``, ``tree`` and ``prctl`` import next to nothing: they are loaded for every question.
"""

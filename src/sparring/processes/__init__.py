"""Programs: starting, watching and ending them.

``children`` starts a program and exchanges lines with it; ``supervision`` starts a consulted one through the
``supervisor``, a small process of ours that enforces its deadline and ends it with all of its descendants (``tree``);
``records`` are the files between the two. ``call_folders`` are the private folders of such calls, ``workers`` run our
code in a process that can be ended, ``current`` and ``prctl`` request services of the system for our own processes.
``supervisor``, ``records``, ``tree`` and ``prctl`` import next to nothing: they are loaded for every question.
"""

"""Safe reading of the project and the web, for rules and prompts.

``git``, ``working_tree``, ``changes`` and ``context`` read the project, ``term_index`` ranks its files, ``snapshot``
copies what a participant may read. ``fetching`` asks the web for pages; ``hypertext`` and ``pdf_program`` read them,
the latter in a process of its own, so that a PDF that takes for ever can be ended. ``citations``, ``sources`` and
``offline`` are consultants made of code on top of these.
"""

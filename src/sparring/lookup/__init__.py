"""Safe reading of the project and the web, for rules and prompts.

``git``, ``working_tree``, ``changes`` and ``context`` read the project, ``term_index`` ranks its files, ``snapshot``
copies the files that a participant may read. ``fetching`` fetches web pages; ``hypertext`` and ``pdf_program`` read
them, the latter in a separate process, so that an endless PDF can be ended. ``citations``, ``sources`` and
``offline`` are consultants made of code on top of these.
"""

"""Whoever looks things up for the rules: in the project, and on the web.

``citations`` and ``sources`` are consultants made of code. The one looks into the ``working_tree``; the other has pages
from ``fetching``, read by ``hypertext`` or by ``pdf_program``, which is started on its own, so that a PDF that would be
read for ever can be ended. ``context`` is what a question is given along: files, and what has changed.
"""

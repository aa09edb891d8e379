"""SHOW: shared parts of the reports of all formats, for people, as Markdown and on a terminal; it knows no format.

``markdown``, ``runs`` and ``verification`` are the common parts. ``progress`` shows a run that has not
ended; ``terminal`` and ``findings`` write on a terminal, ``listings`` are plain lines. The report of a format
is in ``report`` in its folder; ``sparring.formats.views`` finds it.
"""

"""SHOW: what the reports of all formats are made of, for people, as Markdown and on a terminal; it knows no format.

``markdown``, ``runs`` and ``verification`` are what everything is made of. ``progress`` tells of a run that has not
ended; ``terminal`` and ``findings`` write on a terminal, ``listings`` are plain lines. What a run of a format has to
say stands in ``report`` in the folder of the format; ``sparring.formats.reports`` finds it.
"""

"""A consultant made of code: fetches the pages that somebody cites, and looks for the quoted words in them.

To be read from ``fetching``, where a page may come from, by ``hypertext``, what a reader sees of it, to ``consultant``.
``pdf_program`` is started on its own, so that a PDF that would be read for ever can be ended.
"""

from sparring.providers.sources.consultant import SourceConsultant

__all__ = ["SourceConsultant"]

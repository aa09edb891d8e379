"""A consultant made of code: fetches the pages that somebody cites, and looks for the quoted words in them."""

from sparring.consult.sources.consultant import SourceConsultant

__all__ = ["SourceConsultant"]

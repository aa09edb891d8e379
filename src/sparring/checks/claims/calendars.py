"""A date as it is read, without what stands around it."""

from dataclasses import dataclass

_YEARS_OF_DECADE = 9
_YEARS_OF_CENTURY = 99


@dataclass(frozen=True)
class Calendar:
    """A date and its place, in tokens; what the text leaves out is None.

    Attributes:
        begin: Its first token; ``end`` is the one behind its last.
        last_year: Another year for a range such as 2003-04 or the 1980s.
    """

    begin: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    last_year: int | None = None


def century(begin: int, end: int, number: int) -> Calendar:
    """The years of a century, as most people count them: the 20th ends with 2000."""
    last_year = number * 100
    return Calendar(begin, end, last_year - _YEARS_OF_CENTURY, last_year=last_year)


def last_of_decade(year: int) -> int:
    """The last year of "the 1980s", or of "the 1900s", which are a century."""
    return year + (_YEARS_OF_CENTURY if year % 100 == 0 else _YEARS_OF_DECADE)

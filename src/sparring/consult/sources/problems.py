"""That there is no page to read, and why."""

from sparring.schema.sources import PageProblem


class NoPageError(Exception):
    """An address gave no page.

    Attributes:
        detail: Why, in a few words for people.
        passes: Whether the next attempt may well end otherwise, as with a network that is away.
    """

    def __init__(self, problem: PageProblem, detail: str, *, passes: bool = False) -> None:
        super().__init__(detail)
        self.problem = problem
        self.detail = detail
        self.passes = passes


def refused(detail: str) -> NoPageError:
    """The address may not be asked."""
    return NoPageError(PageProblem.REFUSED, detail)


def failed(detail: str) -> NoPageError:
    """It was asked, or nearly, and nothing that can be read came."""
    return NoPageError(PageProblem.FAILED, detail)


def absent(detail: str) -> NoPageError:
    """There was nobody to ask, this time."""
    return NoPageError(PageProblem.FAILED, detail, passes=True)

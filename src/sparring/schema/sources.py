"""Sources on the web: how they are named, and what came of looking them up."""

from enum import StrEnum

from pydantic import Field

from sparring.schema.base import Moment, Record

SOURCES_STEP = "chaired-debate/sources"
"""Names the check in a brief."""

MOST_SOURCES = 10
"""Most sources of one entry: more nobody looks up by hand."""


class Source(Record):
    """A page that somebody cites (specification: seed 003, Source Requirements).

    Attributes:
        accessed: ``YYYY-MM-DD``, as whoever cites it says.
        quote: The words of the page that carry the claim, verbatim. The specification has no such field; without it
            nobody can say whether the page carries anything.
    """

    url: str = Field(min_length=1, max_length=2_000)
    title: str = Field(default="", max_length=500)
    accessed: str = Field(default="", max_length=40)
    quote: str = Field(default="", max_length=2_000)


class SourceStatus(StrEnum):
    """What a source is worth (design: Chaired debate).

    VERIFIED: the page is there and holds the quoted words. UNRELIABLE: the page is there and does not hold them so, or
    nothing of it was quoted. FABRICATED: there is no such page, or it was read whole and has nothing to do with the
    quote. UNREACHABLE: nothing could be found out, which counts neither for nor against it.
    """

    VERIFIED = "verified"
    UNRELIABLE = "unreliable"
    FABRICATED = "fabricated"
    UNREACHABLE = "unreachable"


class SourceFinding(Record):
    """What came of looking up one source.

    Attributes:
        reason: Why, in a few words, e.g. ``there is no such page (404)``.
        found: The page's own words where the quote stands, or those most like it; empty when there are none.
        final_url: Where redirects led; empty when they led nowhere else.
        fetched_at: None when no page was had.
    """

    url: str
    quote: str = ""
    status: SourceStatus
    reason: str
    found: str = ""
    final_url: str = ""
    fetched_at: Moment | None = None


class SourceFindings(Record):
    """The finding for each source of a brief, in its order: the reply of the consultant that looks them up."""

    findings: tuple[SourceFinding, ...] = ()


class PageProblem(StrEnum):
    """Why there is no page to read.

    GONE: the server says that there is none. REFUSED: the address may not be asked. FAILED: anything else, e.g. no
    network, a time-out, a page behind a login.
    """

    GONE = "gone"
    REFUSED = "refused"
    FAILED = "failed"


class Page(Record):
    """A page as it was fetched.

    Attributes:
        text: What a reader sees of it; empty with a problem.
        is_whole: Whether all of it was read.
        problem: None when there is a text.
        detail: What the problem is, in a few words.
    """

    url: str
    final_url: str = ""
    title: str = ""
    text: str = ""
    is_whole: bool = True
    problem: PageProblem | None = None
    detail: str = ""
    fetched_at: Moment | None = None

"""Results of look-ups by code: quotes in texts, citations of a project, sources on the web."""

from enum import StrEnum
from typing import Self

from msgspec import Struct
from pydantic import Field, model_validator

from sparring.schema.base import Moment, Record


class TextSpan(Record):
    """A place in one text: ``text`` is exactly ``original[start:end]``."""

    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Span(TextSpan):
    """A place in one source: ``text`` is exactly ``evidence[index][start:end]``."""

    index: int = Field(ge=0)


class QuoteVerdict(StrEnum):
    """Verdict on a quote.

    VERBATIM: it is in the evidence. ALTERED: something like it does. NOT_FOUND: nothing like it does.
    """

    VERBATIM = "verbatim"
    ALTERED = "altered"
    NOT_FOUND = "not_found"


class Nearest(Record):
    """The place most like an altered quote; they differ in ``[-only in the quote-]``, ``{+only in the evidence+}``."""

    span: Span
    difference: str


class QuoteFinding(Record):
    """Finding on one quote.

    Attributes:
        span: Place of a verbatim quote; with an inner ellipsis from the first part to the last.
        parts: Each part of a verbatim quote; several where an ellipsis stands inside.
        nearest: The passage most like an altered quote. It is shown, and never decides.
    """

    verdict: QuoteVerdict
    span: Span | None = None
    parts: tuple[Span, ...] = ()
    nearest: Nearest | None = None

    @model_validator(mode="after")
    def _has_fields_of_verdict(self) -> Self:
        if (self.span is not None) != (self.verdict is QuoteVerdict.VERBATIM):
            raise ValueError("a verbatim quote, and no other, has a span")
        if (self.nearest is not None) != (self.verdict is QuoteVerdict.ALTERED):
            raise ValueError("an altered quote, and no other, has a nearest span")
        return self


CITATIONS_STEP = "consult/citations"
"""Names the check in a brief."""


class SourceKind(StrEnum):
    """Kind of a cited source."""

    PATH = "path"
    URL = "url"
    SYMBOL = "symbol"


class CitationStatus(StrEnum):
    """Status of a citation by the files.

    VERIFIED: it holds: the quoted words or code stand there, or the name is defined there. EXISTS: the file and the
    line are there, and nothing shows that they support it. Only VERIFIED counts as evidence.
    """

    VERIFIED = "verified"
    EXISTS = "exists"
    NOT_FOUND = "not_found"
    UNCHECKED = "unchecked"

    @property
    def exists(self) -> bool:
        """Return whether the cited place exists, with or without support for the claim."""
        return self in {CitationStatus.VERIFIED, CitationStatus.EXISTS}

    @property
    def counted(self) -> str:
        """Word behind a number of them."""
        return "existing" if self is CitationStatus.EXISTS else self.replace("_", " ")


class CitedPlace(Record):
    """The citation of a source by the answer of that number; ``line`` is None for the source as a whole."""

    answer: int = Field(ge=1)
    line: int | None = None
    end_line: int | None = None
    status: CitationStatus = CitationStatus.UNCHECKED


class CitedSource(Record):
    """A source with all participants that cite it, in the order of the answers."""

    kind: SourceKind
    name: str
    places: tuple[CitedPlace, ...]

    @property
    def answers(self) -> tuple[int, ...]:
        """The numbers of the answers that cite it."""
        return tuple(dict.fromkeys(place.answer for place in self.places))


class CitationTable(Record):
    """Citations of several answers: most shared sources first; ``left_out`` counts the rest."""

    sources: tuple[CitedSource, ...] = ()
    left_out: int = Field(default=0, ge=0)


LEDGER_STEP = "debate/ledger"
"""Name of the check in a brief, whose only speech is the one to check."""

MOST_ENTRIES = 200
"""Most citations of one speech that are looked up; further ones are counted only, for no reader gets that far."""


class CitationKind(StrEnum):
    """Kind of a citation.

    PATH: a file, with or without lines. EXHIBIT: an exhibit, likewise. SYMBOL: a name of the code.
    PATTERN: other code in backticks. COMMIT: a hash. URL: an address, which is not fetched. BENCHMARK: a measured
    number, which is not measured again.
    """

    PATH = "path"
    EXHIBIT = "exhibit"
    SYMBOL = "symbol"
    PATTERN = "pattern"
    COMMIT = "commit"
    URL = "url"
    BENCHMARK = "benchmark"


class LedgerEntry(TextSpan):
    """One citation at its place in the speech; ``reason`` is the reason for its status, in a few words."""

    kind: CitationKind
    status: CitationStatus
    reason: str


class CitationLedger(Record):
    """Citations of one speech in order; ``unsupported`` are the sentences that claim without citing."""

    entries: tuple[LedgerEntry, ...] = ()
    unsupported: tuple[TextSpan, ...] = ()
    left_out: int = Field(default=0, ge=0)

    def count(self, status: CitationStatus) -> int:
        """Count the different citations with that status: repeated ones count once."""
        return len({(entry.kind, entry.text) for entry in self.entries if entry.status is status})


PLACES_STEP = "review/places"
"""Name of the check in a brief, whose exhibits are quotes with their lines."""

SOURCES_STEP = "chaired-debate/sources"
"""Names the check in a brief."""

MOST_SOURCES = 10
"""Most sources of one entry: no reader looks up more by hand."""


class SourceStatus(StrEnum):
    """Status of a source (design: Chaired debate).

    VERIFIED: the page is there and holds the quoted words. UNRELIABLE: the page is there and does not hold them so, or
    nothing of it was quoted. FABRICATED: there is no such page, or it was read whole and has nothing to do with the
    quote. UNREACHABLE: nothing could be found out, which counts neither for nor against it.
    """

    VERIFIED = "verified"
    UNRELIABLE = "unreliable"
    FABRICATED = "fabricated"
    UNREACHABLE = "unreachable"


class SourceFinding(Record):
    """Result of looking up one source.

    Attributes:
        reason: The reason in a few words, e.g. ``there is no such page (404)``.
        page_words: The page's own words at the place of the quote, or those most like it; empty when there are none.
        final_url: The final address of redirects; empty without any.
        fetched_at: None when no page was fetched.
    """

    url: str
    quote: str = ""
    status: SourceStatus
    reason: str
    page_words: str = ""
    final_url: str = ""
    fetched_at: Moment | None = None


class SourceFindings(Record):
    """The finding for each source of a brief, in its order: the reply of the consultant that looks them up."""

    findings: tuple[SourceFinding, ...] = ()


class PageProblem(StrEnum):
    """Reason for which there is no page to read.

    GONE: the server answers that there is none. REFUSED: the address may not be fetched. FAILED: anything else, e.g. no
    network, a time-out, a page behind a login.
    """

    GONE = "gone"
    REFUSED = "refused"
    FAILED = "failed"


class Page(Record):
    """A page as it was fetched.

    Attributes:
        text: Its visible text; empty with a problem.
        is_whole: Whether all of it was read.
        problem: None when there is a text.
        detail: The problem in a few words.
    """

    url: str
    final_url: str = ""
    title: str = ""
    text: str = ""
    is_whole: bool = True
    problem: PageProblem | None = None
    detail: str = ""
    fetched_at: Moment | None = None


class CommitPresence(StrEnum):
    """Presence of a commit in a repository. In a part of a history (a shallow clone) one that is missing may be."""

    THERE = "there"
    MISSING = "missing"
    AMBIGUOUS = "ambiguous"
    PARTIAL_HISTORY = "partial_history"
    NO_REPOSITORY = "no_repository"


class FileRemoval(Struct, frozen=True):
    """Departure of a file from the working tree: the commit, shortened, and its path ``now``; empty: deleted."""

    commit: str
    now: str = ""

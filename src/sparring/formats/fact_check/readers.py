"""Second readings of quotes that code finds neither to support nor to contradict their part.

A second reader is shown part and quote only, not the agent that gave them nor its purpose. It is another agent, if
possible of another family; if all agents gave the same quote, it is one of them in a fresh session. Its answer counts
only with words that the quote contains. Nothing is read twice in a run.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct, field

from sparring.checks.quotes import Evidence
from sparring.engine.course import Attempt
from sparring.formats.fact_check.grounds import CitedQuote, EvidenceCheck, UndecidedQuote, shown
from sparring.formats.fact_check.replies import LONGEST_PASSAGE, MOST_READ, PartForm, ReadingForm, ReadingsForm
from sparring.schema import claims, consultation, fact_check
from sparring.text.tidying import one_line

NEEDED = {
    fact_check.PartStatus.COVERED: claims.Relation.CARRIES,
    fact_check.PartStatus.CONFLICT: claims.Relation.CONFLICTS,
}
"""Relation that a quote must have to its part for the status to count."""

FINDS = {
    claims.Relation.CARRIES: "says so",
    claims.Relation.CONFLICTS: "contradicts it",
    claims.Relation.OPEN: "says neither",
}
"""Words for the relation that a reader finds."""


class Readings(Struct):
    """Second readings of a run so far.

    Attributes:
        known: The readings, by quote.
        wanted: The quotes to be read next, with the agents that gave them.
        failures: Readers without a usable answer, each with the quotes and the cause.
    """

    known: dict[UndecidedQuote, fact_check.SecondReading] = field(
        default_factory=dict[UndecidedQuote, fact_check.SecondReading]
    )
    wanted: dict[UndecidedQuote, list[str]] = field(default_factory=dict[UndecidedQuote, list[str]])
    failures: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def of(self, quote: UndecidedQuote, giver: str) -> fact_check.SecondReading | None:
        """Return the reading of ``quote``; None if it is not known yet, and then it is requested."""
        if quote not in self.known:
            givers = self.wanted.setdefault(quote, [])
            if giver not in givers:
                givers.append(giver)
        return self.known.get(quote)

    def take(
        self, reader: str, quotes: Sequence[UndecidedQuote], round_: int, attempts: Sequence[Attempt[ReadingsForm]]
    ) -> None:
        """Record the readings of ``quotes`` by ``reader``; a quote without one stays open, with the cause."""
        usable = [attempt.value for attempt in attempts if attempt.value]
        readings = usable[-1] if usable else None
        problem = "" if readings else one_line(attempts[-1].cause, consultation.DETAIL_LIMIT)
        if problem:
            failure = f"{_counted(len(quotes))} in round {round_}, without another reader: {problem.rstrip('.')}."
            self.failures.append((reader, failure))
        for number, quote in enumerate(quotes, start=1):
            givers = tuple(self.wanted.pop(quote))
            self.known[quote] = _second(reader, givers, quote, readings.of(number) if readings else None, problem)

    def leave(self, reader: str, quotes: Iterable[UndecidedQuote]) -> None:
        """Leave open the quotes beyond the number that a reader is shown."""
        for quote in quotes:
            why = f"more than {MOST_READ} quotes were open"
            self.known[quote] = _open(reader, tuple(self.wanted.pop(quote)), why)


class QuoteRelation(Struct, frozen=True):
    """Relation of a quote to a part: by code, or by a second reader; ``unread`` is why none was asked."""

    by_code: claims.Relation
    reading: fact_check.SecondReading | None = None
    unread: str = ""

    @property
    def relation(self) -> claims.Relation:
        """Relation that counts."""
        return self.reading.says if self.reading else self.by_code

    @property
    def why_open(self) -> str:
        """Reason why the relation is open, or why agent and reader disagree."""
        if self.unread or self.reading is None:
            return self.unread
        if self.reading.problem:
            return f"{self.reading.by} was to read it as well: {self.reading.problem}."
        return f"{self.reading.by}, who read both alone, finds that the quote {FINDS[self.reading.says]}."


class SupportCheck:
    """Relations between the quotes of one agent and parts of the claim."""

    def __init__(self, grounds: EvidenceCheck, readings: Readings, name: str) -> None:
        self.grounds = grounds
        self._readings = readings
        self._name = name

    def of(self, part: str, cited: CitedQuote, wanted: fact_check.PartStatus) -> QuoteRelation:
        """Return the relation of ``cited``, which the evidence contains, to ``part``.

        A second reader is asked if code leaves it open. A reader is also asked if code disagrees with the agent; if the
        reader sides with the agent, a further reading with both views decides.
        """
        by_code = self.grounds.relation(cited, part)
        if by_code is NEEDED[wanted]:
            return QuoteRelation(by_code)
        if by_code is not claims.Relation.OPEN:
            view = self.grounds.opposite(cited, part) or f"The quote {FINDS[by_code]}."
            against = self._against_code(part, cited, view, {NEEDED[wanted]})
            return QuoteRelation(by_code, against)
        foreign = self.grounds.whole.foreign_words(part)
        if foreign:
            return QuoteRelation(
                by_code, unread=f"The part has words that the claim has not: {', '.join(foreign[:5])}."
            )
        passage = self.grounds.passage(cited.finding)
        if len(passage) > LONGEST_PASSAGE:
            return QuoteRelation(by_code, unread=f"With its sentence it has more than {LONGEST_PASSAGE:,} characters.")
        return QuoteRelation(by_code, self._readings.of(UndecidedQuote(part, passage), self._name))

    def contradiction(self, cited: CitedQuote) -> str:
        """Return why ``cited`` speaks against the whole claim by code; empty if a reader has twice found otherwise."""
        why = self.grounds.contradiction(cited)
        if not why:
            return ""
        against = self._against_code(self.grounds.claim, cited, why, {claims.Relation.OPEN, claims.Relation.CARRIES})
        return "" if against else why

    def _against_code(
        self, part: str, cited: CitedQuote, view: str, relations: Collection[claims.Relation]
    ) -> fact_check.SecondReading | None:
        """Return the second of two readings that find one of ``relations`` and contradict code; else None."""
        passage = self.grounds.passage(cited.finding)
        if len(passage) > LONGEST_PASSAGE or self.grounds.whole.foreign_words(part):
            return None
        first = self._readings.of(UndecidedQuote(part, passage), self._name)
        if first is None or first.problem or first.says not in relations:
            return None
        # Only now is the second reading asked for, in which the reader is shown the view of code as well.
        second = self._readings.of(UndecidedQuote(part, passage, view), self._name)
        if second is None or second.problem or second.says not in relations:
            return None
        return second

    def fault(self, stated: PartForm, cited: CitedQuote, related: QuoteRelation) -> fact_check.FaultFinding | None:
        """Return why the quote does not justify the status of the part; None if it does."""
        if related.relation is NEEDED[stated.status]:
            return None
        if related.by_code is claims.Relation.CONFLICTS:
            why = f"{shown(stated.part)} is called COVERED by a quote that says otherwise. "
            opposite = self.grounds.opposite(cited, stated.part)
            return fact_check.FaultFinding(
                fault=fact_check.Fault.CONTRADICTED_PART, why=f"{why}{opposite}".strip(), quote=cited.quote
            )
        if related.by_code is claims.Relation.CARRIES:
            why = f"{shown(stated.part)} is called a CONFLICT, and its quote says the same."
            return fact_check.FaultFinding(fault=fact_check.Fault.AGREEING_QUOTE, why=why, quote=cited.quote)
        why = f"Code cannot show that {shown(stated.part)} is {stated.status} by its quote. {related.why_open}"
        return fact_check.FaultFinding(fault=fact_check.Fault.OPEN_QUOTE, why=why.strip(), quote=cited.quote)


def assigned(
    wanted: Mapping[UndecidedQuote, Sequence[str]], families: Mapping[str, str]
) -> dict[str, list[UndecidedQuote]]:
    """Assign quotes to readers of ``families``: not the giver, of another family, the least loaded first."""
    quotes_by_reader: dict[str, list[UndecidedQuote]] = {name: [] for name in families}
    for quote, givers in wanted.items():
        # If all agents gave it, one of them reads it in a fresh session.
        candidates = [name for name in families if name not in givers] or [*families]
        families_of_givers = {families[giver] for giver in givers}
        of_other_family = [name for name in candidates if families[name] not in families_of_givers]
        reader = min(of_other_family or candidates, key=lambda name: len(quotes_by_reader[name]))
        quotes_by_reader[reader].append(quote)
    return {name: quotes for name, quotes in quotes_by_reader.items() if quotes}


def _second(
    by: str, givers: tuple[str, ...], quote: UndecidedQuote, reading: ReadingForm | None, problem: str
) -> fact_check.SecondReading:
    if reading is None:
        return _open(by, givers, problem or "it gave no answer for this one")
    if reading.relation is not claims.Relation.OPEN and not Evidence([quote.passage]).locate(reading.quote or ""):
        return _open(by, givers, "the words that it names are not in the quote", reading.quote)
    return fact_check.SecondReading(by=by, other_givers=givers, says=reading.relation, words=reading.quote)


def _open(by: str, givers: tuple[str, ...], why: str, words: str | None = None) -> fact_check.SecondReading:
    return fact_check.SecondReading(by=by, other_givers=givers, says=claims.Relation.OPEN, words=words, problem=why)


def _counted(count: int) -> str:
    return "1 quote" if count == 1 else f"{count} quotes"

"""Rows and texts that are checked by code alone (``sparring verify``)."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio.to_thread
from msgspec import Struct
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sparring.app.application import App
from sparring.checks.citations import check_ledger
from sparring.checks.claims import ClaimEvidence, check_claim, check_support
from sparring.checks.quotes import Evidence
from sparring.errors import UsageError
from sparring.lookup.working_tree import look_at
from sparring.participants.options import EVIDENCE_KIB
from sparring.participants.seats import Material
from sparring.processes.workers import run_pure
from sparring.schema import verification
from sparring.schema.base import REPLY_TEXT_LIMIT
from sparring.schema.claims import Carried, Finding, Label, Relation, Status
from sparring.schema.lookups import CitationLedger, CitationStatus, Nearest, QuoteFinding, QuoteVerdict, Span, TextSpan
from sparring.text.prose import Prose, quotations, sentences, sentences_around
from sparring.text.redaction import Redacted
from sparring.text.tables import DoubledKeyError, unambiguous
from sparring.text.tidying import capitalized, is_encodable, one_line

R = TypeVar("R", bound=verification.NamedRow)

_REASON_SHOWN = 200
# Every row is exactly one line, whatever the parser calls it.
_LINE_OF_PARSER = re.compile(r" line 1 column ")
_PROBLEMS = {
    "json_invalid": verification.RowProblem.NOT_JSON,
    "model_type": verification.RowProblem.NOT_AN_OBJECT,
}
_KNOWN = {problem.value: problem for problem in verification.RowProblem}


def read_row(line: int, content: bytes, kind: type[R]) -> R | verification.RefusedRow:
    """Return the row in ``content``, which is that line of its file; or why it cannot be checked."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return refused_row(line, verification.RowProblem.NOT_TEXT, "The line is not UTF-8 text.")
    try:
        json.loads(content, object_pairs_hook=unambiguous)
    except DoubledKeyError as error:
        return refused_row(line, verification.RowProblem.DOUBLED_KEY, f"{capitalized(str(error))}.")
    except (ValueError, RecursionError):
        pass  # invalid JSON is refused below, with its position
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        problem = _problem(fault)
        return refused_row(line, problem, _sentence(problem, fault), row_id=_id_of(content))


def refused_row(
    line: int, problem: verification.RowProblem, message: str, *, row_id: verification.RowId = None
) -> verification.RefusedRow:
    """Return the record of a row that cannot be answered."""
    return verification.RefusedRow(line=line, id=row_id, error=verification.RowError(code=problem, message=message))


def answer_claim(row: verification.ClaimRow) -> verification.ClaimAnswer:
    """Check one claim against its evidence."""
    check = check_claim(row.claim, row.evidence)
    return verification.ClaimAnswer(id=row.id, label=check.label, hints=check.hints, findings=check.findings)


def quote_answers() -> Callable[[verification.QuoteRow], verification.QuoteAnswer]:
    """Return a function that locates quotes in their evidence."""
    finder = _Finder()

    def answer(row: verification.QuoteRow) -> verification.QuoteAnswer:
        finding = finder.of(row).find(row.quote)
        place = finding.span
        return verification.QuoteAnswer(
            id=row.id,
            verdict=finding.verdict,
            index=place.index if place else None,
            start=place.start if place else None,
            end=place.end if place else None,
            nearest=finding.nearest,
        )

    return answer


def carries_answers() -> Callable[[verification.CarriesRow], verification.CarriesAnswer]:
    """Return a function that decides whether a quote supports a part, by the quote and by its sentence."""
    finder = _Finder()

    def answer(row: verification.CarriesRow) -> verification.CarriesAnswer:
        finding = _Quoted(row.quote, finder.of(row).find(row.quote), row.evidence).compared_with(row.part)
        relation = finding.carried or Carried(relation=Relation.OPEN)
        return verification.CarriesAnswer(
            id=row.id, relation=relation.relation, hints=relation.hints, verdict=finding.verdict
        )

    return answer


class _Finder:
    """Locates quotes; evidence that is the same in successive rows is prepared once."""

    def __init__(self) -> None:
        self._sources: tuple[str, ...] = ()
        self._evidence = Evidence(())

    def of(self, row: verification.QuoteRow) -> Evidence:
        if row.evidence != self._sources:
            self._sources, self._evidence = row.evidence, Evidence(row.evidence)
        return self._evidence


def _problem(fault: ErrorDetails) -> verification.RowProblem:
    """Return the kind of a fault that pydantic has reported; some of ours carry its name as their type."""
    kind = fault["type"]
    return _KNOWN.get(kind) or _PROBLEMS.get(kind, verification.RowProblem.WRONG_TYPE)


def _sentence(problem: verification.RowProblem, fault: ErrorDetails) -> str:
    match problem:
        case verification.RowProblem.NOT_JSON:
            reason = _LINE_OF_PARSER.sub(" column ", str(fault.get("ctx", {}).get("error", "")))
            return f"The line is not JSON: {one_line(reason, _REASON_SHOWN)}."
        case verification.RowProblem.NOT_AN_OBJECT:
            return "The line is not a JSON object."
        case _:
            field = ".".join(str(part) for part in fault["loc"])
            return f"{field} {_fault_text(problem, fault)}.".lstrip()


def _fault_text(problem: verification.RowProblem, fault: ErrorDetails) -> str:
    if problem is verification.RowProblem.MISSING:
        return "is missing"
    return fault["msg"] if fault["type"] == problem.value else "must be a text"


def _id_of(content: bytes) -> verification.RowId:
    """Return the id of a row that cannot be checked, if it is legible."""
    try:
        return verification.NamedRow.model_validate_json(content).id
    except ValidationError:
        return None


MOST_QUOTES = 100
_NOTHING = verification.Verified(claim="", check=None, quotes=(), evidence=(), redactions=0)


class VerifyRequest(Struct, frozen=True):
    """Input of a verification: a claim, quotes, and a text with citations of the project."""

    claim: str
    quotes: tuple[str, ...]
    evidence: tuple[str, ...]
    text: str = ""


async def verify(request: VerifyRequest, app: App) -> verification.Verified:
    """Verify claim and quotes against the evidence, and citations of the text against the project.

    Raises:
        UsageError: There is nothing to verify, too much of it, or the evidence cannot be used.
        WorkerEndedError: It exceeds the time limit; there are no partial results.
    """
    _refuse_unusable(request)
    has_claims = any(text.strip() for text in (request.claim, *request.quotes))
    result = await _compared_with_evidence(request, app) if has_claims else _NOTHING
    if not request.text.strip():
        return result
    text = app.roster.redactor.redact(request.text)
    cited = await look_up(text.text, app.place.project, app.settings.environment)
    return result.model_copy(update={"cited": cited.ledger, "redactions": result.redactions + text.count})


_SHORT = 32 << 10
"""Characters; more input is checked in a worker, since each number in it takes some 100 µs."""


async def _compared_with_evidence(request: VerifyRequest, app: App) -> verification.Verified:
    redacted = await anyio.to_thread.run_sync(_redacted, request, app, abandon_on_cancel=True)
    texts = [redacted.claim.text]
    texts += [quote.text for quote in redacted.quotes]
    texts += [part.text for part in redacted.material.parts]
    return await run_pure(_verified, redacted, texts=tuple(texts), short=_SHORT)


class _RedactedInput(Struct, frozen=True):
    """Input of a verification and its evidence, without secrets."""

    claim: Redacted
    quotes: Sequence[Redacted]
    material: Material


def _redacted(request: VerifyRequest, app: App) -> _RedactedInput:
    redactor = app.roster.redactor
    return _RedactedInput(
        material=app.project_context().evidence(request.evidence, (), EVIDENCE_KIB, secrets_allowed=False),
        claim=redactor.redact(request.claim),
        quotes=[redactor.redact(quote) for quote in request.quotes],
    )


def _verified(redacted: _RedactedInput) -> verification.Verified:
    claim, material = redacted.claim, redacted.material
    sources = [part.text for part in material.parts]
    evidence = Evidence(sources if redacted.quotes else ())  # which takes time for long sources
    quotes: list[verification.VerifiedQuote] = []
    redactions = claim.count + material.redactions
    for quote in redacted.quotes:
        located = _Quoted(quote.text, evidence.find(quote.text), sources)
        quotes.append(located.compared_with(claim.text))
        redactions += quote.count
    return verification.Verified(
        claim=claim.text,
        check=check_claim(claim.text, sources) if claim.text.strip() else None,
        quotes=tuple(quotes),
        evidence=material.parts,
        redactions=redactions,
    )


class _Quoted:
    """A quote, its result, and the sentences around it if it is verbatim."""

    def __init__(self, quote: str, finding: QuoteFinding, sources: Sequence[str]) -> None:
        self._quote, self._finding = quote, finding
        place = finding.span
        self.around = sentences_around(sources[place.index], place.start, place.end) if place else ""

    def compared_with(self, claim: str) -> verification.VerifiedQuote:
        """Return the result with the relation to the claim, if there is one."""
        is_comparable = bool(claim.strip() and self._finding.span)
        relation = check_support(claim, self._quote, self.around) if is_comparable else None
        return verification.VerifiedQuote(quote=self._quote, carried=relation, **dict(self._finding))


def _refuse_unusable(request: VerifyRequest) -> None:
    texts = [text for text in (request.claim, *request.quotes) if text.strip()]
    if not texts and not request.text.strip():
        raise UsageError("There is nothing to verify.", hint="Give a claim, quotes, or a text that cites the project.")
    if not all(is_encodable(text) and "\0" not in text for text in (*texts, request.text)):
        raise UsageError("A claim, quote or text must be UTF-8 text without NUL characters.")
    if len(request.text) > verification.TEXT_LIMIT:
        raise UsageError(f"The text may have {verification.TEXT_LIMIT:,} characters.", hint="Give it in parts.")
    if len(request.quotes) > MOST_QUOTES:
        raise UsageError(f"{len(request.quotes):,} quotes are too many; {MOST_QUOTES} can be verified at once.")
    if any(len(text) > REPLY_TEXT_LIMIT for text in texts):
        raise UsageError(
            f"A claim or quote may have {REPLY_TEXT_LIMIT:,} characters.", hint="A document goes into evidence."
        )


_PORTION = 6_000
"""Characters of a portion; about two pages."""


class NamedText(Struct, frozen=True):
    """A text and its name for people."""

    name: str
    text: str


class RepositoryLedger(Struct, frozen=True):
    """Citations of a text, looked up in a repository."""

    repository: Path
    ledger: CitationLedger


_GIT_TIMEOUT_S = 30.0


async def look_up(text: str, repository: Path, environment: Mapping[str, str]) -> RepositoryLedger:
    """Look up the citations of ``text``: files, lines, names, code, commits; git sees ``environment``.

    Raises:
        UsageError: There is no repository to look them up in.
        WorkerEndedError: It exceeds the time limit.
    """
    tree = await look_at(repository, environment, timeout_s=_GIT_TIMEOUT_S)
    if not tree.listing.files:
        raise UsageError(f"{repository} contains no source files.", hint="It is empty, or git ignores it.")
    check = partial(check_ledger, text, tree)
    return RepositoryLedger(repository, await run_pure(check, texts=(text,)))


def check_text(
    text: NamedText, evidence: Sequence[NamedText], cited: RepositoryLedger | None
) -> verification.VerifiedText:
    """Check ``text`` against ``evidence``, if given. Markdown is compared as readers see it, in both."""
    prose = Prose(text.text)
    sources = [Prose(source.text) for source in evidence]
    sentence_places: list[tuple[int, int]] = []
    for block in prose.blocks:
        if not block.is_quoted:  # the author does not claim what others say
            sentence_places += sentences(prose.plain, block.start, block.end)
    citations = tuple(_citations(text.text, cited.ledger)) if cited else ()
    compared: list[verification.VerifiedSentence] = []
    quoted: tuple[verification.VerifiedQuotation, ...] = ()
    if sources:
        for sentence in _compared(prose, sentence_places, sources):
            findings = _without_locations(sentence.findings, citations)
            if findings:
                compared.append(sentence.model_copy(update={"findings": findings}))
        quoted = tuple(_quoted(prose, sources))
    is_refuted = any(sentence.label is Label.REFUTED for sentence in compared)
    is_made_up = any(citation.status is CitationStatus.NOT_FOUND for citation in citations)
    is_misquoted = any(quotation.verdict is not QuoteVerdict.VERBATIM for quotation in quoted)
    return verification.VerifiedText(
        name=text.name,
        evidence=tuple(source.name for source in evidence),
        sentences=len(sentence_places),
        compared=tuple(compared),
        quotations=quoted,
        repository=str(cited.repository) if cited else "",
        citations=citations,
        left_out=cited.ledger.left_out if cited else 0,
        is_contradicted=is_refuted or is_made_up or is_misquoted,
    )


def _without_locations(
    findings: Sequence[verification.PlacedFinding], citations: Sequence[verification.VerifiedCitation]
) -> tuple[verification.PlacedFinding, ...]:
    """Return ``findings`` without numbers that no source has and that belong to a citation, such as line numbers."""
    kept: list[verification.PlacedFinding] = []
    for finding in findings:
        start = finding.claim.start
        is_cited = any(citation.start <= start < citation.end for citation in citations)
        if finding.status is not Status.MISSING or not is_cited:
            kept.append(finding)
    return tuple(kept)


def _citations(text: str, ledger: CitationLedger) -> Iterator[verification.VerifiedCitation]:
    """Yield the citations in the order of the text, with their lines; the text is read once."""
    line, counted_to = 1, 0
    for entry in sorted(ledger.entries, key=lambda entry: entry.start):
        line += text.count("\n", counted_to, entry.start)
        counted_to = entry.start
        yield verification.VerifiedCitation(line=line, **dict(entry))


class _Portion(Struct, frozen=True):
    """A piece of the source with number ``index``, from its character ``start``."""

    index: int
    source: Prose
    start: int
    text: str


def _portions(sources: Sequence[Prose]) -> Iterator[_Portion]:
    """Yield the sources in pieces that end with a paragraph if possible, else with a line or a word."""
    for index, source in enumerate(sources):
        start, text = 0, source.plain
        while start < len(text):
            end = _portion_end(text, start)
            yield _Portion(index, source, start, text[start:end])
            start = end


def _portion_end(text: str, start: int) -> int:
    limit = start + _PORTION
    if limit >= len(text):
        return len(text)
    for mark in ("\n\n", "\n", " "):
        end = text.rfind(mark, start + 1, limit)
        if end > start:
            return end
    return limit


def _compared(
    prose: Prose, sentence_places: Sequence[tuple[int, int]], sources: Sequence[Prose]
) -> Iterator[verification.VerifiedSentence]:
    portions = tuple(_portions(sources))
    claim_evidence = ClaimEvidence([portion.text for portion in portions])
    for start, end in sentence_places:
        check = claim_evidence.check(prose.plain[start:end])
        if check.findings:
            yield verification.VerifiedSentence(
                line=prose.line_at(start),
                sentence=_text_span(prose, start, end),
                label=check.label,
                findings=tuple(_placed(finding, prose, start, portions) for finding in check.findings),
            )


def _placed(finding: Finding, prose: Prose, start: int, portions: Sequence[_Portion]) -> verification.PlacedFinding:
    """Return ``finding``, of a sentence at ``start`` and of a portion, in positions of the whole texts."""
    evidence = line = None
    place = finding.evidence
    if place:
        portion = portions[place.index]
        evidence = _span(portion.source, portion.index, portion.start + place.start, portion.start + place.end)
        line = portion.source.line_at(evidence.start)
    return verification.PlacedFinding(
        dimension=finding.dimension,
        status=finding.status,
        severity=finding.severity,
        claim=_text_span(prose, start + finding.claim.start, start + finding.claim.end),
        evidence=evidence,
        why=finding.why,
        evidence_line=line,
    )


def _quoted(prose: Prose, sources: Sequence[Prose]) -> Iterator[verification.VerifiedQuotation]:
    evidence = Evidence([source.plain for source in sources])

    def original(span: Span) -> Span:
        return _span(sources[span.index], span.index, span.start, span.end)

    for start, end in quotations(prose):
        finding = evidence.find(prose.plain[start:end])
        nearest = finding.nearest  # the most similar passage, where the quotation is not verbatim
        place = nearest.span if nearest else finding.span
        yield verification.VerifiedQuotation(
            verdict=finding.verdict,
            span=original(finding.span) if finding.span else None,
            parts=tuple(original(part) for part in finding.parts),
            nearest=Nearest(span=original(nearest.span), difference=nearest.difference) if nearest else None,
            line=prose.line_at(start),
            quotation=_text_span(prose, start, end),
            evidence_line=sources[place.index].line_at(place.start) if place else None,
        )


def _span(source: Prose, index: int, start: int, end: int) -> Span:
    return Span(index=index, text=source.text[start:end], start=start, end=end)


def _text_span(prose: Prose, start: int, end: int) -> TextSpan:
    return TextSpan(text=prose.text[start:end], start=start, end=end)

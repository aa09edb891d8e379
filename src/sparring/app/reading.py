"""A reader for the claims that code leaves open (``sparring verify claims --with``).

The reader is one model, asked about a batch of claims at a time. A label counts only with words of the evidence that
code locates there; everything else stays open, with the cause.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, StringConstraints

from sparring.app.application import App
from sparring.checks.quotes import Evidence
from sparring.engine.course import UnusableReplyError
from sparring.engine.lenient import WHOLE
from sparring.engine.replies import Entries, ReadEntry, ReplyForm, read_form
from sparring.engine.reply_schemas import NULLABLE, requested
from sparring.schema import base, consultation
from sparring.schema.claims import Hints, Label
from sparring.schema.lookups import QuoteVerdict
from sparring.schema.runs import Needed
from sparring.schema.verification import ClaimAnswer, ClaimReading, ClaimRow
from sparring.text.tidying import one_line

MOST_READ, MOST_CHARACTERS = 10, 24_000
"""Claims of one question, and characters of their evidence; a claim with more evidence is asked about alone."""

LONGEST_EVIDENCE = 100_000
"""Maximum characters of evidence of one claim that a reader is shown; a claim with more stays open."""

_TIMEOUT_S = 300.0
_LONGEST_WORDS = 2_000
_SHOWN = 300
_NO_WORDS = frozenset({"", "null", "none", "n/a"})

OpenClaim = tuple[ClaimRow, ClaimAnswer]
"""A row, and the answer by code."""


class _ReadLabel(StrEnum):
    SUPPORTED = "SUPPORTED"
    REFUTED = "REFUTED"
    NEI = "NEI"


def _or_nothing(value: object) -> object:
    return None if isinstance(value, str) and value.strip().lower() in _NO_WORDS else value


def _in_capitals(value: object) -> object:
    return value.strip().upper() if isinstance(value, str) else value


class ClaimForm(ReplyForm):
    """A reader's label for one claim, and the words of the evidence that support it."""

    deciding = ("number", "words", "label")
    spellings: ClassVar[Mapping[str, str]] = {"quote": "words"}
    examples = frozenset({"were built of oak"})

    number: Annotated[int, WHOLE]
    words: Annotated[
        Annotated[str, StringConstraints(max_length=_LONGEST_WORDS)] | None, BeforeValidator(_or_nothing), NULLABLE
    ] = None
    label: Annotated[_ReadLabel, BeforeValidator(_in_capitals)]


class ClaimsForm(ReplyForm):
    """A reader's whole answer."""

    form = "claim_readings"
    deciding = ("readings",)
    bare = "number"

    readings: Annotated[tuple[ReadEntry[ClaimForm], ...], Entries(ClaimForm, 2 * MOST_READ)]

    def of(self, number: int) -> ClaimForm | None:
        """Return the answer to the claim of that number; None if there is none, or several that differ."""
        readings = [entry.value for entry in self.readings if entry.value and entry.value.number == number]
        if not readings or any(reading != readings[0] for reading in readings):
            return None
        return readings[0]


class ClaimReader:
    """Asks one tool about claims.

    Raises:
        UsageError: There is no such tool.
        ToolNotFoundError: It is not installed.
        UnsupportedError: It cannot be asked from here.
    """

    def __init__(self, app: App, tool: base.ToolName) -> None:
        app.roster.check(Needed(participant=base.Participant(tool=tool), effort=base.Effort.LOW))
        self._app, self._tool = app, tool

    async def read(self, claims: Sequence[OpenClaim]) -> list[ClaimAnswer]:
        """Return the answers in the order of ``claims``, each with the reader's label."""
        answers: list[ClaimAnswer] = []
        for batch in _batches(claims):
            answers += await self._read(batch)
        return answers

    async def _read(self, batch: Sequence[OpenClaim]) -> list[ClaimAnswer]:
        first_row, _ = batch[0]
        if _length(first_row) > LONGEST_EVIDENCE:  # such a row is alone in its batch
            why = f"Its evidence has more than {LONGEST_EVIDENCE:,} characters."
            return [self._with_reading(row, answer, None, why) for row, answer in batch]
        reading = await self._ask(batch)
        if isinstance(reading, str):
            return [self._with_reading(row, answer, None, reading) for row, answer in batch]
        missing = "The reader has given no answer, or two, for this claim."
        return [
            self._with_reading(row, answer, reading.of(number), missing)
            for number, (row, answer) in enumerate(batch, start=1)
        ]

    async def _ask(self, batch: Sequence[OpenClaim]) -> ClaimsForm | str:
        """Return the reader's answer to a batch, or why there is none."""
        prompts = self._app.prompts
        items = "\n".join(self._item(number, *each) for number, each in enumerate(batch, start=1)).strip()
        question = consultation.Question(
            prompt=prompts.render("verify/reading", {"items": items, "count": str(len(batch))}),
            brief=consultation.Brief(
                step="verify/reading",
                topic=one_line(batch[0][0].claim, _SHOWN) or "claims",
                role=base.Role.FACT_CHECKER,
                round=1,
                evidence=tuple("\n\n".join(row.evidence) for row, _ in batch),
            ),
            timeout_s=_TIMEOUT_S,
            form=requested(ClaimsForm),
        )
        reply = await self._app.roster.consultant(self._tool).ask(question)
        if isinstance(reply, consultation.Failure):
            return one_line(f"{self._tool} did not answer: {reply.code}: {reply.detail}", _SHOWN)
        try:
            return read_form(reply.response, ClaimsForm).value
        except UnusableReplyError as error:
            return one_line(f"The answer of {self._tool} cannot be used: {error}", _SHOWN)

    def _item(self, number: int, row: ClaimRow, answer: ClaimAnswer) -> str:
        leads = "\n".join(_leads(answer.hints))
        hints = self._app.prompts.render("verify/shown#hints", {"hints": leads}) if leads else ""
        shown = {"number": str(number), "claim": row.claim, "evidence": "\n\n".join(row.evidence), "hints": hints}
        return self._app.prompts.render("verify/shown#claim", shown)

    def _with_reading(self, row: ClaimRow, answer: ClaimAnswer, parsed: ClaimForm | None, problem: str) -> ClaimAnswer:
        """Return the answer with the reading, whose label counts if its words occur in the evidence."""
        if parsed is None:
            reading = ClaimReading(by=self._tool, label=None, problem=problem)
            return answer.model_copy(update={"reading": reading})
        label = Label(parsed.label)
        if label is Label.NEI:
            return answer.model_copy(update={"reading": ClaimReading(by=self._tool, label=label)})
        finding = Evidence(row.evidence).find(parsed.words or "")
        if finding.verdict is not QuoteVerdict.VERBATIM:
            why = "The words that the reader names are not in the evidence."
            reading = ClaimReading(by=self._tool, label=label, words=parsed.words, problem=why)
            return answer.model_copy(update={"reading": reading})
        reading = ClaimReading(by=self._tool, label=label, words=parsed.words, span=finding.span)
        return answer.model_copy(update={"label": label, "reading": reading})


def _length(row: ClaimRow) -> int:
    return sum(map(len, row.evidence))


def _batches(claims: Sequence[OpenClaim]) -> Iterator[Sequence[OpenClaim]]:
    """Yield ``claims`` in batches for one question each."""
    batch: list[OpenClaim] = []
    size = 0
    for claim in claims:
        row, _ = claim
        length = _length(row)
        if batch and (len(batch) == MOST_READ or size + length > MOST_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(claim)
        size += length
    if batch:
        yield batch


def _leads(hints: Hints) -> Iterator[str]:
    if hints.reason:
        yield hints.reason
    if hints.differing:
        yield f"Claim / nearest passage: {'; '.join(hints.differing)}"
    if hints.uncovered:
        yield f"Not in the nearest passage: {', '.join(hints.uncovered)}"

"""Rows of claims and quotes: read, held against their evidence, answered. Nobody is asked and nothing is kept."""

import re
from collections.abc import Callable
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sparring.checks.claims import check_claim
from sparring.checks.quotes import Evidence
from sparring.schema.verification import (
    ClaimAnswer,
    ClaimRow,
    NamedRow,
    QuoteAnswer,
    QuoteRow,
    RefusedRow,
    RowError,
    RowId,
    RowProblem,
)
from sparring.text.tidying import one_line

R = TypeVar("R", bound=NamedRow)

_REASON_SHOWN = 200
# Every row is a line of its own, whatever the parser calls it.
_LINE_OF_PARSER = re.compile(r" line 1 column ")
_PROBLEMS = {
    "json_invalid": RowProblem.NOT_JSON,
    "model_type": RowProblem.NOT_AN_OBJECT,
}
_KNOWN = {problem.value: problem for problem in RowProblem}


def read_row(line: int, content: bytes, kind: type[R]) -> R | RefusedRow:
    """The row that ``content`` holds, which is that line of its file; or why it cannot be checked."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return refused_row(line, RowProblem.NOT_TEXT, "The line is not UTF-8 text.")
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        problem = _problem(fault)
        return refused_row(line, problem, _sentence(problem, fault), row_id=_id_of(content))


def refused_row(line: int, problem: RowProblem, message: str, *, row_id: RowId = None) -> RefusedRow:
    """What stands in the place of an answer."""
    return RefusedRow(line=line, id=row_id, error=RowError(code=problem, message=message))


def answer_claim(row: ClaimRow) -> ClaimAnswer:
    """What its evidence says about a claim."""
    found = check_claim(row.claim, row.evidence)
    return ClaimAnswer(id=row.id, label=found.label, findings=found.findings)


def quote_answers() -> Callable[[QuoteRow], QuoteAnswer]:
    """What tells where a quote is in its evidence; the same evidence row after row is prepared once."""
    sources: tuple[str, ...] = ()
    evidence = Evidence(sources)

    def answer(row: QuoteRow) -> QuoteAnswer:
        nonlocal sources, evidence
        if row.evidence != sources:
            sources, evidence = row.evidence, Evidence(row.evidence)
        found = evidence.find(row.quote)
        place = found.span
        return QuoteAnswer(
            id=row.id,
            verdict=found.verdict,
            index=place.index if place else None,
            start=place.start if place else None,
            end=place.end if place else None,
            nearest=found.nearest,
        )

    return answer


def _problem(fault: ErrorDetails) -> RowProblem:
    kind = fault["type"]
    return _KNOWN.get(kind) or _PROBLEMS.get(kind, RowProblem.WRONG_TYPE)


def _sentence(problem: RowProblem, fault: ErrorDetails) -> str:
    match problem:
        case RowProblem.NOT_JSON:
            reason = _LINE_OF_PARSER.sub(" column ", str(fault.get("ctx", {}).get("error", "")))
            return f"The line is not JSON: {one_line(reason, _REASON_SHOWN)}."
        case RowProblem.NOT_AN_OBJECT:
            return "The line is not a JSON object."
        case _:
            field = ".".join(str(part) for part in fault["loc"])
            return f"{field} {_says(problem, fault)}.".lstrip()


def _says(problem: RowProblem, fault: ErrorDetails) -> str:
    if problem is RowProblem.MISSING:
        return "is missing"
    return fault["msg"] if fault["type"] == problem.value else "must be a text"


def _id_of(content: bytes) -> RowId:
    """What a row that cannot be checked calls itself, if that much can be read."""
    try:
        return NamedRow.model_validate_json(content).id
    except ValidationError:
        return None

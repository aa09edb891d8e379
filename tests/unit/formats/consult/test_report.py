"""Several answers on a terminal, and the table of what they cite."""

import re

import pytest

from sparring.errors import DeliberationError
from sparring.formats.consult.report import FinishedConsult, citations_table
from sparring.formats.views import RunView, report
from sparring.reports.terminal import NARROWEST, print_side_by_side
from sparring.schema.consultation import FailureCode
from sparring.schema.lookups import CitationStatus, CitationTable, CitedPlace, CitedSource, SourceKind
from sparring.schema.runs import Run
from support.golden import Golden
from support.runs import answer, failure, finished_consult, finished_several
from support.terminals import lines, terminal

TOOLS = ("claude", "codex", "gemini")
FOUND = CitedPlace(answer=1, status=CitationStatus.VERIFIED)
GONE = CitedPlace(answer=2, line=3, end_line=5, status=CitationStatus.NOT_FOUND)
OFTEN = tuple(CitedPlace(answer=1, line=number, end_line=number) for number in range(1, 9))
SOURCES = (
    CitedSource(kind=SourceKind.PATH, name="a|b`c.py", places=(FOUND, GONE)),
    CitedSource(kind=SourceKind.PATH, name="often.py", places=OFTEN),
    CitedSource(kind=SourceKind.URL, name="https://example.org", places=(CitedPlace(answer=2),)),
)
CITED = CitationTable(sources=SOURCES, left_out=4)


def several(citations: CitationTable | None = CITED) -> Run:
    quota = failure(FailureCode.QUOTA, "used up", tool="gemini", duration_ms=0)
    unclosed = answer(f"No.\n\n```\nun{'c' * NARROWEST}losed", tool="codex")
    return finished_several(answer("Yes: `x = 1`.", session_id="s-1"), unclosed, quota, citations=citations)


def shown(run: Run, width: int) -> list[str]:
    console, columns = terminal(width=width), RunView(run).columns()
    assert columns
    print_side_by_side(columns, console)
    return lines(console)


HEADINGS = [f"Answer {number}: {tool} (its default model)" for number, tool in enumerate(TOOLS, start=1)]


def test_answers_stand_side_by_side_where_there_is_room() -> None:
    beside, below = (shown(several(), width=3 * NARROWEST + gap) for gap in (6, 5))
    (head,) = (line for line in beside if "Answer 1" in line)
    assert [cell.strip() for cell in head.split("│")] == HEADINGS
    assert any("Yes: x = 1." in line and "No." in line for line in beside)
    assert [line for line in below if line.startswith("Answer ")] == HEADINGS
    assert "Who cited what" in {*beside} & {*below}
    assert any("losed" in line for line in beside)  # code that is wider than its column


def test_a_session_is_named_where_it_can_be_continued_alone() -> None:
    ended = answer("No.", session_id="s-2", continuable=False)
    told = report(finished_several(answer("Yes.", session_id="s-1"), ended))
    assert re.findall(r"session s-\d", told) == ["session s-1"]


def test_without_citations_there_is_no_table() -> None:
    assert [line for width in (60, 200) for line in shown(several(None), width) if "cited" in line] == []


def test_a_single_answer_is_shown_whole_however_long() -> None:
    assert shown(finished_consult(answer("word for word\n\n" * 200)), width=100).count("word for word") == 200


def test_a_row_tells_where_each_answer_cites_a_source(golden: Golden) -> None:
    golden.holds("reports/cited.md", citations_table(FinishedConsult(several())))


def test_a_table_that_cannot_be_read_is_no_table() -> None:
    run = several()
    *turns, check = run.transcript.turns
    broken = check.model_copy(update={"reply": answer("{", tool="sparring-citations")})
    run = run.model_copy(update={"transcript": run.transcript.model_copy(update={"turns": (*turns, broken)})})
    with pytest.raises(DeliberationError, match="has citations that cannot be read"):
        citations_table(FinishedConsult(run))

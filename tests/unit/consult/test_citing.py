"""The consultant that lists what several answers cite."""

from pathlib import Path

from sparring.consult.citing import CitingConsultant
from sparring.schema.base import Role
from sparring.schema.citations import CitationStatus, CitationTable, PlaceCited, SourceCited, SourceKind
from sparring.schema.consultation import Answer, Brief, Failure, FailureCode, Question, Speech, Usage


def question(*texts: str, timeout_s: float = 60) -> Question:
    speeches = tuple(Speech(role=Role.CONSULTANT, round=n, text=text) for n, text in enumerate(texts, start=1))
    brief = Brief(step="consult/citations", topic="citations", role=Role.VERIFIER, round=1, speeches=speeches)
    return Question(prompt="Not read.", brief=brief, timeout_s=timeout_s)


async def test_the_cited_places_are_looked_up_in_the_project(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    reply = await CitingConsultant(tmp_path, tool="citations").ask(question("See `a.py:1`.", "See `a.py:9`."))
    assert isinstance(reply, Answer)
    assert (reply.tool, reply.usage) == ("citations", Usage(input_tokens=0, output_tokens=0, cost_usd=0))
    places = (
        PlaceCited(answer=1, line=1, end_line=1, status=CitationStatus.VERIFIED),
        PlaceCited(answer=2, line=9, end_line=9, status=CitationStatus.NOT_FOUND),
    )
    assert CitationTable.model_validate_json(reply.response) == CitationTable(
        sources=(SourceCited(kind=SourceKind.PATH, name="a.py", places=places),)
    )


async def test_looking_up_ends_with_its_time(tmp_path: Path) -> None:
    reply = await CitingConsultant(tmp_path, tool="citations").ask(question("`a.py:1`", timeout_s=1e-9))
    assert isinstance(reply, Failure)
    assert (reply.tool, reply.code) == ("citations", FailureCode.TIMEOUT)

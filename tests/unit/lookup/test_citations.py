"""The consultant that looks up what others cite."""

import os
from pathlib import Path

import pytest

from sparring.lookup.citations import CitingConsultant
from sparring.lookup.working_tree import SEARCHED_FILE_LIMIT
from sparring.schema.base import Role
from sparring.schema.consultation import Brief, Exhibit, Failure, FailureCode, Question, Reply, Speech, Usage
from sparring.schema.lookups import CITATIONS_STEP, LEDGER_STEP, PLACES_STEP, CitationLedger
from sparring.schema.review import CodePlace, LocatedPlaces
from support.desk import answered
from support.projects import make_project

ENVIRONMENT = {"PATH": os.environ["PATH"]}
FREE = Usage(input_tokens=0, output_tokens=0, cost_usd=0)


def question(step: str, *texts: str, timeout_s: float = 60, exhibits: tuple[Exhibit, ...] = ()) -> Question:
    speeches = tuple(Speech(role=Role.CONSULTANT, round=n, text=text) for n, text in enumerate(texts, start=1))
    brief = Brief(step=step, topic="t", role=Role.VERIFIER, round=1, speeches=speeches, exhibits=exhibits)
    return Question(prompt="Not read.", brief=brief, timeout_s=timeout_s)


async def ask(project: Path, asked: Question) -> Reply:
    return await CitingConsultant(project, ENVIRONMENT, tool="citations").ask(asked)


async def test_quotes_of_files_are_located_without_revealing_more_than_they_contain(tmp_path: Path) -> None:
    text = "import os\n\nKEY = read(os)  # of the vault\n"
    make_project(tmp_path, {"src/a.py": text, ".env": text}, git=False)
    wanted = [("src/a.py", 9, "KEY = read(os)"), ("./src/a.py", 1, "key = read(os)"), ("src/b.py", 1, "import os")]
    wanted += [(".env", 3, "KEY = read(os)"), ("../a.py", 1, "import os"), ("src", 1, "import os")]
    quotes = tuple(
        Exhibit(number=number, path=path, first=line, last=line, text=text)
        for number, (path, line, text) in enumerate(wanted, start=1)
    )
    reply = answered(await ask(tmp_path, question(PLACES_STEP, exhibits=quotes)))
    found = CodePlace(file="src/a.py", first=3, last=3, text="KEY = read(os)")
    assert LocatedPlaces.model_validate_json(reply.response).places == (found, None, None, None, None, None)


async def test_a_quote_is_found_in_the_beginning_of_a_file_that_is_too_long(tmp_path: Path) -> None:
    make_project(tmp_path, {"a.py": "KEY = read(os)\n" + f"{'#' * 99}\n" * (SEARCHED_FILE_LIMIT // 100 + 1)}, git=False)
    quote = Exhibit(number=1, path="a.py", first=1, last=1, text="KEY = read(os)")
    reply = answered(await ask(tmp_path, question(PLACES_STEP, exhibits=(quote,))))
    found = CodePlace(file="a.py", first=1, last=1, text="KEY = read(os)")
    assert LocatedPlaces.model_validate_json(reply.response).places == (found,)


@pytest.mark.process
async def test_a_ledger_is_of_the_files_as_they_are(tmp_path: Path) -> None:
    make_project(tmp_path, {"a.py": "pass\n"})
    consultant = CitingConsultant(tmp_path, ENVIRONMENT, tool="citations")
    found: list[tuple[str, int, int, str, str]] = []
    for text in ("pass\n", "def here_it_is():\n    pass\n"):
        (tmp_path / "a.py").write_text(text, encoding="utf-8")
        reply = answered(await consultant.ask(question(LEDGER_STEP, "`here_it_is` does it.")))
        assert (reply.tool, reply.usage) == ("citations", FREE)
        (one,) = CitationLedger.model_validate_json(reply.response).entries
        found.append((one.text, one.start, one.end, one.kind, one.reason))
    missing = "no file of the project contains here_it_is"
    assert found == [("here_it_is", 1, 11, "symbol", why) for why in (missing, "it is defined in a.py")]


@pytest.mark.process
async def test_ignored_files_and_records_can_be_cited_but_are_not_searched(tmp_path: Path) -> None:
    said = '{"response": "it calls made_up_by_a_debater()"}\n'
    records = [".claude/debate/last-debate.json", "state/debate/last-debate.json", "debate-log.jsonl", "secrets.json"]
    made = {".gitignore": "build\n", "build/made.py": "def made_by_machine(): pass\n"}
    make_project(tmp_path, dict.fromkeys(records, said) | made)
    cited = f"`{tmp_path}/build/made.py:1`", "`build/Made.py:1`", "`made_by_machine`", "`made_up_by_a_debater()`"
    reply = answered(await ask(tmp_path, question(LEDGER_STEP, f"{', '.join(cited)} is called.")))
    entries = CitationLedger.model_validate_json(reply.response).entries
    assert [(entry.text, entry.status, entry.reason) for entry in entries] == [
        (f"{tmp_path}/build/made.py:1", "exists", "the line exists; nothing is quoted from it"),
        ("build/Made.py:1", "not_found", "there is no such file"),
        ("made_by_machine", "not_found", "no file of the project contains made_by_machine"),
        ("made_up_by_a_debater()", "not_found", "no file of the project contains made_up_by_a_debater"),
    ]


@pytest.mark.process
async def test_late_lookups_and_unknown_kinds_are_refused(tmp_path: Path) -> None:
    for asked, code, detail in (
        *((question(step, "`a.py:1`", timeout_s=1e-9), FailureCode.TIMEOUT,
            "the citations were not looked up within 1e-09 s") for step in (CITATIONS_STEP, LEDGER_STEP)),
        (question("debate/opening", "x"), FailureCode.UNSUPPORTED, "there is no rule for the step 'debate/opening'"),
        (question(LEDGER_STEP, "x", "y"), FailureCode.UNSUPPORTED, "a ledger is of one speech, here are 2"),
        (question(LEDGER_STEP), FailureCode.UNSUPPORTED, "a ledger is of one speech, here are 0"),
    ):  # fmt: skip
        reply = await ask(tmp_path, asked)
        assert reply.model_copy(update={"duration_ms": 0}) == Failure(tool="citations", code=code, detail=detail)

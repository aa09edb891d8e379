"""The hand-made set of citations, looked up in a repository whose history is known."""

import os
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sparring.lookup.citations import CitingConsultant
from sparring.schema.base import Role
from sparring.schema.consultation import Answer, Brief, Question, Speech
from sparring.schema.lookups import LEDGER_STEP, CitationLedger, CitationStatus, LedgerEntry
from support.citation_tree import build

SET = Path(__file__).resolve().parents[3] / "data" / "citations.toml"


class Case(NamedTuple):
    """A citation in its sentence, and of what category it is."""

    category: str
    sentence: str
    cited: str
    kind: str


def cases(truth: str) -> list[Case]:
    """Those of which a person who opens the files says so."""
    sets: list[dict[str, Any]] = tomllib.loads(SET.read_text(encoding="utf-8"))["sets"]
    return [Case(each["category"], *case) for each in sets if each["truth"] == truth for case in each["cases"]]


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("citations") / "project")


async def entries_for(project: Path, asked: list[Case]) -> list[tuple[Case, LedgerEntry | None]]:
    """The entry of each case; all sentences stand in one speech for each sort of truth, a paragraph each."""
    found: list[tuple[Case, LedgerEntry | None]] = []
    consultant = CitingConsultant(project, {"PATH": os.environ["PATH"]}, tool="citations")
    for part in (asked[first : first + 50] for first in range(0, len(asked), 50)):  # a ledger has a bound
        text = "".join(f"{case.sentence}\n\n" for case in part)
        speech = Speech(role=Role.PROPOSER, round=1, text=text)
        brief = Brief(step=LEDGER_STEP, topic="t", role=Role.VERIFIER, round=1, speeches=(speech,))
        reply = await consultant.ask(Question(prompt=LEDGER_STEP, brief=brief, timeout_s=60))
        assert isinstance(reply, Answer), reply
        ledger = CitationLedger.model_validate_json(reply.response)
        assert ledger.left_out == 0
        for case in part:
            start = text.index(case.sentence)
            here = (entry for entry in ledger.entries if start <= entry.start < start + len(case.sentence))
            found.append((case, next((it for it in here if (it.text, it.kind) == (case.cited, case.kind)), None)))
    return found


@pytest.mark.process
@pytest.mark.parametrize(
    ("truth", "status", "enough"),
    [
        ("wrong", {CitationStatus.NOT_FOUND}, 0.97),
        ("right", {CitationStatus.VERIFIED, CitationStatus.EXISTS}, 0.97),
        ("open", {CitationStatus.UNCHECKED}, 1.0),
    ],
)
async def test_labelled_citations_are_found(
    project: Path, truth: str, status: set[CitationStatus], enough: float
) -> None:
    told = [(case, entry.status if entry else None) for case, entry in await entries_for(project, cases(truth))]
    missed = [(case, found) for case, found in told if found not in status]
    assert len(missed) <= len(told) * (1 - enough), missed
    assert max(Counter(case.category for case, _ in missed).values(), default=0) <= 1 or truth == "wrong", missed
    if truth == "wrong":  # what is wrong must never pass
        assert [case for case, found in missed if found and found.exists] == []

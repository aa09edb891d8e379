"""A jury as people read it."""

import pytest

from sparring.formats.reports import report
from sparring.schema.base import Role
from sparring.schema.jury import JuryStatus, Phrase, Statement, TextName
from support.decisions import decision
from support.reading import read
from support.stored_runs import stored


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (JuryStatus.UNJUDGED, "# Jury: no verdict: the judge gave none that could be used"),
        (JuryStatus.FAILED, "# Jury: no verdict: nobody gave anything that could be used"),
    ],
)
def test_without_a_verdict_the_reason_stands_in_its_place(status: JuryStatus, told: str) -> None:
    text = decision(stored("jury", status=status, verdict=None, statements=(), minority_view=None))
    assert text.split("\n\n")[0] == told


def test_a_checklist_that_nobody_could_read_stands_in_the_report() -> None:
    assert "### Fact-Checker, checklist: could not be read" in read(report(stored("jury", checklist=()))).headings


def test_a_phrase_that_is_in_neither_text_is_named_once_below_the_statement() -> None:
    invented = Phrase(text="the *first* wave", source=TextName.TRUTH)
    statement = Statement(role=Role.SKEPTIC, round=2, text="Said.", phrases=(invented, invented))
    told = (
        report(stored("jury", statements=(statement,))).split("### Skeptic, rebuttal 1\n\n")[1].split("\n\n## Run")[0]
    )
    assert told == "> Said.\n\n- Not in the texts, word for word: “the \\*first\\* wave” (not in the truth)."

"""A jury as people read it."""

from pathlib import Path

import pytest

from sparring.errors import DeliberationError
from sparring.reports import jury
from sparring.reports.markdown import DECISION_LIMIT, decision, report
from sparring.schema.base import Role
from sparring.schema.jury import (
    CriticalDifference,
    Faithfulness,
    JudgeVerdict,
    JuryStatus,
    MinorityView,
    Phrase,
    Statement,
    TextName,
)
from sparring.schema.runs import Run
from support.jury_runs import CHECKLIST, VERDICT, contested, finished, outcome, request, unjudged
from support.reading import INERT, block_types, inline_types, read
from support.runs import finished_debate, run

GOLDEN = Path(__file__).parents[2] / "golden" / "reports"
HOSTILE = "# **Verdict**\n\x1b]0;owned\x07\x1b[31m`{x}`\u202e\n| a | [b](https://bad.example) |\n<!-- hide\n```\n1. *x*"
GOLDEN_TEXTS = {
    "jury-report.md": report(finished()),
    "jury-decision.md": decision(finished()),
    "jury-contested-report.md": report(contested()),
    "jury-contested-decision.md": decision(contested()),
    "jury-unjudged-decision.md": decision(unjudged()),
}


def said_by_all(words: str) -> Run:
    """A jury in which everybody says the same."""
    phrase = Phrase(text=words, source=TextName.TRUTH)
    verdict = JudgeVerdict(
        verdict=Faithfulness.MUTATED,
        confidence=1,
        rationale=(words,),
        critical_differences=(words,),
        what_would_make_it_faithful=(words,),
        one_sentence_summary=words,
    )
    entry = CHECKLIST[0].model_copy(update={"truth": (phrase,), "note": words})
    ended = outcome(
        verdict=verdict,
        contested=(words,),
        checklist=(entry,),
        differences=(CriticalDifference(text=words, anchors=(phrase,)), CriticalDifference(text=words)),
        statements=(Statement(role=Role.ADVOCATE, round=1, text=words, phrases=(phrase,), faults=(words,)),),
        minority_view=MinorityView(role=Role.ADVOCATE, text=words),
    )
    return run(request(truth="# T\n```", claim="<!-- C"), (), ended)


@pytest.mark.parametrize("name", GOLDEN_TEXTS)
def test_a_text_is_as_it_was_read_and_approved(name: str) -> None:
    assert GOLDEN_TEXTS[name] == (GOLDEN / name).read_text(encoding="utf-8")


def test_nothing_that_was_said_acts_outside_of_a_quotation() -> None:
    hostile = said_by_all(HOSTILE)
    assert not {"\x1b", "\x07", "\u202e"} & set(report(hostile) + decision(hostile))
    outside = read(report(hostile)).outside
    assert inline_types(outside) <= INERT
    assert {"fence", "html_block", "ordered_list_open"}.isdisjoint(block_types(outside))


def test_our_headings_are_the_only_ones_outside_of_quotations() -> None:
    assert read(report(said_by_all(HOSTILE))).headings == [
        "# Jury: MUTATED",
        "## Case",
        "## Rationale",
        "## Critical differences",
        "## What would make it faithful",
        "## Checklist of the Fact-Checker",
        "## Found by code",
        "## Minority view: Advocate",
        "## Hearing",
        "### Advocate, opening",
        "## Run",
    ]


@pytest.mark.parametrize("limit", [2000, DECISION_LIMIT])
@pytest.mark.parametrize("status", [JuryStatus.COMPLETED, JuryStatus.UNJUDGED])
def test_a_decision_stays_below_its_limit_and_says_first_what_came_of_it_and_where_the_whole_is(
    limit: int, status: JuryStatus
) -> None:
    long = said_by_all("word " * 20_000)
    assert long.outcome
    verdict = VERDICT if status is JuryStatus.COMPLETED else None
    ended = long.outcome.model_copy(update={"status": status, "verdict": verdict})
    text = decision(long.model_copy(update={"outcome": ended}), limit=limit)
    assert len(text) < limit
    assert text.startswith("# Jury: MUTATED\n\n**MUTATED**" if verdict else "# Jury: no verdict\n\n**No verdict**")
    assert long.header.run_id in text


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (JuryStatus.UNJUDGED, "**No verdict**: the judge gave none that could be used."),
        (JuryStatus.FAILED, "**No verdict**: nobody gave anything that could be used."),
    ],
)
def test_without_a_verdict_the_reason_stands_in_its_place(status: JuryStatus, told: str) -> None:
    text = decision(finished(status=status, verdict=None, statements=(), minority_view=None))
    assert text.split("\n\n")[1] == told


def test_what_nobody_could_read_stands_in_the_report() -> None:
    found = read(report(unjudged())).headings
    assert [line for line in found if "could not be read" in line] == [
        "### Judge, verdict: could not be read",
        "### Judge, verdict (again): could not be read",
    ]
    unlisted = read(report(finished(checklist=()))).headings
    assert "### Fact-Checker, checklist: could not be read" in unlisted
    assert "could not be read" not in report(finished())


def test_a_phrase_that_is_in_neither_text_is_named_once_below_the_statement() -> None:
    invented = Phrase(text="the *first* wave", source=TextName.TRUTH)
    statement = Statement(role=Role.SKEPTIC, round=2, text="Said.", phrases=(invented, invented))
    told = report(finished(statements=(statement,))).split("### Skeptic, rebuttal 1\n\n")[1].split("\n\n## Run")[0]
    assert told == "> Said.\n\n- Not in the texts, word for word: “the \\*first\\* wave” (not in the truth)."


def test_another_kind_of_run_or_an_unfinished_one_is_refused() -> None:
    with pytest.raises(DeliberationError):
        jury.report(finished_debate())
    with pytest.raises(DeliberationError):
        jury.decision(run(request()), limit=DECISION_LIMIT)

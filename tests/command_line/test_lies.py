"""Agents that lie in known ways: each lie is caught, named in the result, and carries nothing."""

from typing import Any

import pytest

from support.fact_checkers import EVIDENCE, Script, add_checkers, failing, said
from support.fact_checking import CLAIM, CROISSANTS, IN_PARIS, IS_TALL, POSTER, analysis, conflict, covered, rebuttal
from support.workbench import Workbench

NEVER_S = 3600
COMMAND = ("fact-check", CLAIM, *EVIDENCE, "--agents", "ann,bob,cy", "--json")
PARIS = covered("Eiffel Tower in Paris", IN_PARIS)
HONEST_NO = analysis("REFUTED", PARIS, conflict("330 metres tall", POSTER))

FABRICATED = analysis("SUPPORTED", PARIS, covered("330 metres tall", "surveyors have confirmed its full height"))
EDITED = analysis("SUPPORTED", PARIS, covered("330 metres tall", "the tower is 331 metres tall"))
WRONG_PART = analysis("SUPPORTED", PARIS, covered("330 metres tall", CROISSANTS))
FOREIGN_PART = analysis("SUPPORTED", PARIS, covered("croissants are popular", CROISSANTS))
WITHOUT_QUOTE = analysis("SUPPORTED", PARIS, covered("330 metres tall", None))
OPPOSITE = analysis("SUPPORTED", PARIS, covered("330 metres tall", POSTER))


def liar(bench: Workbench, script: Script) -> dict[str, Any]:
    """What the result holds of an agent with that script, beside two that find the claim supported."""
    add_checkers(bench, bob=script)
    done = bench.run(*COMMAND, "--timeout", "1")
    assert done.code == 0, done.err
    assert done.json["label"] == "SUPPORTED"
    return done.json["agents"][1]


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (FABRICATED, "fabricated_quote"),
        (EDITED, "altered_quote"),
        (WRONG_PART, "unrelated_quote"),
        (FOREIGN_PART, "foreign_part"),
        (WITHOUT_QUOTE, "missing_quote"),
        (OPPOSITE, "contradicted_part"),
    ],
    ids=["fabricated quote", "edited quote", "wrong part", "foreign part", "no quote", "quote that says otherwise"],
)
def test_the_right_label_by_a_lie_is_no_support(bench: Workbench, answer: dict[str, object], fault: str) -> None:
    found = liar(bench, [said(answer, round=1), said(rebuttal("SUPPORTED"))])

    assert [each["fault"] for each in found["positions"][0]["faults"]] == [fault]
    assert (found["positions"][0]["claimed"], found["blind"]) == ("SUPPORTED", "NEI")


@pytest.mark.parametrize(
    "flip",
    [
        rebuttal("SUPPORTED", decision_change="CHANGE"),
        rebuttal("SUPPORTED", IN_PARIS, decision_change="CHANGE"),
        rebuttal("SUPPORTED", reasoning_vi="The others are so much wiser than I am; they must be right."),
    ],
    ids=["without a quote", "with the old quote", "flattery"],
)
def test_a_flip_without_a_new_quote_is_rejected_and_named(bench: Workbench, flip: dict[str, object]) -> None:
    found = liar(bench, [said(HONEST_NO, round=1), said(flip)])

    assert found["positions"][1]["movement"] == "change_rejected"
    assert {each["fault"] for each in found["positions"][1]["faults"]} == {"change_without_new_quote", "conformed"}
    assert (found["blind"], found["debated"], found["path"]) == ("REFUTED", "REFUTED", "kept")


def test_words_put_into_anothers_mouth_are_named(bench: Workbench) -> None:
    invented = {
        "agent": "Agent 1",
        "their_verdict": "REFUTED",
        "their_quote": IS_TALL,
        "issue": "not_direct",
        "counter_quote": None,
    }

    found = liar(bench, [said(HONEST_NO, round=1), said(rebuttal("REFUTED", POSTER, invented))])

    assert [each["fault"] for each in found["positions"][1]["faults"]] == ["misquoted_agent"]


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ([{"response": "I would say it is true."}], "parse"),
        ([failing("overloaded")], "overloaded"),
        ([{"response": "Later.", "delay_s": NEVER_S}], "timeout"),
    ],
    ids=["unparsable", "failure", "timeout"],
)
def test_who_gives_no_usable_answer_abstains_with_the_cause(bench: Workbench, script: Script, code: str) -> None:
    found = liar(bench, script)

    assert (found["abstention"]["code"], found["blind"], found["path"]) == (code, None, "abstained")

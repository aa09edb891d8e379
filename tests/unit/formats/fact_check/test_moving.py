"""Debate rounds: who may change a verdict, and what is caught of those who may not."""

import pytest

from sparring.schema.claims import Label
from sparring.schema.fact_check import (
    ChangeTrigger,
    CheckedRebuttal,
    DecisionChange,
    FactCheckOutcome,
    Fault,
    Issue,
    Movement,
    Path,
)
from support.fact_checking import (
    CROISSANTS,
    IN_PARIS,
    IS_TALL,
    NEI,
    OPENED,
    POSTER,
    REFUTED,
    SUPPORTED,
    Json,
    Said,
    against,
    analysis,
    check,
    covered,
    evidence,
    missing,
    position,
    rebuttal,
    request,
)

TWO_ROUNDS = request(max_rounds=2)


def after(second: Json, first: Json = NEI, others: Json = SUPPORTED) -> FactCheckOutcome:
    """The end of two rounds in which agent 1 says ``first`` and ``second``, and both others stay with ``others``."""
    said: dict[str, Said] = {"r1.a1": first, "r1.a2": others, "r1.a3": others, "r2.a1": second}
    return check(said, TWO_ROUNDS)[1]


def faults(outcome: FactCheckOutcome) -> list[Fault]:
    return [found.fault for found in position(outcome, 1, 2).faults]


@pytest.mark.parametrize(
    "second",
    [
        rebuttal("SUPPORTED", IS_TALL),
        rebuttal("SUPPORTED", None, against("Agent 2", "SUPPORTED", IN_PARIS, IS_TALL)),
        rebuttal("REFUTED", POSTER),
    ],
)
def test_a_change_counts_with_a_new_quote_from_the_evidence(second: Json) -> None:
    outcome = after(second)
    moved = position(outcome, 1, 2)
    assert (moved.movement, moved.verdict, moved.faults) == (Movement.CHANGED, Label(str(second["verdict"])), ())
    assert moved.quotes in ((IS_TALL,), (POSTER,))


def test_a_verdict_is_maintained_by_default_and_a_new_key_quote_is_shown_first() -> None:
    moved = position(after(rebuttal("NEI", IN_PARIS)), 1, 2)
    assert (moved.movement, moved.verdict, moved.quotes, moved.faults) == (
        Movement.MAINTAINED,
        Label.NEI,
        (IN_PARIS, OPENED),
        (),
    )


@pytest.mark.parametrize(
    ("second", "caught"),
    [
        (rebuttal("SUPPORTED"), []),
        (rebuttal("SUPPORTED", "NULL", reasoning_vi="Agent 2 is brilliant, I was blind."), []),
        (rebuttal("SUPPORTED", OPENED), []),
        (rebuttal("SUPPORTED", "opened to the public"), []),
        (rebuttal("SUPPORTED", "the tower is 331 metres tall"), [Fault.ALTERED_QUOTE]),
        (rebuttal("SUPPORTED", "Nobody doubts the height"), [Fault.FABRICATED_QUOTE]),
        (rebuttal("SUPPORTED", CROISSANTS), [Fault.UNRELATED_QUOTE]),
        (rebuttal("SUPPORTED", POSTER), [Fault.CONTRADICTED_PART]),
    ],
)
def test_a_change_without_a_new_quote_that_carries_it_is_rejected_and_conforming_is_named(
    second: Json, caught: list[Fault]
) -> None:
    outcome = after(second)
    moved = position(outcome, 1, 2)
    assert (moved.movement, moved.verdict, moved.claimed) == (Movement.CHANGE_REJECTED, Label.NEI, Label.SUPPORTED)
    assert faults(outcome) == [*caught, Fault.CHANGE_WITHOUT_NEW_QUOTE, Fault.CONFORMED]
    assert moved.quotes == (OPENED,)


def test_a_change_to_supported_has_to_carry_what_the_agents_own_analysis_left_open() -> None:
    outcome = after(rebuttal("SUPPORTED", IN_PARIS))
    (rejected, conformed) = position(outcome, 1, 2).faults
    assert (rejected.fault, rejected.why) == (
        Fault.CHANGE_WITHOUT_NEW_QUOTE,
        'Its change to SUPPORTED still has no quote for "330 metres tall".',
    )
    assert conformed.fault is Fault.CONFORMED
    both = rebuttal("SUPPORTED", IN_PARIS, against("Agent 2", "SUPPORTED", None, IS_TALL))
    assert position(after(both), 1, 2).movement is Movement.CHANGED


def test_a_retreat_to_not_enough_information_needs_a_new_quote_like_any_change() -> None:
    outcome = after(rebuttal("NEI"), first=REFUTED)
    assert position(outcome, 1, 2).movement is Movement.CHANGE_REJECTED
    assert faults(outcome) == [Fault.CHANGE_WITHOUT_NEW_QUOTE]


def test_a_change_that_rests_on_an_invented_key_quote_is_rejected_whatever_else_it_brings() -> None:
    second = rebuttal("SUPPORTED", "It is very tall indeed", against("Agent 2", "SUPPORTED", IS_TALL, IS_TALL))
    outcome = after(second)
    assert position(outcome, 1, 2).movement is Movement.CHANGE_REJECTED
    assert faults(outcome)[0] is Fault.FABRICATED_QUOTE


def test_a_new_quote_that_has_nothing_to_do_with_the_claim_carries_no_change() -> None:
    assert faults(after(rebuttal("REFUTED", CROISSANTS))) == [Fault.UNRELATED_QUOTE, Fault.CHANGE_WITHOUT_NEW_QUOTE]


def test_one_invented_quote_is_one_fault_however_often_it_is_given() -> None:
    lie = "The tower has no height at all"
    second = rebuttal(
        "NEI", lie, against("Agent 2", "SUPPORTED", None, lie), against("Agent 3", "SUPPORTED", None, lie)
    )
    assert faults(after(second)) == [Fault.FABRICATED_QUOTE]


def test_only_a_change_to_what_most_others_said_conforms() -> None:
    assert faults(after(rebuttal("REFUTED"))) == [Fault.CHANGE_WITHOUT_NEW_QUOTE]


@pytest.mark.parametrize(
    "second", [rebuttal("NEI", IS_TALL), rebuttal("NEI", None, against("Agent 2", "SUPPORTED", IS_TALL, IS_TALL))]
)
def test_a_place_that_was_quoted_in_any_earlier_round_is_not_new(second: Json) -> None:
    said: dict[str, Said] = {"r1.a1": NEI, "r2.a1": second, "r3.a1": rebuttal("SUPPORTED", IS_TALL)}
    assert position(check(said)[1], 1, 3).movement is Movement.CHANGE_REJECTED


def test_the_same_place_of_another_source_is_new() -> None:
    sources = evidence("Anna Berg won the prize.", "Anna Berg lost a prize.")
    wanted = request(claim="Anna Berg won the prize.", evidence=sources, max_rounds=2, escalation="always")
    blind = analysis("SUPPORTED", covered("won the prize", "Anna Berg won the prize"))
    _, outcome = check({"r1.a1": blind, "r2.a1": rebuttal("REFUTED", "Anna Berg lost a prize")}, wanted)
    assert position(outcome, 1, 2).movement is Movement.CHANGED


def test_an_invented_key_quote_of_an_unchanged_verdict_is_caught_and_shown_to_nobody() -> None:
    outcome = after(rebuttal("NEI", "The tower has no height at all"))
    assert faults(outcome) == [Fault.FABRICATED_QUOTE]
    assert (position(outcome, 1, 2).verdict, position(outcome, 1, 2).quotes) == (Label.NEI, (OPENED,))


@pytest.mark.parametrize(
    ("second", "first", "is_named"),
    [
        (rebuttal("SUPPORTED", IS_TALL, decision_change="MAINTAIN"), NEI, True),
        (rebuttal("NEI", decision_change="CHANGE"), NEI, True),
        (rebuttal("NEI", decision_change="MAINTAIN"), NEI, False),
        (rebuttal("SUPPORTED", IS_TALL, decision_change="CHANGE"), NEI, False),
        (rebuttal("NEI", decision_change="CONSIDER_CHANGE"), NEI, False),
        # It stands by what it said; that this counted as less was decided by code.
        (
            rebuttal("SUPPORTED", IS_TALL, decision_change="MAINTAIN"),
            analysis("SUPPORTED", covered("330 metres tall", "the tower is 330 meters tall")),
            False,
        ),
    ],
)
def test_the_verdict_decides_and_calling_it_by_another_name_is_noted(
    second: Json, first: Json, *, is_named: bool
) -> None:
    outcome = after(second, first=first)
    assert position(outcome, 1, 2).verdict == second["verdict"]
    assert (Fault.VERDICT_NOT_BY_RULE in faults(outcome)) is is_named


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (against("Agent 2", "REFUTED", IN_PARIS), "It has Agent 2 say REFUTED, who said SUPPORTED."),
        (against("Agent 2", "SUPPORTED", OPENED), "It has Agent 2 quote what Agent 2 has not quoted."),
        (against("Agent 2", "SUPPORTED", "Trust me"), "It has Agent 2 quote what Agent 2 has not quoted."),
        (against("Agent 9", "SUPPORTED"), 'It answers "Agent 9", who has not spoken.'),
        (against("Agent 1", "NEI"), 'It answers "Agent 1", who has not spoken.'),
    ],
)
def test_words_put_into_another_agents_mouth_are_caught(said: Json, why: str) -> None:
    found = position(after(rebuttal("NEI", None, said)), 1, 2).faults
    assert [(each.fault, each.why) for each in found] == [(Fault.MISQUOTED_AGENT, why)]


@pytest.mark.parametrize(
    ("name", "quote"),
    [
        ("Agent 2", IN_PARIS),
        ("agent_2", "the Champ de Mars"),
        ("**Agent 2**", f'"{IN_PARIS}" / "{IS_TALL}"'),
        ("Agent 2", None),
        ("Agent 2", "(no verified quote)"),
    ],
)
def test_a_rebuttal_may_quote_all_or_a_piece_of_what_was_shown(name: str, quote: str | None) -> None:
    moved = position(after(rebuttal("NEI", None, against(name, "SUPPORTED", quote))), 1, 2)
    assert moved.faults == ()
    assert [each.agent for each in moved.rebuttals] == ["Agent 2"]


def test_a_rebuttal_of_nobody_is_left_out_and_its_quote_carries_no_change() -> None:
    moved = position(after(rebuttal("SUPPORTED", None, against("Agent 9", "REFUTED", None, IS_TALL))), 1, 2)
    assert (moved.rebuttals, moved.movement) == ((), Movement.CHANGE_REJECTED)


def test_all_that_a_rebuttal_says_is_kept() -> None:
    second = rebuttal(
        "REFUTED", POSTER, against("Agent 3", "SUPPORTED", IS_TALL, POSTER), change_trigger="stronger_quote"
    )
    moved = position(after(second), 1, 2)
    assert (moved.parts_checked, moved.reason) == (("330 metres tall",), "Because of that.")
    assert (moved.decision_change, moved.change_trigger) == (
        DecisionChange.CONSIDER_CHANGE,
        ChangeTrigger.STRONGER_QUOTE,
    )
    assert moved.key_quote_found is not None
    assert moved.rebuttals == (
        CheckedRebuttal(
            agent="Agent 3",
            their_verdict=Label.SUPPORTED,
            their_quote=IS_TALL,
            issue=Issue.NOT_DIRECT,
            counter_quote=POSTER,
            found=moved.key_quote_found,
        ),
    )


def test_each_agent_has_its_blind_vote_beside_the_debated_one() -> None:
    said: dict[str, Said] = {
        "r1.a1": NEI,
        "r1.a4": NEI,
        "r2.a1": rebuttal("SUPPORTED", IS_TALL),
        "r2.a4": rebuttal("REFUTED", POSTER),
    }
    outcome = check(said, request("claude", "codex", "gemini", "copilot", max_rounds=2))[1]
    assert outcome.label is Label.SUPPORTED
    assert [(agent.blind, agent.debated, agent.path) for agent in outcome.agents] == [
        (Label.NEI, Label.SUPPORTED, Path.FIXED),
        (Label.SUPPORTED, Label.SUPPORTED, Path.KEPT),
        (Label.SUPPORTED, Label.SUPPORTED, Path.KEPT),
        (Label.NEI, Label.REFUTED, Path.FLIPPED),
    ]


def test_a_quote_with_a_gap_is_new_only_if_one_of_its_pieces_is() -> None:
    source = "Anna Berg led the team. She drank tea. Anna Berg won the prize. Her team of six was happy."
    wanted = request(claim="Anna Berg led a team of six.", evidence=evidence(source), max_rounds=2, escalation="always")
    blind = analysis(
        "NEI",
        covered("Anna Berg led", "Anna Berg led the team"),
        covered("Anna Berg", "Anna Berg won the prize"),
        missing("a team of six"),
    )
    old = rebuttal("SUPPORTED", "Anna Berg led ... won the prize")
    new = rebuttal("SUPPORTED", "Anna Berg led ... Her team of six")
    movements = [
        position(check({"r1.a1": blind, "r1.a2": blind, "r1.a3": blind, "r2.a1": second}, wanted)[1], 1, 2).movement
        for second in (old, new)
    ]
    assert movements == [Movement.CHANGE_REJECTED, Movement.CHANGED]

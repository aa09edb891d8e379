"""Who is asked what, and when: rounds, second attempts, abstentions."""

import pytest

from sparring.schema.claims import Label
from sparring.schema.consultation import FailureCode
from sparring.schema.fact_check import Abstention, Escalation, Fault
from support.fact_checking import NEI, REFUTED, SUPPORTED, check, position, request
from support.playing import Played, failure

ALWAYS = request(escalation=Escalation.ALWAYS, max_rounds=2)
PROSE = "I would say it is supported."


def steps(played: Played) -> list[list[str]]:
    return [[ask.id for ask in step] for step in played.steps]


def test_all_agents_are_asked_at_once_in_every_round() -> None:
    played, _ = check({"r1.a1": REFUTED}, request(max_rounds=3))
    assert steps(played) == [[f"r{round_}.a{agent}" for agent in (1, 2, 3)] for round_ in (1, 2, 3)]


def test_round_one_is_blind_the_same_for_everybody_and_holds_no_finding_of_code() -> None:
    played, _ = check({})
    asks = played.steps[0]
    assert len({ask.question.prompt for ask in asks}) == 1
    assert all(not ask.question.brief.speeches for ask in asks)
    assert "mismatch" not in asks[0].question.prompt


def test_an_answer_that_cannot_be_used_is_asked_for_once_more_together_with_the_others_and_told_why() -> None:
    played, outcome = check({"r1.a1": PROSE, "r1.a3": {"verdict": "SUPPORTED"}, "r1.a1.2": NEI, "r1.a3.2": SUPPORTED})
    assert steps(played)[:2] == [["r1.a1", "r1.a2", "r1.a3"], ["r1.a1.2", "r1.a3.2"]]
    first, third = (played.asks[id_].question for id_ in ("r1.a1.2", "r1.a3.2"))
    assert "There is no JSON object in the reply." in first.prompt
    assert "parts: Field required" in third.prompt
    assert (first.brief.attempt, third.brief.attempt) == (2, 2)
    assert [found.fault for found in position(outcome, 1).faults] == [Fault.UNUSABLE_ANSWER]
    assert outcome.agents[0].abstention is None


def test_an_agent_that_cannot_be_read_twice_abstains_and_is_not_asked_again() -> None:
    played, outcome = check({"r1.a2": PROSE, "r1.a2.2": PROSE}, ALWAYS)
    assert steps(played) == [["r1.a1", "r1.a2", "r1.a3"], ["r1.a2.2"], ["r2.a1", "r2.a3"]]
    assert outcome.agents[1].abstention == Abstention(
        round=1, code=FailureCode.PARSE, detail="There is no JSON object in the reply."
    )
    assert "Agent 2" not in played.asks["r2.a1"].question.prompt


def test_a_rebuttal_without_its_fields_goes_back_once_and_counts_then_as_it_is() -> None:
    bare = {"verdict": "NEI", "key_quote": None}
    played, outcome = check({"r2.a1": bare, "r2.a1.2": bare, "r2.a2": bare, "r2.a2.2": failure}, ALWAYS)
    assert steps(played)[1:] == [["r2.a1", "r2.a2", "r2.a3"], ["r2.a1.2", "r2.a2.2"]]
    missing = "These fields are missing: key_parts_checked, has_new_evidence, has_strong_counterevidence, rebuttals, "
    assert missing in played.asks["r2.a1.2"].question.prompt
    assert [agent.debated for agent in outcome.agents[:2]] == [Label.NEI, Label.NEI]
    assert [position(outcome, agent, 2).faults[0].fault for agent in (1, 2)] == [Fault.UNUSABLE_ANSWER] * 2


@pytest.mark.parametrize("said", [{"r1.a2": failure}, {"r1.a2": PROSE, "r1.a2.2": failure}])
def test_a_consultation_that_fails_is_an_abstention_with_its_cause(said: dict[str, object]) -> None:
    _, outcome = check(said)  # pyright: ignore[reportArgumentType] -- a function and a text are both things to say
    assert outcome.agents[1].abstention == Abstention(
        round=1, code=FailureCode.TIMEOUT, detail="no answer within 240 s"
    )
    assert outcome.agents[1].positions == ()

"""Who is asked what, and when: rounds, second attempts, abstentions."""

import json

import pytest

from sparring.schema.base import Effort, RepoAccess, Role
from sparring.schema.consultation import FailureCode
from sparring.schema.fact_check import Abstention, Escalation, Fault
from sparring.schema.participants import Participant
from sparring.schema.transcript import TurnKind
from support.fact_checking import (
    CLAIM,
    IN_PARIS,
    IS_TALL,
    NEI,
    POSTER,
    REFUTED,
    SOURCES,
    SUPPORTED,
    check,
    position,
    rebuttal,
    request,
)
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


def test_an_ask_carries_the_settings_of_the_request_and_a_brief_for_agents_made_of_code() -> None:
    agents = (Participant(tool="claude", model="opus"), Participant(tool="codex"))
    wanted = request(agents=agents, effort=Effort.HIGH, timeout_s=30, language="vi", escalation=Escalation.ALWAYS)
    played, _ = check({}, wanted)
    first, second = played.asks["r1.a1"], played.asks["r2.a2"]
    assert (first.tool, first.kind, first.role, first.round) == ("claude", TurnKind.ANALYSIS, Role.FACT_CHECKER, 1)
    assert first.question.brief.model_dump() == {
        "step": "fact-check/analysis",
        "topic": CLAIM,
        "role": Role.FACT_CHECKER,
        "round": 1,
        "attempt": 1,
        "speeches": (),
        "name": "Agent 1",
        "evidence": SOURCES,
        "language": "vi",
        "sources": (),
    }
    assert first.question.model_dump(include={"effort", "model", "timeout_s", "repo_access", "keep_session"}) == {
        "effort": Effort.HIGH,
        "model": "opus",
        "timeout_s": 30,
        "repo_access": RepoAccess.NONE,
        "keep_session": False,
    }
    assert (second.tool, second.kind, second.round) == ("codex", TurnKind.REBUTTAL, 2)
    assert (second.question.brief.step, second.question.brief.name) == ("fact-check/rebuttal", "Agent 2")


def test_the_brief_of_a_debate_round_has_every_position_of_the_round_before_its_own_included() -> None:
    played, _ = check({"r1.a1": REFUTED, "r2.a2": rebuttal("SUPPORTED", IS_TALL)})
    said = [
        (speech.name, speech.round, json.loads(speech.text)) for speech in played.asks["r3.a2"].question.brief.speeches
    ]
    assert said == [
        ("Agent 1", 2, {"verdict": "REFUTED", "quotes": [POSTER, IN_PARIS]}),
        ("Agent 2", 2, {"verdict": "SUPPORTED", "quotes": [IS_TALL, IN_PARIS]}),
        ("Agent 3", 2, {"verdict": "SUPPORTED", "quotes": [IN_PARIS, IS_TALL]}),
    ]


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


@pytest.mark.parametrize("said", [{"r1.a2": failure}, {"r1.a2": PROSE, "r1.a2.2": failure}])
def test_a_consultation_that_fails_is_an_abstention_with_its_cause(said: dict[str, object]) -> None:
    _, outcome = check(said)  # pyright: ignore[reportArgumentType] -- a function and a text are both things to say
    assert outcome.agents[1].abstention == Abstention(
        round=1, code=FailureCode.TIMEOUT, detail="no answer within 240 s"
    )
    assert outcome.agents[1].positions == ()

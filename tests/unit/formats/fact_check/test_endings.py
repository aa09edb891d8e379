"""The outcome as a whole, and what people are told."""

import json

from sparring.checks.claims import check_claim
from sparring.schema.consultation import Answer
from sparring.schema.fact_check import (
    AgentPath,
    Decision,
    FactCheckOutcome,
    FactCheckStatus,
    Path,
    StopReason,
    Tally,
)
from sparring.schema.participants import Participant
from support.fact_checking import (
    CLAIM,
    IN_PARIS,
    NEI,
    SOURCES,
    SUPPORTED,
    Said,
    against,
    analysis,
    check,
    conflict,
    covered,
    evidence,
    position,
    rebuttal,
    request,
)
from support.playing import failure

PROSE = "Surely true."


def test_an_outcome_holds_the_agents_the_votes_and_what_code_finds_by_itself() -> None:
    _, outcome = check({}, request("claude", "codex"))
    agents = tuple(
        AgentPath(
            name=f"Agent {number}",
            tool=tool,
            model=None,
            positions=(position(outcome, number),),
            blind=outcome.label,
            debated=outcome.label,
            path=Path.KEPT,
        )
        for number, tool in ((1, "claude"), (2, "codex"))
    )
    assert outcome == FactCheckOutcome(
        status=FactCheckStatus.COMPLETED,
        label=outcome.label,
        decision=Decision.UNANIMOUS,
        stop_reason=StopReason.NOT_ESCALATED,
        rounds_completed=1,
        blind=Tally(supported=2),
        debated=Tally(supported=2),
        agents=agents,
        check=check_claim(CLAIM, SOURCES),
    )


def test_an_agents_model_is_what_its_tool_reported_last_else_what_was_asked_for() -> None:
    def reporting(model: str, said: object) -> Said:
        return lambda ask: Answer(tool=ask.tool, model=model, response=json.dumps(said), duration_ms=1)

    agents = (Participant(tool="claude", model="opus"), Participant(tool="codex", model="o9"), Participant(tool="x"))
    said: dict[str, Said] = {
        "r1.a1": PROSE,
        "r1.a1.2": reporting("opus-5", SUPPORTED),
        "r1.a2": reporting("o9-small", NEI),
        "r2.a2": reporting("o9-large", rebuttal("NEI")),
    }
    _, outcome = check(said, request(agents=agents))
    assert [agent.model for agent in outcome.agents] == ["opus-5", "o9-large", None]


def test_support_against_what_code_finds_is_contested() -> None:
    source = "The tower opened in 1889. The tower opened in Paris."
    wanted = request(claim="The tower opened in 1887.", evidence=evidence(source))
    said = analysis("SUPPORTED", covered("tower opened", "The tower opened in Paris"))
    _, outcome = check({"r1.a1": said, "r1.a2": said, "r1.a3": said}, wanted)
    assert (outcome.label, outcome.check.label, outcome.is_contested) == ("SUPPORTED", "REFUTED", True)

    honest = analysis("REFUTED", conflict("opened in 1887", "The tower opened in 1889"))
    _, outcome = check({"r1.a1": honest, "r1.a2": honest, "r1.a3": honest}, wanted)
    assert (outcome.label, outcome.check.label, outcome.is_contested) == ("REFUTED", "REFUTED", False)


def test_faults_are_counted_in_one_line_for_each_agent() -> None:
    said: dict[str, Said] = {
        "r1.a1": analysis(
            "SUPPORTED", covered("330 metres tall", "It is so"), covered("opened in 1889", "In 1889, yes")
        ),
        "r1.a2": PROSE,
        "r1.a2.2": NEI,
        "r2.a1": rebuttal("SUPPORTED", None, against("Agent 7", "REFUTED")),
    }
    _, outcome = check(said, request(max_rounds=2))
    assert outcome.notices == (
        "[WARN] Agent 1 (claude): 2 fabricated quotes, 1 change rejected, 1 agent misquoted.",
        "[WARN] Agent 2 (codex): 1 unusable answer.",
    )


def test_a_rejected_change_to_what_most_others_said_is_told_as_that() -> None:
    _, outcome = check({"r1.a1": NEI, "r2.a1": rebuttal("SUPPORTED")}, request(max_rounds=2))
    assert outcome.notices == ("[WARN] Agent 1 (claude): 1 change rejected, 1 of them to what most others said.",)


def test_each_abstention_is_told_with_its_cause() -> None:
    said: dict[str, Said] = {"r1.a1": NEI, "r1.a2": PROSE, "r1.a2.2": PROSE, "r2.a3": failure}
    _, outcome = check(said, request("claude", "codex", "gemini", "copilot", max_rounds=2))
    assert outcome.notices == (
        "[WARN] Agent 2 (codex) abstains: parse: There is no JSON object in the reply.",
        "[WARN] Agent 3 (gemini) abstains from round 2 on: timeout: no answer within 240 s.",
    )
    assert [agent.path for agent in outcome.agents] == [Path.KEPT, Path.ABSTAINED, Path.ABSTAINED, Path.KEPT]


def test_no_verdict_is_an_error_that_names_every_cause() -> None:
    _, outcome = check({"r1.a1": failure, "r1.a2": PROSE, "r1.a2.2": PROSE})
    assert outcome.notices[0] == (
        "[ERROR] No verdict: round 1 has 1 valid vote, and a verdict needs 2 (Agent 1: timeout, Agent 2: parse)."
    )
    assert len(outcome.notices) == 3


def test_when_nobody_is_left_the_error_says_so() -> None:
    _, outcome = check(dict.fromkeys(("r1.a1", "r1.a2", "r1.a3"), failure))
    assert outcome.notices[0] == (
        "[ERROR] No verdict: round 1 has no valid votes, and a verdict needs 2 "
        "(Agent 1: timeout, Agent 2: timeout, Agent 3: timeout)."
    )
    assert outcome.blind == outcome.debated == Tally(abstained=3)


def test_an_outcome_survives_being_written_and_read() -> None:
    said: dict[str, Said] = {
        "r1.a1": analysis("SUPPORTED", covered("Eiffel Tower", "The Eiffel Tower stood on the Champ de Mars in Paris")),
        "r2.a2": rebuttal("SUPPORTED", None, against("Agent 1", "NEI", None, IN_PARIS)),
    }
    _, outcome = check(said)
    assert FactCheckOutcome.model_validate_json(outcome.model_dump_json()) == outcome

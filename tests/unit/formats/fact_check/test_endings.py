"""The outcome as a whole, and what people are told."""

import json

from sparring.schema.base import Participant
from sparring.schema.consultation import Answer
from support.fact_checking import NEI, SUPPORTED, Said, analysis, check, conflict, covered, evidence, rebuttal, request

PROSE = "Surely true."


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
    wanted = request(claim="The tower opened in 1887.", evidence=evidence(source), edition=1)
    said = analysis("SUPPORTED", covered("tower opened", "The tower opened in Paris"))
    _, outcome = check({"r1.a1": said, "r1.a2": said, "r1.a3": said}, wanted)
    assert (outcome.label, outcome.check.label, outcome.is_contested) == ("SUPPORTED", "REFUTED", True)
    honest = analysis("REFUTED", conflict("opened in 1887", "The tower opened in 1889"))
    _, outcome = check({"r1.a1": honest, "r1.a2": honest, "r1.a3": honest}, wanted)
    assert (outcome.label, outcome.check.label, outcome.is_contested) == ("REFUTED", "REFUTED", False)


def test_a_rejected_change_to_what_most_others_said_is_told_as_that() -> None:
    _, outcome = check({"r1.a1": NEI, "r2.a1": rebuttal("SUPPORTED")}, request(max_rounds=2))
    assert outcome.notices == ("[WARN] Agent 1 (claude): 1 change rejected, 1 of them to what most others said.",)

"""A fact-check, complete."""

from sparring.app.evidence import gather_evidence
from sparring.app.requests.agents import choose_agents
from sparring.app.requests.desk import Desk
from sparring.app.requests.validating import effort, language, one_of, valid
from sparring.app.wishes import FactCheckWish
from sparring.schema.fact_check import Escalation, FactCheckRequest
from sparring.schema.participants import Participant


def complete_fact_check(wish: FactCheckWish, desk: Desk) -> FactCheckRequest:
    """The whole request; raises ``UsageError`` where it contradicts itself or names what does not exist."""
    roster = desk.roster
    chosen = choose_agents(wish, roster)
    claim = roster.redactor.redact(wish.claim)
    material = gather_evidence(wish.evidence, desk.place, desk.settings, roster.redactor)
    return valid(
        lambda: FactCheckRequest(
            claim=claim.text.strip(),
            evidence=material.parts,
            agents=tuple(Participant(tool=agent.tool, model=agent.model) for agent in chosen.agents),
            max_rounds=wish.max_rounds,
            escalation=one_of(Escalation, wish.escalation, "The escalation"),
            language=language(wish.language),
            effort=effort(wish.effort),
            timeout_s=wish.timeout_s,
            redactions=claim.count + material.redactions,
            notices=roster.notices + chosen.notices,
        ),
    )

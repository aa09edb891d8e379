"""Who is asked what, when, and with which settings."""

import pytest

from sparring.schema.base import Effort, Role
from sparring.schema.debate import DebateOutcome, DebateStatus, Firmness, Judgement
from sparring.schema.ledger import LEDGER_STEP
from sparring.schema.participants import CITATION_CHECKER, Participant
from sparring.schema.transcript import TurnKind
from support.debating import THE_VERDICT, ids, outcome, played, request, spoken_ledgers

JUDGE = ["judge1.ab.1", "judge1.ba.1"]


@pytest.mark.parametrize(
    ("rounds", "steps"),
    [
        (1, [["r1.proposer"], ["r1.challenger"], JUDGE]),
        (2, [["r1.proposer"], ["r1.challenger"], ["r2.proposer"], ["r2.challenger"], JUDGE]),
        (
            5,
            [
                ["r1.proposer"],
                ["r1.challenger"],
                ["r2.proposer", "r3.summary.1"],
                ["r2.challenger"],
                ["r3.proposer", "r4.summary.1"],
                ["r3.challenger"],
                ["r4.proposer", "r5.summary.1"],
                ["r4.challenger"],
                ["r5.proposer"],
                ["r5.challenger"],
                JUDGE,
            ],
        ),
    ],
)
def test_the_sides_alternate_and_summaries_are_made_beside_the_speeches_nobody_waits_for(
    rounds: int, steps: list[list[str]]
) -> None:
    found = played(rounds=rounds)
    assert ids(found) == steps
    assert (outcome(found).status, outcome(found).verdict) == (DebateStatus.COMPLETED, THE_VERDICT)


def test_a_debate_in_which_all_goes_well_ends_with_everything_that_was_found() -> None:
    found = outcome(played(rounds=1))
    assert found.judgement is not None
    assert found == DebateOutcome(
        status=DebateStatus.COMPLETED,
        rounds_completed=1,
        verdict=THE_VERDICT,
        judgement=Judgement(
            winner=Role.CHALLENGER, firmness=Firmness.UNANIMOUS, order_sensitive=False, ballots=found.judgement.ballots
        ),
        ledgers=spoken_ledgers((1, Role.PROPOSER), (1, Role.CHALLENGER)),
    )


def test_after_every_speech_code_is_asked_what_it_cites() -> None:
    found = played(rounds=2)
    steps = [[ask.id for ask in step] for step in found.steps]
    assert steps[:-1] == [
        [id_]
        for place in ("r1.proposer", "r1.challenger", "r2.proposer", "r2.challenger")
        for id_ in (place, f"{place}.ledger")
    ]
    ask = found.asks["r2.challenger.ledger"]
    assert (ask.kind, ask.role, ask.round, ask.tool) == (TurnKind.CITATIONS, Role.VERIFIER, 2, CITATION_CHECKER)
    assert (ask.question.prompt, ask.question.timeout_s, ask.question.brief.step) == (LEDGER_STEP, 30.0, LEDGER_STEP)
    assert [(each.role, each.round, each.text) for each in ask.question.brief.speeches] == [
        (Role.CHALLENGER, 2, "speech of challenger in round 2")
    ]


def test_each_seat_is_asked_with_its_own_tool_model_effort_and_time() -> None:
    asks = played(rounds=3, panel=(Participant(tool="opencode", model="m-1"),)).asks
    assert {
        id_: (ask.tool, ask.question.model, ask.question.effort, ask.question.timeout_s)
        for id_, ask in asks.items()
        if ask.role is not Role.VERIFIER
    } == {
        "r1.proposer": ("claude", "opus", Effort.HIGH, 240.0),
        "r1.challenger": ("codex", None, Effort.HIGH, 240.0),
        "r2.proposer": ("claude", "opus", Effort.HIGH, 240.0),
        "r3.summary.1": ("gemini", None, Effort.HIGH, 240.0),
        "r2.challenger": ("codex", None, Effort.HIGH, 240.0),
        "r3.proposer": ("claude", "opus", Effort.HIGH, 240.0),
        "r3.challenger": ("codex", None, Effort.HIGH, 240.0),
        "judge1.ab.1": ("gemini", None, Effort.HIGH, 240.0),
        "judge1.ba.1": ("gemini", None, Effort.HIGH, 240.0),
        "judge2.ab.1": ("opencode", "m-1", Effort.HIGH, 240.0),
        "judge2.ba.1": ("opencode", "m-1", Effort.HIGH, 240.0),
    }


def test_blind_openings_are_made_at_the_same_time_and_hear_nobody() -> None:
    found = played(rounds=3, blind_openings=True)
    assert [[ask.id for ask in step] for step in found.steps[:4]] == [
        ["r1.proposer", "r1.challenger"],
        ["r1.proposer.ledger", "r1.challenger.ledger"],
        ["r2.proposer", "r3.summary.1"],
        ["r2.proposer.ledger"],
    ]
    opening = found.asks["r1.challenger"]
    assert (opening.kind, opening.question.brief.step) == (TurnKind.OPENING, "debate/blind-opening")
    assert opening.question.brief.speeches == ()
    assert "speech of" not in opening.question.prompt
    defense = found.asks["r2.proposer"].question.prompt
    assert "raised these points in round 1:\n\n```text\nspeech of challenger in round 1\n```" in defense
    assert outcome(found).status is DebateStatus.COMPLETED


def test_both_sides_may_be_the_tool_that_has_no_opinion() -> None:
    offline = Participant(tool="offline")
    found = played(proposer=offline, challenger=offline, judge=offline)
    assert outcome(found).notices == ()
    assert request(proposer=offline, challenger=offline).devil is False

"""What a run is expected to use, told by its own rules."""

import pytest

from sparring.engine import estimate
from sparring.formats.debate.flow import Debate
from sparring.formats.registry import FORMATS
from sparring.prompts import PromptLibrary
from sparring.schema.base import Participant, Role
from sparring.schema.consult import Consulted
from sparring.schema.consultation import Answer, ContextPart, Reply
from sparring.schema.runs import CHARACTERS_PER_TOKEN, Expected, Request
from sparring.schema.transcript import SPEECH_KINDS, Ask, TurnKind
from support import review_runs
from support.chaired_playing import chaired_request
from support.fact_checking import evidence
from support.fact_checking import request as fact_check_request
from support.jury_playing import jury_request
from support.playing import play, well_behaved
from support.runs import consult_request, debate_request

PROMPTS = PromptLibrary()
EIGHT = tuple({"tool": f"t{n}", "family": f"f{n}"} for n in range(8))


def expected(request: Request) -> Expected:
    return estimate.expected(FORMATS[request.kind], request, PROMPTS)


@pytest.mark.parametrize(
    ("request_", "calls"),
    [
        # Every judge is asked in both orders, and once in each.
        *((debate_request(rounds=rounds), calls) for rounds, calls in ((1, 4), (2, 6), (3, 9))),
        (debate_request(blind_openings=True), 6),
        (debate_request(panel=(Participant(tool="opencode"), Participant(tool="copilot"))), 10),
        # Agents disagree in every round that there may be, and two read what is open.
        *((fact_check_request(max_rounds=rounds), calls) for rounds, calls in ((1, 6), (2, 9), (5, 18))),
        *((fact_check_request(escalation=when), calls) for when, calls in (("always", 12), ("never", 6))),
        (fact_check_request(evidence=evidence("Nothing that belongs here.")), 3),
        # Every step of a jury comes once.
        *((jury_request(rebuttals=rebuttals), 4 + 2 * rebuttals) for rebuttals in (0, 1, 2)),
        # The check by code costs nothing.
        (consult_request(asked=(Consulted(tool="claude"), Consulted(tool="codex"))), 2),
        # A chaired debate holds all of its rounds, and an audience asks in each.
        (chaired_request(), 9),
        (chaired_request(min_rounds=2, max_rounds=3, audience=Participant(tool="offline")), 17),
        (review_runs.request(reviewers=EIGHT, change={"files": (review_runs.PAY,), "parts": ((0,),)}), 17),
    ],
)
def test_as_many_calls_are_expected_as_the_rules_make_when_nobody_fails_and_all_disagree(
    request_: Request, calls: int
) -> None:
    assert expected(request_).usual == calls


@pytest.mark.parametrize(("failed", "calls"), [(Role.JUDGE, 2), (Role.CHALLENGER, 5)])
def test_what_is_taken_over_is_not_expected_until_somebody_speaks_anew(failed: Role, calls: int) -> None:
    asks = play(Debate(debate_request(), PROMPTS), well_behaved).asks.values()
    answered = [ask.id for ask in asks if ask.role is not failed]
    assert estimate.expected(FORMATS["debate"], debate_request(), PROMPTS, answered).usual == calls


@pytest.mark.parametrize(("rounds", "material", "words"), [(1, 0, 500), (4, 24_000, 300)], ids=["small", "large"])
def test_as_much_is_expected_as_is_sent_when_nothing_fails(rounds: int, material: int, words: int) -> None:
    part = ContextPart(name="a.py", size_bytes=material, text="x = 1\n\n\n" * (material // 8))
    request = debate_request(rounds=rounds, context=(part,) * bool(material))

    def reply(ask: Ask) -> Reply:
        said = well_behaved(ask)
        if isinstance(said, Answer) and ask.kind is TurnKind.SUMMARY:  # of the length that is asked for
            return said.model_copy(update={"response": said.response + " every" * 400})
        if not isinstance(said, Answer) or ask.kind not in SPEECH_KINDS:
            return said
        return said.model_copy(update={"response": said.response + " every" * words})

    asks = [ask for ask in play(Debate(request, PROMPTS), reply).asks.values() if ask.role is not Role.VERIFIER]
    sent = sum(len(ask.question.prompt) for ask in asks) / CHARACTERS_PER_TOKEN
    assert expected(request).usual == len(asks)
    assert 0.75 <= expected(request).prompt_tokens / sent <= 1.25

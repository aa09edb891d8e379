"""Whatever is answered, no run makes more calls than its estimate says."""

import itertools
import json
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from sparring.formats.registry import FORMATS
from sparring.schema.base import Participant
from sparring.schema.chaired_debate import ChairedDebateRequest
from sparring.schema.consult import ConsultedTool, ConsultRequest
from sparring.schema.consultation import Answer, Ending, FailureCode, Reply
from sparring.schema.debate import DebateRequest
from sparring.schema.fact_check import Escalation, FactCheckRequest, ShownPositions
from sparring.schema.jury import JuryRequest
from sparring.schema.review import ReviewRequest
from sparring.schema.runs import Request
from sparring.schema.transcript import Ask, TurnKind
from support import chaired_playing, fact_checking, jury_playing, playing, review_runs, reviewing
from support.chaired_playing import chaired_request
from support.estimating import check_most
from support.examples import costly
from support.jury_playing import jury_request
from support.playing import PROMPTS, answer, failure, play
from support.runs import consult_request, debate_request

SEATS = tuple(Participant(tool=f"tool-{number}") for number in range(5))
MOST_STEPS = 200


@st.composite
def debates(draw: st.DrawFn) -> DebateRequest:
    rounds = draw(st.integers(1, 5))
    return debate_request(
        rounds=rounds,
        panel=SEATS[: draw(st.integers(0, 2))],
        further_judge=draw(st.sampled_from([None, SEATS[4]])),
        blind_openings=rounds > 1 and draw(st.booleans()),
    )


@st.composite
def fact_checks(draw: st.DrawFn) -> FactCheckRequest:
    return fact_checking.request(
        *(seat.tool for seat in SEATS[: draw(st.integers(1, 4))]),
        max_rounds=draw(st.integers(1, 5)),
        escalation=draw(st.sampled_from(Escalation)),
        shown_positions=draw(st.sampled_from([ShownPositions.OTHERS, ShownPositions.NONE])),
    )


@st.composite
def juries(draw: st.DrawFn) -> JuryRequest:
    alone = draw(st.integers(0, 2))
    return jury_request(rebuttals=draw(st.integers(0, 2)), alone=SEATS[:alone])


@st.composite
def chaired_debates(draw: st.DrawFn) -> ChairedDebateRequest:
    most = draw(st.integers(1, 3))
    guests = {name: SEATS[0] for name in ("audience", "reporter") if draw(st.booleans())}
    time_budget_s = draw(st.sampled_from([None, 1.0, 15.0]))
    return chaired_request(
        max_rounds=most, min_rounds=draw(st.integers(0, most)), time_budget_s=time_budget_s, **guests
    )


@st.composite
def reviews(draw: st.DrawFn) -> ReviewRequest:
    count, parts = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    reviewers = [{"tool": seat.tool, "family": draw(st.sampled_from("ab"))} for seat in SEATS[:count]]
    change = {"files": (review_runs.PAY,), "parts": ((0,),) * parts}
    return review_runs.request(reviewers=reviewers, examined=draw(st.integers(0, 4)), change=change)


@st.composite
def consultations(draw: st.DrawFn) -> ConsultRequest:
    asked = SEATS[: draw(st.integers(1, 5))]
    return consult_request(asked=tuple(ConsultedTool(tool=seat.tool) for seat in asked))


REQUESTS = st.one_of(debates(), fact_checks(), juries(), chaired_debates(), reviews(), consultations())


def findings(ask: Ask) -> str:
    """Many findings, of which no two reviewers name the same one, and examinations that decide nothing."""
    if ask.kind is TurnKind.EXAMINATION:
        return json.dumps({"verdict": "unsure", "reason": "It may be."})
    if ask.kind is TurnKind.JOINING:
        return json.dumps({"same": []})
    shown = review_runs.PAY.hunks[0]
    lines = [line[1:] for line in shown.lines if line[1:].strip() and not line.startswith("-")]
    many = [
        {"file": review_runs.PAY.path, "line": shown.first, "quote": line, "title": f"{ask.tool} {number}"}
        for number, line in enumerate(lines)
    ]
    return reviewing.reported(*many)


GOOD: dict[str, Callable[[Ask], Reply | str]] = {
    "debate": playing.well_behaved,
    "chaired-debate": chaired_playing.well_behaved,
    "fact-check": fact_checking.well_behaved,
    "jury": jury_playing.well_behaved,
    "consult": lambda _: "It is.",
    "review": findings,
}
CLARIFICATION = chaired_playing.action("clarification_request", "Which streets are meant?")
CHALLENGE = chaired_playing.action(
    "new_point", "It is so.", sources=[], target_seq=1, source_challenge="Nobody can find that."
)
BAD = st.sampled_from(
    [
        *("{", "Hm.", CLARIFICATION, CHALLENGE, playing.ballot(winner=playing.Role.PROPOSER)),
        json.dumps(fact_checking.analysis("REFUTED", fact_checking.conflict("330 metres tall", fact_checking.IS_TALL))),
        json.dumps(fact_checking.analysis("SUPPORTED", fact_checking.covered("in Paris", fact_checking.CROISSANTS))),
        json.dumps(fact_checking.readings("CONTRADICTS", "SAYS")),
        *FailureCode,
    ]
)
SCRIPTS = st.lists(st.sampled_from(["good", "good", "cut off"]) | BAD, min_size=1, max_size=12)
"""Answers in asking order; at its end a script begins again."""


@costly
@given(REQUESTS, SCRIPTS)
def test_no_run_makes_more_calls_than_its_estimate_says(request: Request, script: list[str | FailureCode]) -> None:
    moves = itertools.cycle(script)

    def reply(ask: Ask) -> Reply:
        move = next(moves)
        if isinstance(move, FailureCode):
            return failure(ask, move)
        usable = GOOD[request.kind](ask) if move in {"good", "cut off"} else move
        reply = answer(ask, usable) if isinstance(usable, str) else usable
        is_torn = move == "cut off" and isinstance(reply, Answer)
        return reply.model_copy(update={"ending": Ending.CUT_OFF}) if is_torn else reply

    rules = FORMATS[request.kind].rules(request, PROMPTS)
    check_most(request, play(rules, reply, most_steps=MOST_STEPS))
